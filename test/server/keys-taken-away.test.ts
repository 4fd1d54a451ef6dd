import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fastify from 'fastify';
import { Foray } from '../../src/client/index.ts';
import { KeyChecks } from '../../src/http/key-checks.ts';
import { type Server, startServer } from '../../src/server/app.ts';
import { revokeKeys } from '../../src/keys/edit.ts';
import { KeysOfFile } from '../../src/server/keys.ts';
import { type RunningService, startService } from '../../src/service/service.ts';
import { RemoteSession, startAnimation } from '../service/animations.ts';
import { REHEARSAL } from '../service/fixed.ts';
import { clientOf } from '../service/support.ts';
import { keyFileOf } from '../support/key-file.ts';
import { until } from '../support/until.ts';
import { ask } from './support.ts';
import { withoutServers } from '../support/without-servers.ts';

const LEAVER = 'leaver-0123456789';
const STAYER = 'stayer-0123456789';
const OTHER = 'others-0123456789';
/** The promise, ms. */
const ENDS_WITHIN = 10_000;
/** A time without parts of a millisecond. */
const WHOLE = new Date('2026-01-02T03:04:05Z');
/** How long a test waits for an end that does not come, s. */
const PATIENCE = 20;

const folder = mkdtempSync(join(tmpdir(), 'foray-keys-taken-'));
/** The text of a file with these keys. */
const text = (...keys: string[]): string =>
  keyFileOf(...keys.map((key): [string, 'steer', string] => [key.slice(0, 6), 'steer', key]));

/** Sends a request whose body does not end. Resolves when the server has taken the request. */
async function lasting(url: string, method: string, headers: Record<string, string>) {
  const sent = request(url, { method, headers: { ...headers, expect: '100-continue' }, agent: false });
  const state = { ended: false, close: () => void sent.destroy() };
  sent.on('error', () => undefined).once('close', () => (state.ended = true));
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.write('the beginning of a body');
  return state;
}

/** What the test knows about a server and its key file. */
interface Kind {
  file: string;
  url: () => string;
  headers: (key: string) => Record<string, string>;
  /** An address that takes a body from every user. */
  takes: () => string;
  /** Permissions that give too much. */
  open: number;
}
let foray: Foray;
let server: Server;
let service: RunningService;
const faults: string[] = [];
const kinds: Record<string, Kind> = {
  "foray's own server": {
    file: join(folder, 'server', 'keys'),
    url: () => `${server.url}/api/v1/campaigns`,
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    takes: () => `${server.url}/api/v1/plan`,
    open: 0o644,
  },
  'the model service': {
    file: join(folder, 'service', 'keys'),
    url: () => `${service.url}/models`,
    headers: (key) => ({ authorization: key }),
    takes: () => `${service.url}/upload-file`,
    open: 0o666,
  },
};

/** Writes a file as it is for a user who keeps the rules. */
function write(file: string, text: string): void {
  writeFileSync(file, text);
  chmodSync(file, 0o600);
}

beforeAll(async () => {
  for (const { file } of Object.values(kinds)) {
    mkdirSync(join(file, '..'));
    write(file, text(LEAVER, STAYER));
  }
  const settings = withoutServers(`sqlite:${join(folder, 'store.db')}`);
  foray = await Foray.open(settings);
  const keys = new KeysOfFile(kinds["foray's own server"]!.file, (line) => faults.push(line));
  server = await startServer({ foray, settings, keys });
  service = await startService({
    dataDir: join(folder, 'data'),
    modelDirs: [REHEARSAL],
    executors: 1,
    apiKey: undefined,
    keyFile: kinds['the model service']!.file,
  });
});
afterAll(async () => {
  await service.close();
  await server.close();
  await foray.close();
  rmSync(folder, { recursive: true });
});

const aside = (file: string): string => `${file}-aside`;
const replace = (file: string, text: string): void => {
  write(aside(file), text);
  renameSync(aside(file), file);
};

