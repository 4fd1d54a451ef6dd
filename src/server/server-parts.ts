import type { Foray } from '../client/index.ts';
import type { Away } from './reachability.ts';
import type { Keys } from './keys.ts';
import type { Sections } from './live/watch.ts';
import type { KnownModels } from './known-models.ts';
import type { Statuses } from './statuses.ts';
import type { Sessions } from './login/sessions.ts';
import type { InTurn } from './turns.ts';

/** The objects that the handlers of the server share. */
export interface ServerParts {
  foray: Foray;
  /** Whether the model service and Temporal answer. */
  away: Away;
  /** The keys of users. */
  keys: Keys;
  /** Logins of browsers. */
  sessions: Sessions;
  models: KnownModels;
  /** The statuses of campaigns. Viewers of a campaign share one status. */
  statuses: Statuses;
  /** The pictures of campaigns. */
  sections: Sections;
  /**
   * Runs changes of a campaign's definition one after the other, so that each change sees the result of the previous
   * change.
   */
  inTurn: InTurn;
  /** The address of the server's root, without a slash at its end. */
  publicUrl: () => string;
}
