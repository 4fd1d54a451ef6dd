import type { Generated } from 'kysely';
import type { Verdict } from '../campaign/precise-points.ts';
import type { Phase } from '../campaign/types.ts';
import type { FileLack, Origin } from './store.ts';

/**
 * `waiting` not requested; `intended` a request is being made or its answer was lost; `queued` FRESH and `running`
 * RUNNING at the service; `done` and `failed` have finished.
 */
export type StoredRunState = 'waiting' | 'intended' | 'queued' | 'running' | 'done' | 'failed';
export const openStates = ['intended', 'queued', 'running'] as const;
export const finishedStates = ['done', 'failed'] as const;
export const unfinishedStates = ['waiting', ...openStates] as const;

/** The tables of the store, the same in every database. Times are ms since the epoch, flags 0 or 1. */
export interface Tables {
  meta: { name: string; value: string };
  campaigns: {
    number: Generated<number>;
    id: string;
    campaign: string;
    definition: string;
    digest: string;
    phase: Phase;
    /** Null until the design has been expanded. */
    points: number | null;
    created_at: number;
    updated_at: number;
    note: string;
    /** Counts the changes of the design, from 1. */
    revision: Generated<number>;
    /** The last revision that was begun: not `revision` when a change was cut short. */
    begun: Generated<number>;
    /** How many seqs were given out: none is given out twice. */
    seqs: Generated<number>;
    /** The UUID of the model service; null where it told none. */
    service_id: string | null;
    /** The model's versions as JSON, from the first one on; null while there was only one. */
    versions: string | null;
  };
  /** `put_at`: when somebody last put it there, 0 where that was never written down. */
  files: { hash: string; content: Uint8Array; put_at: Generated<number> };
  points: {
    campaign: number;
    /** Its number in the campaign, for good. */
    ordinal: number;
    key: string;
    values: string;
    /** Its place in the design as it is now. */
    position: number;
    /** The last revision of the campaign that has it. */
    revision: Generated<number>;
    /** How precise it is, and how many replications it is expected to have; null while nobody has judged it. */
    verdict: Generated<Verdict['state'] | null>;
    expected: Generated<number | null>;
  };
  runs: {
    campaign: number;
    seq: number;
    ordinal: number;
    replication: number;
    state: StoredRunState;
    /** Requests since it was last waiting. */
    attempts: number;
    /** Attempts that failed, of those that its policy counts. */
    failures: Generated<number>;
    /** Attempts with a seed of their own, the first one not counted. */
    reseeded: Generated<number>;
    run_id: string | null;
    owned: number;
    /** Another campaign had started it when this one requested it. */
    joined: number;
    origin: Origin | null;
    /** Why it, or its last attempt, failed. */
    reason: string | null;
    requested_at: number | null;
    finished_at: number | null;
    /** The number of the model's version that it is requested with; null for the campaign's first one. */
    version: number | null;
  };
  /** Attempts that failed and were followed by another one, the last few of each run. `version` as in `runs`. */
  failed_attempts: {
    campaign: number;
    seq: number;
    failed_at: number;
    version: number | null;
    reason: string;
  };
  /** What is in which column: packed.ts. */
  outputs: { campaign: number; seq: number; outputs: string; packed: Uint8Array | null };
  /**
   * Files of outputs, by the hash that the service calls them by. `file` is the hash of the content that is kept, by SHA-256
   * whatever the service's is; where there is none, `lack` says why.
   */
  kept_files: { campaign: number; hash: string; file: string | null; lack: FileLack | null };
  /** Points that a search asked, by their number from 0: `values` and `told` are JSON (campaign/search/log). */
  asks: {
    campaign: number;
    ask: number;
    ordinal: number | null;
    values: string;
    by: string;
    seen: number;
    told: string | null;
  };
  /** What a search decided, by its number from 0: `event` is JSON. */
  search_events: { campaign: number; number: number; event: string };
  /** Runs at the service that a campaign has stopped, or was about to. */
  stopped_runs: { campaign: number; run_id: string };
  /** What runs printed in their last attempt that failed: `lines` are JSON, `cause` groups failures. */
  run_logs: {
    campaign: number;
    seq: number;
    cause: string;
    lines: string;
    omitted: number;
    command: string | null;
    kept_at: number;
  };
}
