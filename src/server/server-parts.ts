import type { Foray } from '../client/index.ts';
import type { KeylessConnections } from '../http/keyless.ts';
import type { Reachability } from './reachability.ts';
import type { Keys } from './keys.ts';
import type { Sections } from './live/watch.ts';
import type { KnownModels } from './known-models.ts';
import type { Statuses } from './statuses.ts';
import type { Sessions } from './login/sessions.ts';
import type { JobThreads } from './jobs/job-threads.ts';
import type { Shares } from './shares.ts';
import type { InTurn } from './in-turn.ts';

/** The objects that the handlers of the server share. */
export interface ServerParts {
  foray: Foray;
  /** Whether the model service and Temporal answer. */
  reachability: Reachability;
  keys: Keys;
  /** Connections that have shown no key. */
  keyless: KeylessConnections;
  /** Logins of browsers. */
  sessions: Sessions;
  models: KnownModels;
  /** The statuses of campaigns. Viewers of a campaign share one status. */
  statuses: Statuses;
  /** Threads that read, check and plan definitions. */
  jobs: JobThreads;
  /** Threads that compute reports, analyses and comparisons from results. */
  answers: JobThreads;
  /** The limits of what one key may have at once: bodies of requests, jobs and streams. */
  shares: Shares;
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
