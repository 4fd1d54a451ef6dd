import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface TlsProxy {
  /** The https address of the proxy. */
  origin: string;
  /** The paths of requests, as they arrived. */
  asked: string[];
  /** The port on 127.0.0.1 to which the proxy forwards requests. */
  target: number;
  close(): Promise<void>;
}

/** Makes a self-signed certificate for 127.0.0.1, as the file `cert.pem` in a folder. */
export function makeCertificate(folder: string): { key: Buffer; cert: Buffer; file: string } {
  const [key, file] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ],
      ...['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', file],
    ],
    { stdio: 'ignore' },
  );
  return { key: readFileSync(key), cert: readFileSync(file), file };
}

/**
 * Starts a proxy that terminates TLS, like nginx or Caddy. Clients send requests to paths below `prefix`. The proxy
 * forwards these requests without the prefix.
 *
 * @param headersOf - gives the headers to add to a request, from the host name that the client uses
 */
export async function startTlsProxy(
  certificate: { key: Buffer; cert: Buffer },
  prefix: string,
  headersOf: (host: string) => OutgoingHttpHeaders = () => ({}),
): Promise<TlsProxy> {
  const server = createServer(certificate, (asked, answer) => {
    const { method, url = '', headers } = asked;
    proxy.asked.push(url);
    if (!url.startsWith(`${prefix}/`)) return void answer.writeHead(404).end();
    const passed = request(
      {
        port: proxy.target,
        host: '127.0.0.1',
        method,
        path: url.slice(prefix.length),
        // most proxies send the host name by which they know the service
        headers: { ...headers, host: `127.0.0.1:${proxy.target}`, ...headersOf(headers.host!) },
      },
      (response) => {
        answer.writeHead(response.statusCode!, response.headers);
        response.pipe(answer);
      },
    );
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: TlsProxy = {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    target: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}
