import * as z from 'zod';
import { type Endpoint, endpoints } from './endpoints.ts';

/** The kept output of a run, and the command that repeats it. */
export const RunLog = z.object({
  /** The last lines of standard output and standard error, as the model printed them. Very long lines are cut. */
  lines: z.array(z.string()),
  /** How many earlier lines were left out. */
  omitted: z.number().int().min(0),
  /** A shell command on the service's machine that repeats the run; only if the run's folder is kept. */
  command: z.string().optional(),
});
export type RunLog = z.output<typeof RunLog>;

/**
 * A file of a model version: its path below the model's folder, and the SHA-256 of its content in hexadecimal digits.
 */
export const VersionFile = z.object({ path: z.string(), sha256: z.string() });
export type VersionFile = z.output<typeof VersionFile>;

/** What a service tells about the code of a model version. */
export const VersionCode = z.object({
  /** True if the version takes no new runs, for example because its files are not kept. */
  retired: z.boolean(),
  /** Why the version takes no new runs. */
  reason: z.string().optional(),
  /** The files of the version; null if the service did not record them. */
  files: z.array(VersionFile).nullable(),
  /** Whether the version's runs can be animated. An older service does not say it. */
  animated: z.boolean().optional(),
  /**
   * Only if outputs of the version have depended on earlier runs: a text with two values of an output and the time when
   * the service found them. Results from before this time may be wrong.
   */
  leak: z.string().optional(),
});
export type VersionCode = z.output<typeof VersionCode>;

/** A version of a model, and its kept files. */
export const VersionSummary = z.object({
  id: z.uuid(),
  version: z.number().int().min(1),
  /** The time when the version was made; null if the service did not record the time. */
  madeAt: z.iso.datetime().nullable(),
  /**
   * `current`: its files are in the folders of models. `kept`: it runs from kept files. `retired`: it takes no runs.
   */
  state: z.enum(['current', 'kept', 'retired']),
  /** Why the version is retired; null if it is not retired. */
  reason: z.string().nullable(),
  /** The size of the version's kept files in bytes; null if no files are kept. Versions may share files. */
  size: z.number().int().min(0).nullable(),
  /** The number of runs that were ever requested with the version. */
  runs: z.number().int().min(0),
});
export type VersionSummary = z.output<typeof VersionSummary>;

/**
 * Which versions of a model to prune: all except the newest `keep` versions, or all versions from before a time. The
 * current version, the newest version and versions with unfinished runs are never pruned.
 */
export const PruneRequest = z
  .strictObject({ keep: z.number().int().min(1), before: z.iso.datetime() })
  .partial()
  .refine(({ keep, before }) => (keep === undefined) !== (before === undefined), {
    error: 'either "keep" or "before" is expected',
  });
export type PruneRequest = z.output<typeof PruneRequest>;

/** The result of pruning. */
export const Pruned = z.object({
  /** The numbers of the pruned versions. */
  pruned: z.array(z.number().int()),
  /** The numbers of the versions that stay, because they have unfinished runs. */
  busy: z.array(z.number().int()),
  /** The freed bytes. */
  bytes: z.number().int().min(0),
});
export type Pruned = z.output<typeof Pruned>;

/** A file of a pushed model. */
export const PushedFile = z.strictObject({
  /** The name of one of `folders`, followed by a slash and the path in that folder. */
  path: z.string().max(1_000),
  /** The permission bits. */
  mode: z.number().int().min(0).max(0o777),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'the SHA-256 of the content, 64 hexadecimal digits in lower case'),
});
export type PushedFile = z.output<typeof PushedFile>;

/** The model that an author pushes: the list of its files. */
export const PushRequest = z.strictObject({
  /** First the name of the model's folder, then the names of the folders beside it whose code the model uses. */
  folders: z.array(z.string()).min(1).max(100),
  /** The path of the model's module or declaration, which is directly in the first folder. */
  entry: z.string(),
  files: z.array(PushedFile).min(1).max(10_000),
});
export type PushRequest = z.output<typeof PushRequest>;

