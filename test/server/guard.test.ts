import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fastify from 'fastify';
import { Foray } from '../../src/client/index.ts';
import { KeysOfFile } from '../../src/server/keys.ts';
import type { Endpoint } from '../../src/server/api/endpoints/endpoint.ts';
import { endpoints } from '../../src/server/api/endpoints.ts';
import { type Server, startServer } from '../../src/server/app.ts';
import { addGuard } from '../../src/server/guard.ts';
import type { ServerParts } from '../../src/server/server-parts.ts';
import { keyFileOf } from '../support/key-file.ts';
import { until } from '../support/until.ts';
import { ask } from './support.ts';
import { withoutServers } from '../support/without-servers.ts';

const folder = mkdtempSync(join(tmpdir(), 'foray-guard-'));
const keyFile = join(folder, 'keys');
const READER = 'reader-0123456789';
const STEERER = 'steerer-0123456789';
const DEVELOPER = 'developer-0123456789';
const OURS = keyFileOf(['rita', 'read', READER], ['stan', 'steer', STEERER], ['dana', 'develop', DEVELOPER]);
const faults: string[] = [];
let foray: Foray;
let server: Server;

beforeAll(async () => {
  writeFileSync(keyFile, OURS, { mode: 0o600 });
  // requests that the guard allows fail later
  const settings = withoutServers(`sqlite:${join(folder, 'store.db')}`);
  foray = await Foray.open(settings);
  server = await startServer({
    foray,
    settings,
    keys: new KeysOfFile(keyFile, (line) => faults.push(line)),
    hostNames: ['runs.example.org'],
  });
});

afterAll(async () => {
  await server.close();
  await foray.close();
  rmSync(folder, { recursive: true });
});

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];
const keys = {
  none: undefined,
  unknown: 'unknown-0123456789',
  read: READER,
  steer: STEERER,
  develop: DEVELOPER,
};
const sites: Record<string, Record<string, string>> = {
  'no browser': {},
  'same site': { 'sec-fetch-site': 'same-origin' },
  'typed by the user': { 'sec-fetch-site': 'none' },
  'cross site': { 'sec-fetch-site': 'cross-site' },
  'a sibling': { 'sec-fetch-site': 'same-site' },
  'a foreign Origin': { origin: 'http://evil.example' },
  'the Origin null': { origin: 'null' },
};