/** Ways to take the key of the leaver away. With `true`, the key of the stayer must go on to give access. */
const ways: [what: string, stays: boolean, take: (kind: Kind) => void | Promise<unknown>][] = [
  ['is removed in place', true, ({ file }) => write(file, text(STAYER))],
  ['is removed by a rename', true, ({ file }) => replace(file, text(STAYER))],
  [
    'is replaced in place by a key of the same length, with the same times',
    true,
    ({ file }) => {
      const { atime, mtime } = statSync(file);
      writeFileSync(file, text(OTHER, STAYER));
      utimesSync(file, atime, mtime);
    },
  ],
  [
    'is replaced by a rename, with the same size and times',
    true,
    ({ file }) => {
      const { atime, mtime } = statSync(file);
      write(aside(file), text(OTHER, STAYER));
      utimesSync(aside(file), atime, mtime);
      renameSync(aside(file), file);
    },
  ],
  [
    'is removed by the second of two writes in one moment',
    true,
    ({ file }) => {
      write(file, text(LEAVER, STAYER, OTHER));
      write(file, text(OTHER, STAYER));
    },
  ],
  ['is in a comment', true, ({ file }) => write(file, text(STAYER) + text(LEAVER).replaceAll(/^/gm, '# '))],
  ['is removed while another line is wrong', true, ({ file }) => write(file, `${text(STAYER)}nonsense ][\n`)],
  ['is cut short', true, ({ file }) => write(file, text(LEAVER.slice(0, 8), STAYER))],
  ['is in another file, to which a link leads no longer', true, linked],
  [
    'gets the role of an executor',
    true,
    ({ file }) => write(file, keyFileOf(['leaver', 'executor', LEAVER], ['stayer', 'steer', STAYER])),
  ],
  ['is revoked by a command', true, ({ file }) => revokeKeys(file, 'leaver')],
  [
    'is removed together with its user, by a rename of the user',
    true,
    ({ file }) => replace(file, keyFileOf(['leaver', 'steer', OTHER], ['stayer', 'steer', STAYER])),
  ],
  ['is in a file that is deleted', false, ({ file }) => rmSync(file)],
  ['is in a file that is emptied', false, ({ file }) => truncateSync(file)],
  ['is in a file that is renamed', false, ({ file }) => renameSync(file, aside(file))],
  [
    'is in a file whose folder is renamed',
    false,
    ({ file }) => renameSync(join(file, '..'), `${folder}/away`),
  ],
  ['is in a file that is too open', false, ({ file, open }) => chmodSync(file, open)],
  ['is in a file that its owner may not read', false, ({ file }) => chmodSync(file, 0)],
  [
    'is removed, and the new file is too open',
    false,
    ({ file, open }) => {
      write(file, text(STAYER));
      chmodSync(file, open);
    },
  ],
  [
    'is in a file that becomes a folder',
    false,
    ({ file }) => {
      rmSync(file);
      mkdirSync(file);
    },
  ],
  [
    'is in a file that becomes a link to nothing',
    false,
    ({ file }) => {
      rmSync(file);
      symlinkSync(join(folder, 'nothing'), file);
    },
  ],
  [
    'is in a file that becomes a link to itself',
    false,
    ({ file }) => {
      rmSync(file);
      symlinkSync(file, file);
    },
  ],
  [
    'is in a file that becomes a pipe',
    false,
    ({ file }) => {
      rmSync(file);
      execFileSync('mkfifo', ['-m', '600', file]);
    },
  ],
  [
    'is in a file that becomes nonsense',
    false,
    ({ file }) => writeFileSync(file, Buffer.from([0xff, 0xfe, 0, 1, 2, 10, 0x80])),
  ],
  ['is in a file that becomes very large', false, ({ file }) => truncateSync(file, 2 ** 33)],
];

function linked({ file }: Kind): void {
  write(aside(file), text(LEAVER, STAYER));
  rmSync(file);
  symlinkSync(aside(file), file);
  write(`${file}-2`, text(STAYER));
  rmSync(file);
  symlinkSync(`${file}-2`, file);
}

const isServer = (kind: Kind): boolean => kind === kinds["foray's own server"];