/** The result of a push. */
export const Pushed = z.object({
  /**
   * The SHA-256 of files that must be uploaded before the same request can make a version. Empty if a version with
   * these files exists.
   */
  missing: z.array(z.string()),
  /** The version with these files; null while files are missing. */
  pushed: z
    .object({
      /** The name of the model, as its files declare it. */
      name: z.string(),
      version: z.number().int().min(1),
      /** Whether this request made the version. */
      isNew: z.boolean(),
    })
    .nullable(),
});
export type Pushed = z.output<typeof Pushed>;

/**
 * The values that a model allows for an input. The service lists only inputs that do not take every value of their
 * type.
 */
export const AllowedValues = z.object({
  name: z.string(),
  /** The least allowed number. */
  min: z.number().optional(),
  /** The greatest allowed number. */
  max: z.number().optional(),
  /** The only allowed values, in their canonical form. */
  values: z.array(z.string()).optional(),
});
export type AllowedValues = z.output<typeof AllowedValues>;

/** An executor on another machine than the service. */
export const ListedExecutor = z.object({
  name: z.string(),
  /** The version of foray that the executor runs. */
  build: z.string(),
  /** The number of runs that the executor executes at once. */
  slots: z.number().int().min(1),
  /** The number of runs that the executor holds now. */
  running: z.number().int().min(0),
  /** What is installed on the machine of the executor (`--has`), because models may need it. */
  has: z.array(z.string()),
  /** Why the executor claims no runs; null if it claims runs. */
  problem: z.string().nullable(),
  /** The models whose runs the executor does not take, each with the reason. */
  refusals: z.array(z.string()),
  /** When the executor was started. */
  since: z.iso.datetime(),
  /** When the executor last reported. */
  seen: z.iso.datetime(),
  /** False if the executor has not reported for half a minute. */
  isThere: z.boolean(),
});
export type ListedExecutor = z.output<typeof ListedExecutor>;

/** The endpoints of our service beyond the specification. Other services answer these paths with an error. */
export const extensions = {
  getRunLog: {
    method: 'GET',
    path: '/versions/:versionId/runs/:runId/log',
    summary:
      'Extension of the specification: the last lines that a failed run printed; no lines for any other run',
    response: RunLog,
  },
  getVersionCode: {
    method: 'GET',
    path: '/versions/:versionId/code',
    summary:
      'Extension of the specification: whether a version still takes new runs and has an animation, and the files that it is made of',
    response: VersionCode,
  },
  listVersions: {
    method: 'GET',
    path: '/models/:modelId/kept-versions',
    summary:
      'Extension of the specification: the versions of a model, with the state, the kept size and the runs of each',
    response: z.array(VersionSummary),
  },
  pruneVersions: {
    method: 'POST',
    path: '/models/:modelId/prune',
    summary:
      'Extension of the specification: removes the kept files of old versions of a model, which then take no new runs',
    body: PruneRequest,
    response: Pruned,
  },
  pushModel: {
    method: 'POST',
    path: '/push/model',
    summary:
      'Extension of the specification: makes a version of a model from uploaded files, if they differ from the last version',
    body: PushRequest,
    response: Pushed,
  },
  pushFile: {
    method: 'POST',
    path: '/push/file',
    summary:
      'Extension of the specification: uploads a file of a model that is about to be pushed; the answer is its SHA-256',
    body: 'bytes',
    response: z.string(),
  },
  listExecutors: {
    method: 'GET',
    path: '/executors',
    summary: 'Extension of the specification: the executors on other machines that reported in the last day',
    response: z.array(ListedExecutor),
  },
  getAllowedValues: {
    method: 'GET',
    path: '/versions/:versionId/allowed-values',
    summary: 'Extension of the specification: the inputs that do not take every value of their type',
    response: z.array(AllowedValues),
  },
} as const satisfies Record<string, Endpoint>;

/** The endpoints of the specification and those beyond it. */
export const allEndpoints = { ...endpoints, ...extensions };

export type AnyEndpointName = keyof typeof allEndpoints;