describe('the guard', () => {
  const paths = [...new Set(Object.values(endpoints).map(({ path }) => path)), '/nothing'];

  test.each(paths)('allows at %s exactly the requests that the table of endpoints allows', async (path) => {
    const url = `${server.url}/api/v1${path.replaceAll(/:\w+/g, 'x')}?a=x&b=x`;
    const requests = METHODS.flatMap((method) =>
      Object.entries(keys).flatMap(([who, key]) =>
        Object.entries(sites)
          // no key, the weakest and the strongest key come from all sites
          .filter(([site]) => ['none', 'read', 'develop'].includes(who) || site === 'same site')
          .flatMap(([site, given]) =>
            // the answer to a foreign host does not depend on the key and the site, which change one at a time for it
            ['127.0.0.1:1', ...(who === 'read' || site === 'same site' ? ['evil.example'] : [])].map(
              async (host) => {
                const headers = { host, ...given, ...(key && { authorization: `Bearer ${key}` }) };
                const { status } = await ask(url, { method, headers });
                const expected = outcome(path, method, who, site, host);
                const isRight =
                  expected === 'through' ? ![401, 403, 405, 421].includes(status) : status === expected;
                return isRight ? [] : [{ method, who, site, host, status, expected }];
              },
            ),
          ),
      ),
    );
    const wrong = (await Promise.all(requests)).flat();
    expect(wrong).toEqual([]);
  });

  test('accepts the names of this machine and configured names, with any port, and refuses all other names', async () => {
    const status = async (host: string) =>
      (await ask(`${server.url}/api/v1/health`, { headers: { host } })).status;
    const good = ['localhost', 'LOCALHOST:80', '[::1]:8100', '127.0.0.1', 'runs.example.org'];
    expect(await Promise.all(good.map(status))).toEqual(good.map(() => 200));
    const bad = [
      'evil.example',
      'runs.example.org.evil.example',
      '127.0.0.1.evil.example',
      'localhost:80@evil',
    ];
    expect(await Promise.all(bad.map(status))).toEqual(bad.map(() => 421));
  });

  test('refuses to add a route that does not say who may use it', () => {
    const app = fastify();
    addGuard(app, {} as ServerParts, { hostNames: [], cookie: () => 'c' });
    expect(() => app.get('/open', () => 'x')).toThrow(/does not say who may use it/);
  });

  test('gives each answer the same security headers', async () => {
    for (const path of ['/login', '/api/v1/health', '/api/v1/nothing']) {
      const { headers } = await ask(server.url + path);
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
  });
});

function outcome(path: string, method: string, who: string, site: string, host: string): number | 'through' {
  if (host === 'evil.example') return 421;
  const isSafe = ['GET', 'HEAD'].includes(method);
  const isOurs =
    ['same site', 'typed by the user'].includes(site) || (site === 'no browser' && who !== 'none');
  if (!isSafe && !isOurs) return 403;
  const wanted = method === 'HEAD' ? 'GET' : method;
  const endpoint = (Object.values(endpoints) as Endpoint[]).find(
    (one) => one.path === path && one.method === wanted,
  );
  if (endpoint?.role === 'anyone') return 'through';
  if (who === 'none' || who === 'unknown') return 401;
  if (endpoint === undefined) return path === '/nothing' ? 404 : 405;
  const order = ['read', 'steer', 'develop'];
  return order.indexOf(who) < order.indexOf(endpoint.role) ? 403 : 'through';
}

test('a push has a largest body, and one key has at most sixteen bodies in work', async () => {
  const headers = { authorization: `Bearer ${DEVELOPER}` };
  const push = (what: string, body: string, announced = body.length) =>
    ask(`${server.url}/api/v1/push/${what}`, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(announced) },
      body,
    });
  // such a body is refused before it is read
  expect((await push('model', 'x', 64 * 1024 + 1)).status).toBe(413);
  expect((await push('file', 'x', 16 * 1024 ** 2 + 1)).status).toBe(413);
  expect((await push('model', '{"folders": ["a"], "entry": "a/model.py", "files": []}')).status).toBe(400);
  const open = Array.from({ length: 17 }, () => {
    const sent = request(`${server.url}/api/v1/push/file`, { method: 'POST', headers });
    sent.on('error', () => undefined).write('the beginning of a file');
    return sent;
  });
  // only the one body too many is answered before it has come
  const [answer] = await Promise.race(
    open.map((sent) => once(sent, 'response') as Promise<[IncomingMessage]>),
  );
  expect(answer.statusCode).toBe(429);
  for (const sent of open) sent.destroy();
});

describe('a login', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
  const post = (body: string) => ask(`${server.url}/login`, { method: 'POST', headers: form, body });
  const cookieOf = ({ headers }: Awaited<ReturnType<typeof ask>>) =>
    String(headers['set-cookie']).split(';', 1)[0]!;
  const home = (cookie: string) => ask(`${server.url}/api/v1/campaigns`, { headers: { cookie } });

  test('with a code works only once, and its cookie has the port of the server in its name', async () => {
    const code = new URL(server.loginUrl(READER)).hash.slice(1);
    const first = await post(`code=${code}&to=/`);
    expect([first.status, first.headers.location]).toEqual([303, '/']);
    expect(String(first.headers['set-cookie'])).toMatch(
      new RegExp(`^foray-${server.port}=[\\w-]{32}; Path=/; HttpOnly; SameSite=Lax$`),
    );
    expect((await home(cookieOf(first))).status).toBe(200);
    expect((await post(`code=${code}&to=/`)).status).toBe(401);
  });

  test('with a key works without scripts until the logout, and a wrong key is refused', async () => {
    const answer = await post(`key=${STEERER}&to=${encodeURIComponent('/campaigns/a?b=c')}`);
    expect([answer.status, answer.headers.location]).toEqual([303, '/campaigns/a?b=c']);
    const cookie = cookieOf(answer);
    expect((await home(cookie)).status).toBe(200);
    await ask(`${server.url}/logout`, { method: 'POST', headers: { ...form, cookie } });
    expect((await home(cookie)).status).toBe(401);
    expect((await post('key=wrong-0123456789&to=/')).status).toBe(401);
    const headers = { authorization: 'Bearer wrong-0123456789' };
    const { status, body } = await ask(`${server.url}/api/v1/campaigns`, { headers });
    expect([status, body]).toEqual([401, expect.stringContaining('does not know the key')]);
  });

  test.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)'])(
    'never redirects to another site: %s',
    async (to) => {
      expect((await post(`key=${STEERER}&to=${encodeURIComponent(to)}`)).status).toBe(400);
    },
  );

  test('that has ended while a person typed is said without a word about headers', async () => {
    const headers = { ...form, accept: 'text/html' };
    const { status, body } = await ask(`${server.url}/new`, { method: 'POST', headers, body: 'text=x' });
    expect(status).toBe(401);
    expect(body).toMatch(/Your login has ended.*What you typed is not lost/s);
    expect(body).not.toContain('Authorization');
  });

  test('is required if a browser opens a page without a login', async () => {
    const { status, headers } = await ask(`${server.url}/?phase=running`, {
      headers: { accept: 'text/html' },
    });
    expect([status, headers.location]).toEqual([303, '/login?to=%2F%3Fphase%3Drunning']);
  });
});

