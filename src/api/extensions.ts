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

/** What our service offers beyond the specification. Other services answer these paths with an error. */
export const extensions = {
  getRunLog: {
    method: 'GET',
    path: '/versions/:versionId/runs/:runId/log',
    summary:
      'Extension of the specification: the last lines that a failed run printed; no lines for any other run',
    response: RunLog,
  },
} as const satisfies Record<string, Endpoint>;

/** The endpoints of the specification and those beyond it. */
export const allEndpoints = { ...endpoints, ...extensions };

export type AnyEndpointName = keyof typeof allEndpoints;
