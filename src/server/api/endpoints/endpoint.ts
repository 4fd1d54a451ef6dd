import type { z } from 'zod';
import type * as kit from '../../../http/endpoints/endpoint.ts';
import type { Neighbour } from '../../reachability.ts';
import type { Role } from '../../keys.ts';

/** An endpoint of the API, below `API_ROOT`: its request, the role that it needs, and its answer. */
export interface Endpoint extends Omit<kit.Endpoint, 'response' | 'older'> {
  role: Role | 'anyone';
  /** The services that must answer. If a service does not answer for ten seconds, the request is refused. */
  needs?: readonly Neighbour[];
  /** Descriptions of optional headers of the request, by name. */
  headers?: Record<string, string>;
  /** A schema of JSON, a definition, or the bytes of a file. */
  body?: z.ZodType | 'definition' | 'bytes';
  /** A schema of JSON, a media type, or null for an answer without a body. */
  answer: z.ZodType | string | null;
}