/** Logs in at foray's own server. Returns the cookie. */
async function logIn(key: string): Promise<string> {
  const answer = await ask(`${server.url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: `key=${key}`,
  });
  return String(answer.headers['set-cookie']).split(';', 1)[0]!;
}

/** Writes the file of a kind with both keys, and waits until they give access. */
async function restore({ file, url, headers }: Kind): Promise<void> {
  rmSync(join(file, '..'), { recursive: true, force: true });
  rmSync(`${folder}/away`, { recursive: true, force: true });
  mkdirSync(join(file, '..'));
  write(file, text(LEAVER, STAYER));
  // a way can then restore this time exactly
  utimesSync(file, WHOLE, WHOLE);
  for (const key of [LEAVER, STAYER])
    await until(
      'the key gives access',
      async () => (await ask(url(), { headers: headers(key) })).status === 200,
    );
}

describe.each(Object.entries(kinds))('%s: access ends within 10 s if a key', (_name, kind) => {
  const status = async (key: string): Promise<number> =>
    (await ask(kind.url(), { headers: kind.headers(key) })).status;
  const statusOfPage = async (cookie: string): Promise<number> =>
    (await ask(kind.url(), { headers: { cookie } })).status;

  test.each(ways)('%s', async (_what, stays, take) => {
    await restore(kind);
    const cookies = isServer(kind) ? [await logIn(LEAVER), await logIn(STAYER)] : [];
    const pages = () => Promise.all(cookies.map(statusOfPage));
    expect(await pages()).toEqual(cookies.map(() => 200));
    const lastingOf = (key: string) => lasting(kind.takes(), 'POST', kind.headers(key));
    const [own, other] = [await lastingOf(LEAVER), await lastingOf(STAYER)];
    const began = performance.now();
    await take(kind);
    await until('the key gives no access', async () => (await status(LEAVER)) === 401, PATIENCE);
    const others = stays ? 200 : 401;
    expect(await pages()).toEqual(cookies.map((_, at) => (at === 0 ? 401 : others)));
    await until('the open request of the key has ended', () => own.ended, PATIENCE);
    expect(performance.now() - began).toBeLessThan(ENDS_WITHIN);
    expect(await status(STAYER)).toBe(others);
    if (stays) expect(other.ended).toBe(false);
    other.close();
  });
});

test('a key that may only read from now on neither steers nor ends what it steers already, but it reads', async () => {
  const kind = kinds["foray's own server"]!;
  await restore(kind);
  const steer = async () =>
    (await ask(`${kind.url()}/none`, { method: 'DELETE', headers: kind.headers(LEAVER) })).status;
  expect(await steer()).toBe(404);
  const plan = await lasting(kind.takes(), 'POST', kind.headers(LEAVER));
  const change = await lasting(`${kind.url()}/other`, 'PUT', kind.headers(LEAVER));
  write(kind.file, keyFileOf(['leaver', 'read', LEAVER], ['stayer', 'steer', STAYER]));
  await until('the key steers no more', async () => (await steer()) === 403);
  await until('the change that it has begun has ended', () => change.ended);
  expect((await ask(kind.url(), { headers: kind.headers(LEAVER) })).status).toBe(200);
  expect(plan.ended).toBe(false);
  plan.close();
});

test.each<[string, string]>([
  ['its key is removed', text(STAYER)],
  [
    'its key becomes that of an executor',
    keyFileOf(['leaver', 'executor', LEAVER], ['stayer', 'steer', STAYER]),
  ],
])('an animated run, whose address needs no key, ends when %s', async (_what, after) => {
  const kind = kinds['the model service']!;
  await restore(kind);
  const client = clientOf(service.url);
  const as = kind.headers(LEAVER);
  const of = {
    get: <T>(path: string) => client.get<T>(path, { Authorization: as['authorization']! }),
    post: <T>(path: string, body: unknown) =>
      client.post<T>(path, body, { Authorization: as['authorization']! }),
  };
  const { body: model } = await of.post<{ modelVersions: string[] }>('/models/name/', 'Rehearsal');
  const { body: info } = await startAnimation(of, model.modelVersions.at(-1)!, { Seconds: 600 });
  const session = new RemoteSession({ running: service }, info);
  expect((await session.raw('/frame')).status).toBe(200);
  write(kind.file, after);
  await until('the picture is away', async () => (await session.raw('/frame')).status === 404);
  for (const path of ['/', '/get-state']) expect((await session.raw(path)).status).toBe(404);
});

test('the server says why no key gives access', () => {
  expect(faults).toContainEqual(
    expect.stringMatching(/^No key gives access now\. The key file .* is not there/),
  );
  expect(faults).toContainEqual(expect.stringMatching(/^Only keys that were valid before give access now\./));
  expect(faults).toContainEqual(expect.stringMatching(/Other users have access to the key file .*chmod 600/));
  expect(faults.join('\n')).not.toMatch(/-0123456789/);
});

/** Sends a request without a body. Resolves at the beginning of the answer, whose body is read. */
async function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage];
  return answer.resume();
}

test('an answer that is still open ends when its key is removed, also after others on its connection', async () => {
  let isKnown = true;
  const app = fastify();
  const checks = new KeyChecks(app);
  app.get('/ends', (_request, reply) => {
    checks.watch(reply.raw, () => true);
    return 'the whole';
  });
  app.get('/stays', (_request, reply) => {
    checks.watch(reply.raw, () => isKnown);
    reply.raw.write('the beginning');
    return reply.hijack();
  });
  await app.listen();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const answerOf = (path: string): Promise<IncomingMessage> =>
    answerTo(request({ port: (app.server.address() as AddressInfo).port, path, agent }));
  const connections = new Set<Socket>();
  for (const path of ['/ends', '/ends']) {
    const answer = await answerOf(path);
    connections.add(answer.socket);
    await once(answer, 'end');
  }
  const answer = await answerOf('/stays');
  expect([...connections]).toEqual([answer.socket]);
  const ended = new Promise((resolve) => answer.on('error', () => undefined).once('close', resolve));
  isKnown = false;
  await ended;
  await app.close();
});

test('a connection on which several keys arrive has the rights of each key', async () => {
  const kind = kinds['the model service']!;
  await restore(kind);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const connections = new Set<Socket>();
  const statusOf = async (authorization: string): Promise<number | undefined> => {
    const answer = await answerTo(request(kind.url(), { headers: { authorization }, agent }));
    connections.add(answer.socket);
    await once(answer, 'end');
    return answer.statusCode;
  };
  const statuses = [];
  for (const key of [STAYER, OTHER, OTHER, STAYER, `Bearer ${STAYER}`, 'Bearer ', LEAVER])
    statuses.push(await statusOf(key));
  expect(statuses).toEqual([200, 401, 401, 200, 200, 401, 200]);
  write(kind.file, text(STAYER));
  await until('the key gives no access', async () => (await statusOf(LEAVER)) === 401);
  expect(await statusOf(STAYER)).toBe(200);
  expect(connections.size).toBe(1);
  agent.destroy();
});
