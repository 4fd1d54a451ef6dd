import type { Foray } from '../client/index.ts';
import type { Away } from './reachability.ts';
import type { Keys } from './roles.ts';
import type { Sections } from './live/watch.ts';
import type { KnownModels } from './known-models.ts';
import type { Statuses } from './statuses.ts';
import type { Sessions } from './login/sessions.ts';
import type { InTurn } from './turns.ts';

/** What the handlers of the server work with. */
export interface ServerParts {
  foray: Foray;
  /** Who of the model service and Temporal does not answer. */
  away: Away;
  /** Who may use the server. */
  keys: Keys;
  /** Logins of browsers. */
  sessions: Sessions;
  models: KnownModels;
  /** The statuses of campaigns, which viewers share. */
  statuses: Statuses;
  /** The pictures of campaigns. */
  sections: Sections;
  /** Changes of a campaign's definition follow each other, so that each sees the one before. */
  inTurn: InTurn;
  /** The address of the server's root, without a slash at its end. */
  publicUrl: () => string;
}
