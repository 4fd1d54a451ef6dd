import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type Server, startServer } from '../../src/server/app.ts';
import { KeysOfFile } from '../../src/server/keys.ts';
import { KEY, startWorld, type World } from '../support/world.ts';
import { keyFileOf } from '../support/key-file.ts';
import { until } from '../support/until.ts';
import { ask } from './support.ts';

/** Answers and requests that are open when the key of their user is taken away, or when their client goes. */

const LEAVER = 'leaver-0123456789';
const STAYER = 'stayer-0123456789';
/** The promise, ms. */
const ENDS_WITHIN = 10_000;

const folder = mkdtempSync(join(tmpdir(), 'foray-open-answers-'));
const files = { server: join(folder, 'server-keys'), service: join(folder, 'service-keys') };
let world: World;
let server: Server;

/** The text of a key file with these keys, and that of the world. */
const textOf = (keys: string[], role: 'steer' | 'read' = 'steer'): string =>
  keyFileOf(['somebody', 'steer', KEY], ...keys.map((key): Key => [key.slice(0, 6), role, key]));
type Key = [string, 'steer' | 'read', string];
const which = ['server', 'service'] as const;

function writeAll(keys: string[]): void {
  for (const name of which) {
    rmSync(files[name], { recursive: true, force: true });
    writeFileSync(files[name], textOf(keys), { mode: 0o600 });
  }
}

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  writeAll([LEAVER, STAYER]);
  world = await startWorld({ service: { apiKey: undefined, keyFile: files.service } });
  await world.startWorker();
  const { foray, settings } = world;
  server = await startServer({ foray, settings, keys: new KeysOfFile(files.server, () => undefined) });
  const text =
    'campaign: slow\nmodel: {name: Rehearsal}\ninputs: {Seconds: 600}\ndesign: {grid: {Value: [1]}}\n';
  await foray.submit({ text, file: 'campaign.yaml' }, { id: 'slow' });
});
afterAll(async () => {
  writeAll([]);
  await world.foray.cancel('slow');
  await server.close();
  await world.close();
  rmSync(folder, { recursive: true });
});

/** An open exchange with a server. */
interface Open {
  isOpen: boolean;
  end(): void;
}

function watched(sent: ClientRequest): Open {
  const open: Open = { isOpen: true, end: () => sent.destroy() };
  sent.on('error', () => undefined).once('close', () => (open.isOpen = false));
  return open;
}

const events = (headers: Record<string, string>) => async (): Promise<Open> => {
  const sent = request(`${server.url}/api/v1/campaigns/slow/events`, { headers, agent: new Agent() });
  const open = watched(sent);
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  answer.on('error', () => undefined).resume();
  return open;
};

