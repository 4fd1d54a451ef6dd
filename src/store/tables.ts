import type { Generated } from 'kysely';
import type { Verdict } from '../campaign/precise-points.ts';
import type { Phase } from '../campaign/types.ts';
import type { MissingReason, Origin, StoredRunState } from './types.ts';

export const openStates = ['intended', 'queued', 'running'] as const;
export const finishedStates = ['done', 'failed'] as const;
export const unfinishedStates = ['waiting', ...openStates] as const;

/** The tables of the store, the same in every database. Times are ms since the epoch. Flags are 0 or 1. */
export interface Tables {
  meta: { name: string; value: string };
  campaigns: {
    number: Generated<number>;
    id: string;
    campaign: string;
    definition: string;
    digest: string;
    phase: Phase;
    /** The number of points; null until the design has been expanded. */
    points: number | null;
    created_at: number;
    updated_at: number;
    note: string;
    /** The revision of the campaign: 1 before the first change, and a higher number after each change. */
    revision: Generated<number>;
    /**
     * The last revision that a change has started to write. It differs from `revision` while a change is being written,
     * and after an interrupted change.
     */
    begun: Generated<number>;
    /** The number of seqs that are reserved so far. No seq is used twice. */
    seqs: Generated<number>;
    /** The UUID of the model service; null when the service has none, or when it is not known yet. */
    service_id: string | null;
    /** The model's versions as JSON, the first version first; null while there is only one version. */
    versions: string | null;
    /** The rounds of a growing design so far, as JSON; null before the first round and for other designs. */
    rounds: string | null;
    /** The owner who submitted the campaign; null if unknown. */
    owner: string | null;
  };
  /** `put_at` is the time when the file was last put into the store; 0 if that was not recorded. */
  files: { hash: string; content: Uint8Array; put_at: Generated<number> };
  points: {
    campaign: number;
    /** The number of the point in the campaign. It never changes. */
    ordinal: number;
    key: string;
    values: string;
    /** The place of the point in the current design. */
    position: number;
    /** The last revision of the campaign that contains the point. */
    revision: Generated<number>;
    /** How often the design has the point. */
    draws: Generated<number>;
    /** How precise the point is; null before the first judgement. */
    verdict: Generated<Verdict['state'] | null>;
    /** How many replications the point will probably need; null before the first judgement. */
    expected: Generated<number | null>;
  };
  runs: {
    campaign: number;
    seq: number;
    ordinal: number;
    replication: number;
    state: StoredRunState;
    /** The number of requests since the last attempt that failed or was stopped. */
    attempts: number;
    /** The number of failed attempts that the campaign's policy counts. */
    failures: Generated<number>;
    /** How many times the run got another seed. */
    reseeded: Generated<number>;
    run_id: string | null;
    owned: number;
    /** 1 if another campaign had already started the run when this campaign requested it. */
    joined: number;
    origin: Origin | null;
    /** Why the run or its last attempt failed. */
    reason: string | null;
    requested_at: number | null;
    finished_at: number | null;
    /** The number of the model version that the run is requested with; null for the campaign's first version. */
    version: number | null;
  };
  /**
   * The numbers of a campaign's runs. Completed runs count under their origin, and intended runs as `waiting`. A
   * campaign without a row has no runs.
   */
  run_counts: {
    campaign: number;
    waiting: number;
    queued: number;
    running: number;
    failed: number;
    new: number;
    reused: number;
  };
  /**
   * For each run, the last few failed attempts after which foray requests the run again. `version` has the same meaning
   * as in `runs`.
   */
  failed_attempts: {
    campaign: number;
    seq: number;
    failed_at: number;
    version: number | null;
    reason: string;
  };
  /** packed.ts describes the columns. */
  outputs: { campaign: number; seq: number; outputs: string; packed: Uint8Array | null };
  /**
   * Output files, by the hash that the service uses for them. `file` is the SHA-256 of the stored content; the service
   * may use another hash. If the content is not stored, `lack` says why.
   */
  kept_files: { campaign: number; hash: string; file: string | null; lack: MissingReason | null };
  /** The points that a search asked for, numbered from 0. `values` and `told` are JSON (campaign/search/log). */
  asks: {
    campaign: number;
    ask: number;
    ordinal: number | null;
    values: string;
    by: string;
    seen: number;
    told: string | null;
  };
  /** The decisions of a search or a selection, numbered from 0. `event` is JSON. */
  search_events: { campaign: number; number: number; event: string };
  /** Runs at the service that a campaign has stopped, or was about to stop. */
  stopped_runs: { campaign: number; run_id: string };
  /** The drawn pictures of closed campaigns, compressed. `drawn` belongs to one view and one state of the campaign. */
  pictures: { campaign: number; view: string; state: string; drawn: Uint8Array; drawn_at: number };
  /** The output that runs printed in their last failed attempt. `lines` is JSON; `cause` groups failures. */
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
