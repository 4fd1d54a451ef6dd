import * as z from 'zod';

/** A temporary problem of the service. The service removes it when its cause has ended. */
export const HealthProblem = z.object({
  code: z.string(),
  message: z.string(),
  /** When the problem was first seen. */
  since: z.iso.datetime(),
});
export type HealthProblem = z.infer<typeof HealthProblem>;

/** The answer of `GET /health` of a foray model service, without a key. Other services have no such document. */
export const Health = z.object({
  status: z.enum(['ok', 'degraded']),
  problems: z.array(HealthProblem),
  /** The identity of the service. It is made once and kept in the database, so it is the same at any address. */
  service: z.uuid(),
});
export type Health = z.infer<typeof Health>;
