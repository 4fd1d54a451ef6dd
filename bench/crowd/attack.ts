/** Clients that all send the same request. */
export interface Clients {
  count: number;
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** The size of a body that is too large, in bytes. */
  bytes?: number;
}

/** What many clients do to a server at once, for at least some seconds. */
export interface Attack {
  origin: string;
  seconds: number;
  /** Clients whose bodies never end. */
  slow: Clients;
  /** Clients whose answers stay open. */
  streams: Clients;
  logins: Clients;
  large: Clients;
}

/** What the clients have seen: the slow connections that are still open, and the statuses of the answers. */
export interface Seen {
  held: number;
  streams: number[];
  logins: number[];
  large: number[];
}
