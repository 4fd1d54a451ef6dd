/** Limits per request and per key. */
export interface Limits {
  /** The maximum size of a JSON body, in bytes. */
  body: number;
  /** The maximum size of a file, in bytes. */
  upload: number;
  /** Requests per second with one key; undefined for no limit. */
  rate: number | undefined;
}

export const defaultLimits: Limits = { body: 16 * 1024 ** 2, upload: 2 * 1024 ** 3, rate: undefined };
