/** What one request, or one key, may take of the service. */
export interface Limits {
  /** Greatest JSON body, in bytes. */
  body: number;
  /** Greatest file, in bytes. */
  upload: number;
  /** Requests a second with one key; undefined for as many as come. */
  rate: number | undefined;
}

export const defaultLimits: Limits = { body: 16 * 1024 ** 2, upload: 2 * 1024 ** 3, rate: undefined };
