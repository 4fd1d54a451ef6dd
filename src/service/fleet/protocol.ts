import * as z from 'zod';
import type { Version } from '../../api/resources.ts';
import type { Manifest } from '../models/manifest.ts';

/**
 * The messages between an executor on another machine and its service. They are JSON over HTTP below {@link EXECUTORS},
 * with the executor's key. They are not part of the open interface.
 */
export const EXECUTORS = '/executors';

/** The interval between regular reports of an executor about its state, in milliseconds. */
export const HELLO_EVERY = 10_000;
/** The longest pause between two reports of a lane about its runs, in milliseconds. */
export const BEAT_EVERY = 1_000;

const Holder = { holder: z.string().max(200) };

/** The report of an executor about itself. */
export const Hello = z.strictObject({
  /** The build of foray. The service refuses an executor of another build. */
  build: z.string(),
  slots: z.int().positive(),
  /** The labels of the executor, for models that need them. */
  has: z.array(z.string()),
  /** The number of runs that it executes now. */
  running: z.int().nonnegative(),
  /** Why it claims no runs; null when it claims runs. */
  problem: z.string().nullable(),
  /** The models whose runs it does not accept, and why. */
  refusals: z.array(z.string()),
  /** The versions whose outputs have depended on earlier runs, with two values of an output. */
  leaks: z.array(z.strictObject({ versionId: z.string(), difference: z.string() })),
  /** The time when the executor was started. */
  since: z.iso.datetime(),
});
export type Hello = z.infer<typeof Hello>;

export interface Welcome {
  /** The UUID of the service. */
  service: string;
  /** The namespace of the service's lanes in Temporal. */
  namespace: string;
  /** The task queue from which executors take lanes. */
  taskQueue: string;
  /** The time limit of a run in seconds, if there is one. */
  runTimeout: number | null;
  /** Whether the files are in a bucket. Then executors may read and write them at addresses that the service gives. */
  hasStore: boolean;
}

export const Claim = z.strictObject({
  ...Holder,
  /** The labels of the executor. */
  has: z.array(z.string()),
  most: z.int().positive().max(1_000),
  /** Ids of versions whose runs are not wanted. */
  without: z.array(z.string()),
});
export type Claim = z.infer<typeof Claim>;

const RunId = { runId: z.string() };
const Ending = z.discriminatedUnion('status', [
  z.strictObject({ ...RunId, status: z.literal('COMPLETED'), outputs: z.record(z.string(), z.string()) }),
  z.strictObject({
    ...RunId,
    status: z.literal('FAILED'),
    reason: z.string(),
    log: z.strictObject({ lines: z.array(z.string()), omitted: z.int() }).optional(),
  }),
  z.strictObject({
    ...RunId,
    status: z.literal('FRESH'),
    reason: z.string().optional(),
    isLasting: z.boolean().optional(),
  }),
]);

export const Report = z.strictObject({ ...Holder, endings: z.array(Ending) });
export type Report = z.infer<typeof Report>;

export const Beat = z.strictObject({
  ...Holder,
  /** The progress of the held runs, from 0 to 1, by run id. */
  held: z.record(z.string(), z.number()),
});
export type Beat = z.infer<typeof Beat>;

/** The answer to a beat. It has the ids of held runs that must not be executed any more. */
export interface BeatAnswer {
  ended: string[];
}

/** The place from which an executor gets a file. */
export interface FileAddress {
  url: string;
}

/** The data of a version that an executor needs. */
export interface FetchedVersion {
  template: Version['experimentTemplate'];
  /** The description of its kept files; null when they are not kept. */
  manifest: Manifest | null;
  /** Why the version takes no runs; null when it takes runs. */
  retired: string | null;
  /** Whether its outputs have depended on earlier runs, so that each run gets a process of its own. */
  isLeaky: boolean;
}
