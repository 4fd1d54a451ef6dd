import type { z } from 'zod';
import type { Neighbour } from '../../reachability.ts';
import type { Role } from '../../keys.ts';

/** An endpoint of the API: its request, the role that it needs, and its answer. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path below `/api/v1`. */
  path: string;
  role: Role | 'anyone';
  /** The services that must answer. If a service does not answer for ten seconds, the request is refused. */
  needs?: readonly Neighbour[];
  /** The description in the reference. */
  summary: string;
  query?: z.ZodObject;
  /** Descriptions of optional headers of the request, by name. */
  headers?: Record<string, string>;
  /** A schema of JSON, or a definition. */
  body?: z.ZodType | 'definition';
  /** A schema of JSON, a media type, or null for an answer without a body. */
  answer: z.ZodType | string | null;
}
