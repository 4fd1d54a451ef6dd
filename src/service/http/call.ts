import type { Readable } from 'node:stream';
import type { allEndpoints, AnyEndpointName } from '../../api/extensions.ts';
import type * as kit from '../../http/endpoints/endpoint.ts';

/** What a call has besides the parts that its endpoint describes. */
export interface OfCaller {
  /** The user whose key the request has. */
  user: string;
  /** SHA-256 of this key. */
  keyHash: string;
  /** The address of the service for this client, without a final slash. Addresses in answers begin with it. */
  root: () => string;
}

/** The handler of each endpoint. It takes a checked request and returns the value that is sent as JSON. */
export type Handlers<N extends AnyEndpointName = AnyEndpointName> = kit.Handlers<
  typeof allEndpoints,
  N,
  Readable,
  OfCaller
>;