describe('the key file', () => {
  test('is read again after a change: neither a removed key nor a login with that key gives access', async () => {
    const key = 'leaver-0123456789';
    const status = async () =>
      (await ask(`${server.url}/api/v1/campaigns`, { headers: { authorization: `Bearer ${key}` } })).status;
    writeFileSync(
      keyFile,
      keyFileOf(['rita', 'read', READER], ['stan', 'steer', STEERER], ['lea', 'read', key]),
    );
    await until('the key gives access', async () => (await status()) === 200);
    const login = await ask(`${server.url}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
      body: `key=${key}`,
    });
    const cookie = String(login.headers['set-cookie']).split(';', 1)[0]!;
    writeFileSync(keyFile, OURS);
    expect(await status()).toBe(401);
    expect((await ask(`${server.url}/api/v1/campaigns`, { headers: { cookie } })).status).toBe(401);
  });

  test('gives access to the keys that are still in it while it is invalid, and the server says where the mistake is', async () => {
    writeFileSync(keyFile, OURS);
    const status = async (key: string) =>
      (await ask(`${server.url}/api/v1/campaigns`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await status(READER)).toBe(200);
    writeFileSync(keyFile, `${keyFileOf(['rita', 'read', READER])}nonsense: 1\n`);
    expect([await status(READER), await status(STEERER), await status('nonsense')]).toEqual([200, 401, 401]);
    writeFileSync(keyFile, OURS);
    expect([await status(READER), await status(STEERER)]).toEqual([200, 200]);
    expect(faults).toEqual([
      expect.stringMatching(/keys:6:1: The key file is wrong here: this name is unknown\.$/),
    ]);
  });

  test('gives no access to a key of an executor', async () => {
    writeFileSync(keyFile, keyFileOf(['rita', 'read', READER], ['node', 'executor', STEERER]));
    const headers = { authorization: `Bearer ${STEERER}` };
    expect((await ask(`${server.url}/api/v1/campaigns`, { headers })).status).toBe(401);
    writeFileSync(keyFile, OURS);
  });

  test.each([
    ['a name that is not ASCII', keyFileOf(['réné', 'read', READER]), 0o600, 'a name has letters'],
    [
      'an unknown role',
      OURS.replace('role: read', `role: ${READER}`),
      0o600,
      'the role is read, steer, develop or executor',
    ],
    ['the key in place of its hash', `users: {rita: {keys: [{sha256: ${READER}}]}}`, 0o600, 'never the key'],
    ['a line with a key, which is not YAML', `rita read ${READER}`, 0o600, 'The key file is wrong here'],
    ['no keys', '# none', 0o600, 'has no key of a user'],
    ['keys of executors only', keyFileOf(['node', 'executor', READER]), 0o600, 'has no key of a user'],
    ['a file that other users may read', OURS, 0o644, 'Other users have access'],
  ])('is refused with %s, and the error contains no key', (_what, text, mode, message) => {
    const file = join(folder, 'other-keys');
    writeFileSync(file, text);
    chmodSync(file, mode);
    const open = () => new KeysOfFile(file, () => {});
    expect(open).toThrow(expect.objectContaining({ code: 'KEYS_INVALID' }));
    expect(open).toThrow(message);
    expect(open).not.toThrow(/0123456789/);
  });
});

test('an error answer contains no secret', async () => {
  const headers = { authorization: `Bearer ${STEERER}` };
  for (const path of ['/models', '/campaigns/x', '/models/x']) {
    const { body, headers: answered } = await ask(`${server.url}/api/v1${path}`, { headers });
    expect(answered['content-type']).toMatch(/^application\/problem\+json/);
    expect(JSON.parse(body)).toMatchObject({ type: expect.stringMatching(/^\/errors\/[A-Z_]+$/) });
    expect(body).not.toMatch(/secret-of-the-service|steerer-/);
  }
});
