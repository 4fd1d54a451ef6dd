import { z } from 'zod';

/** Something that keeps the service from its work for a while. It is over by itself when its cause is. */
export const HealthProblem = z.object({
  code: z.string(),
  message: z.string(),
  /** When it was first seen. */
  since: z.iso.datetime(),
});
export type HealthProblem = z.infer<typeof HealthProblem>;

/** What `GET /health` answers, without a key. */
export const Health = z.object({
  status: z.enum(['ok', 'degraded']),
  problems: z.array(HealthProblem),
});
export type Health = z.infer<typeof Health>;
