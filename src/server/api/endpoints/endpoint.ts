import type { z } from 'zod';
import type { Neighbour } from '../../reachability.ts';
import type { Role } from '../../roles.ts';

/** An endpoint of the API: its request, the needed role, and its answer. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api/v1`. */
  path: string;
  role: Role | 'anyone';
  /** Who must answer; without them the request is refused after ten seconds. */
  needs?: readonly Neighbour[];
  /** A sentence for the reference. */
  summary: string;
  query?: z.ZodObject;
  /** Descriptions of optional headers, by name. */
  headers?: Record<string, string>;
  /** A schema of JSON, or a definition. */
  body?: z.ZodType | 'definition';
  /** A schema of JSON, a media type, or null for an answer without a body. */
  answer: z.ZodType | string | null;
}
