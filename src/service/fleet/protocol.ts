import { z } from 'zod';
import type { Version } from '../../api/resources.ts';
import type { Manifest } from '../models/manifest.ts';

/**
 * The messages between an executor on another machine and its service. They are JSON over HTTP below {@link EXECUTORS},
 * with the executor's key, and no part of the open interface.
 */
export const EXECUTORS = '/executors';

/** How often an executor says how it is, in milliseconds. */
export const HELLO_EVERY = 10_000;
/** How often a lane reports, at the latest, in milliseconds. */
export const BEAT_EVERY = 1_000;

/** What an executor says of itself. */
export const Hello = z.strictObject({
  /** Of foray: the same as that of the service, else the executor is refused. */
  build: z.string(),
  slots: z.int().positive(),
  /** What it has, for models that need it. */
  has: z.array(z.string()),
  /** Runs that it executes now. */
  running: z.int().nonnegative(),
  /** Why it claims nothing; null when it does. */
  problem: z.string().nullable(),
  /** Which models' runs it does not take, and why. */
  refusals: z.array(z.string()),
  since: z.iso.datetime(),
});
export type Hello = z.infer<typeof Hello>;

/** What the service says to that. */
export interface Welcome {
  /** The UUID of the service. */
  service: string;
  /** Where its lanes are in Temporal. */
  namespace: string;
  taskQueue: string;
  /** The time limit of a run in seconds, if there is one. */
  runTimeout: number | null;
  /** Whether files are in a store of their own, which executors may reach at addresses that the service gives out. */
  hasStore: boolean;
}

const Holder = { holder: z.string().max(200) };

export const Claim = z.strictObject({
  ...Holder,
  /** What the executor has. */
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
  z.strictObject({ ...RunId, status: z.literal('FRESH') }),
]);

export const Report = z.strictObject({ ...Holder, endings: z.array(Ending) });
export type Report = z.infer<typeof Report>;

export const Beat = z.strictObject({
  ...Holder,
  /** The runs that it holds, with their finished shares. */
  held: z.record(z.string(), z.number()),
});
export type Beat = z.infer<typeof Beat>;

/** The answer to a beat: ids of held runs that must not be executed any more. */
export interface BeatAnswer {
  ended: string[];
}

export const Release = z.strictObject(Holder);

/** Where an executor gets a file. */
export interface FileAddress {
  url: string;
}

/** A version as an executor needs it. */
export interface FetchedVersion {
  template: Version['experimentTemplate'];
  /** Null when its files are not kept. */
  manifest: Manifest | null;
  /** Why it takes no runs; null when it does. */
  retired: string | null;
}