/** Logs in with a key. Returns the cookie. */
async function logIn(key: string): Promise<string> {
  const { headers } = await ask(`${server.url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: `key=${key}`,
  });
  return String(headers['set-cookie']).split(';', 1)[0]!;
}

/** Ways to have something open with a key. */
const kinds: Record<string, (key: string) => Promise<Open>> = {
  'events of a campaign, with a key': (key) => events({ authorization: `Bearer ${key}` })(),
  'events of a campaign, with a login': async (key) => events({ cookie: await logIn(key) })(),
  'a plan that has not arrived completely': (key) =>
    Promise.resolve(begun(`${server.url}/api/v1/plan`, `Bearer ${key}`)),
  'an upload to the model service': (key) => Promise.resolve(begun(`${world.service.url}/upload-file`, key)),
};

/** A request whose body has begun. */
function begun(url: string, authorization: string): Open {
  const sent = request(url, { method: 'POST', headers: { authorization }, agent: new Agent() });
  sent.write('x'.repeat(30_000));
  return watched(sent);
}

/** Ways to take the key of the leaver away. With `true`, the stayer keeps access. */
const ways: [what: string, stays: boolean, take: (name: 'server' | 'service') => void][] = [
  [
    'its line is removed',
    true,
    (name) => {
      writeFileSync(`${files[name]}-new`, textOf([STAYER]), { mode: 0o600 });
      renameSync(`${files[name]}-new`, files[name]);
    },
  ],
  ['its file is emptied', false, (name) => truncateSync(files[name])],
  ['its file is deleted', false, (name) => rmSync(files[name])],
  ['its file cannot be read', false, (name) => chmodSync(files[name], 0)],
  ['its file is too open', false, (name) => chmodSync(files[name], 0o666)],
];

describe.each(ways)('within 10 s after a key is taken away because %s', (_what, stays, take) => {
  test('all that is open with it ends, and what others have open goes on', async () => {
    writeAll([LEAVER, STAYER]);
    const known = async (): Promise<boolean> =>
      (await ask(`${server.url}/api/v1/campaigns`, { headers: { authorization: `Bearer ${LEAVER}` } }))
        .status === 200 &&
      (await ask(`${world.service.url}/models`, { headers: { authorization: LEAVER } })).status === 200;
    await until('the key gives access', known);
    const names = Object.keys(kinds);
    const leavers = await Promise.all(names.map((name) => kinds[name]!(LEAVER)));
    const stayers = await Promise.all(names.map((name) => kinds[name]!(STAYER)));
    const began = performance.now();
    for (const name of which) take(name);
    await until('all has ended', () => leavers.every(({ isOpen }) => !isOpen));
    expect(performance.now() - began).toBeLessThan(ENDS_WITHIN);
    const open = names.filter((_name, at) => stayers[at]!.isOpen);
    if (stays) expect(open).toEqual(names);
    for (const stayer of stayers) stayer.end();
  });
});

test('a key whose role is lowered may no longer steer, and still read', async () => {
  writeAll([LEAVER, STAYER]);
  const headers = { authorization: `Bearer ${LEAVER}` };
  const pause = async () =>
    (await ask(`${server.url}/api/v1/campaigns/none/pause`, { method: 'POST', headers })).status;
  await until('the key may steer', async () => (await pause()) === 404);
  writeFileSync(files.server, textOf([LEAVER, STAYER], 'read'));
  await until('the key may not steer', async () => (await pause()) === 403);
  expect((await ask(`${server.url}/api/v1/campaigns`, { headers })).status).toBe(200);
});

test('a logout ends what is open with this login, and what other logins of the same key have open goes on', async () => {
  writeAll([LEAVER, STAYER]);
  let cookies: string[] = [];
  await until('the key gives access', async () => {
    cookies = await Promise.all([logIn(LEAVER), logIn(LEAVER)]);
    return cookies.every((cookie) => cookie.startsWith('foray-'));
  });
  const [own, other] = await Promise.all(cookies.map((cookie) => events({ cookie })()));
  const headers = { cookie: cookies[0]!, 'sec-fetch-site': 'same-origin' };
  expect((await ask(`${server.url}/logout`, { method: 'POST', headers })).status).toBe(303);
  await until('the stream of the login has ended', () => !own!.isOpen);
  expect(other!.isOpen).toBe(true);
  other!.end();
});

describe('a reader of a campaign that has gone', () => {
  afterEach(() => void jest.restoreAllMocks());

  /** The end of each reading of results that has begun. */
  const readings = (): (AbortSignal | undefined)[] => {
    const signals: (AbortSignal | undefined)[] = [];
    const results = world.foray.results.bind(world.foray);
    jest.spyOn(world.foray, 'results').mockImplementation((id, options) => {
      signals.push(options?.signal);
      return results(id, options);
    });
    return signals;
  };

  test.each(['events?runs=true', 'results.jsonl?follow=true'])(
    'is no longer served by %s, though no run finishes',
    async (path) => {
      const signals = readings();
      const sent = request(`${server.url}/api/v1/campaigns/slow/${path}`, {
        headers: { authorization: `Bearer ${KEY}` },
        agent: new Agent(),
      });
      sent.on('error', () => undefined).end();
      await until('the server follows the campaign', () => signals.length === 1);
      expect(signals[0]!.aborted).toBe(false);
      sent.destroy();
      await until('the reading ends', () => signals[0]!.aborted);
    },
  );
});
