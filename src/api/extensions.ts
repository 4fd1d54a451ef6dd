import { z } from 'zod';
import { type Endpoint, endpoints } from './endpoints.ts';

/** What is kept of what a run printed, and how to repeat it. */
export const RunLog = z.object({
  /** The last lines of standard output and standard error, as the model printed them. */
  lines: z.array(z.string()),
  /** How many lines came before them. */
  omitted: z.number().int().min(0),
  /** A line for a shell on the service's machine that repeats the run; only where the run's folder is kept. */
  command: z.string().optional(),
});
export type RunLog = z.output<typeof RunLog>;

/** A file of a model version: its path below the model's folder, and the SHA-256 of its content in hexadecimal digits. */
export const VersionFile = z.object({ path: z.string(), sha256: z.string() });
export type VersionFile = z.output<typeof VersionFile>;

/** What a service knows of the code of a model version. */
export const VersionCode = z.object({
  /** The version takes no new runs, as its code is gone. */
  retired: z.boolean(),
  /** Its files; null where the service did not write them down. */
  files: z.array(VersionFile).nullable(),
});
export type VersionCode = z.output<typeof VersionCode>;

/** The values that a model allows for an input, where it does not take every value of the input's type. */
export const AllowedValues = z.object({
  name: z.string(),
  /** The least number. */
  min: z.number().optional(),
  /** The greatest number. */
  max: z.number().optional(),
  /** The only values, in their canonical form. */
  values: z.array(z.string()).optional(),
});
export type AllowedValues = z.output<typeof AllowedValues>;

/** What our service offers beyond the specification. Other services answer these paths with an error. */
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
      'Extension of the specification: whether a version still takes new runs, and the files that it is made of',
    response: VersionCode,
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
