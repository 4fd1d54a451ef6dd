import type { ServerResponse } from 'node:http';

/** An answer of a file server: the whole content with its length. */
export const whole = (bytes: Uint8Array) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-length': bytes.length }).end(bytes);

/** The whole content without its length. The content ends when the connection ends. */
export const unmeasured = (bytes: Uint8Array) => (response: ServerResponse) => {
  response.useChunkedEncodingByDefault = false;
  response.shouldKeepAlive = false;
  response.writeHead(200, { connection: 'close' }).end(bytes);
};

export const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end('no');

/** All bytes except the last one. Then the connection ends. */
export const cut = (bytes: Uint8Array) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-length': bytes.length });
  response.write(bytes.subarray(0, bytes.length - 1), () => response.destroy());
};
