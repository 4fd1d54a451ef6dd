import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import codec from './codec.mjs';

// node codec-server.mjs [PORT] [ORIGIN] decrypts payloads for the Web UI at ORIGIN, and for Temporal's command line. It
// asks for no key, so it listens on this machine only. For others, put it behind a proxy that knows them.

const [port = '8235', origin = 'http://127.0.0.1:8233'] = process.argv.slice(2);

/** Payloads have bytes in base64 in JSON. */
const fromJson = ({ metadata = {}, data = '' }) => ({
  metadata: mapped(metadata, (text) => Buffer.from(text, 'base64')),
  data: Buffer.from(data, 'base64'),
});
const toJson = ({ metadata, data }) => ({
  metadata: mapped(metadata ?? {}, (bytes) => Buffer.from(bytes).toString('base64')),
  data: Buffer.from(data ?? []).toString('base64'),
});
const mapped = (of, change) => Object.fromEntries(Object.entries(of).map(([name, at]) => [name, change(at)]));

const server = createServer(async (request, response) => {
  // a page of another site must not read payloads; a command sends no origin
  if (![undefined, origin].includes(request.headers.origin)) return response.writeHead(403).end();
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Allow-Headers', 'content-type,x-namespace');
  if (request.method === 'OPTIONS') return response.writeHead(204).end();
  if (request.method !== 'POST' || request.url !== '/decode') return response.writeHead(404).end();
  try {
    const { payloads } = await json(request);
    const decoded = await codec.decode(payloads.map(fromJson));
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ payloads: decoded.map(toJson) }));
  } catch (error) {
    response.writeHead(400).end(error.message);
  }
});
server.listen(Number(port), '127.0.0.1', () =>
  console.log(`Codec server http://127.0.0.1:${server.address().port}`),
);
