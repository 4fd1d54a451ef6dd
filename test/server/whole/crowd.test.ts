import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Server, startServer } from '../../../src/server/app.ts';
import { KeysOfFile } from '../../../src/server/keys.ts';
import { seeded } from '../../support/durations.ts';
import { keyFileOf } from '../../support/key-file.ts';
import { report, seeds } from '../../support/seeds.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';
import { ask } from '../support.ts';

const READER = 'reader-0123456789';
const OTHER = 'others-0123456789';
/** More than the server keeps: 256 connections without a key, and 20 streams and 50 log-ins of a key. */
const SOCKETS = 400;
const STREAMS = 50;
const LOGINS = 100;
const PLAN = 64_000_000;
/** How many pages the other person reads meanwhile, at least. */
const PAGES = 10;

let world: World;
let server: Server;
let logged = '';
const open = new Set<net.Socket>();
const log = new PassThrough();
log.on('data', (text: Buffer) => (logged += text.toString()));

beforeAll(async () => {
  world = await startWorld();
  await world.startWorker();
  const keys = join(world.folder, 'keys');
  writeFileSync(keys, keyFileOf(['rita', 'read', READER], ['olga', 'steer', OTHER]), { mode: 0o600 });
  const { foray, settings } = world;
  server = await startServer({ foray, settings, keys: new KeysOfFile(keys, () => undefined), log });
  const text =
    'campaign: slow\nmodel: {name: Rehearsal}\ninputs: {Seconds: 600}\ndesign: {grid: {Value: [1]}}\n';
  await foray.submit({ text, file: 'campaign.yaml' }, { id: 'slow' });
});
afterAll(async () => {
  for (const socket of open) socket.destroy();
  await world.foray.cancel('slow');
  await server.close();
  await world.close();
});

const headers = { authorization: `Bearer ${READER}` };

/** Ways to begin a request that never ends, without a key. */
const BEGINNINGS = [
  'POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 1000\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\nk',
  'POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nke',
  'POST /api/v1/plan HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\ncampaign:',
  'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nCook',
  '',
];

/** Opens a connection that sends the beginning of a request. */
function slowSocket(beginning: string): void {
  const socket = net.connect(server.port, '127.0.0.1');
  socket
    .resume()
    .on('error', () => undefined)
    .once('close', () => open.delete(socket));
  open.add(socket);
  socket.write(beginning);
}

/** Opens a stream of events. Resolves to its status; the stream stays open. */
async function stream(agent: Agent): Promise<number> {
  const sent = request(`${server.url}/api/v1/campaigns/slow/events`, { headers, agent });
  sent.on('error', () => undefined).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.on('error', () => undefined).resume();
  return answer.statusCode!;
}

/** Sends a plan that is too large. The server may close the connection before it has all. */
async function tooLargePlan(): Promise<number | undefined> {
  const sent = request(`${server.url}/api/v1/plan`, { method: 'POST', headers });
  sent.on('error', () => undefined);
  sent.end(Buffer.alloc(PLAN, '- a: &a [1, 2]\n'));
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  return answered.then(
    ([answer]) => answer.resume().statusCode,
    () => undefined,
  );
}

const page = async (cookie: string) =>
  (await ask(`${server.url}/campaigns/slow`, { headers: { cookie, accept: 'text/html' } })).status;

test.each(seeds(1, 6))(
  `${SOCKETS} slow sockets, ${STREAMS} streams, at least ${LOGINS} log-ins and a plan of 64 MB by one reader neither end the server nor log anybody out, and the log says what was refused (seed %i)`,
  async (seed) => {
    const random = seeded(seed);
    let [isOver, answered] = [false, 0];
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
    const login = async (key: string): Promise<string> => {
      const answer = await ask(`${server.url}/login`, { method: 'POST', headers: form, body: `key=${key}` });
      return String(answer.headers['set-cookie']).split(';', 1)[0]!;
    };
    const cookie = await login(OTHER);
    const readers = await login(READER);
    expect([await page(cookie), await page(readers)]).toEqual([200, 200]);

    const agent = new Agent({ keepAlive: false });
    const logins = async (): Promise<void> => {
      for (let at = 0; at < LOGINS || answered < PAGES; at += 1) await login(READER);
    };
    let streams: number[] = [];
    const parts: [name: string, begin: () => Promise<unknown>][] = [
      [
        'sockets',
        () => {
          for (let at = 0; at < SOCKETS; at += 1)
            slowSocket(BEGINNINGS[Math.floor(random() * BEGINNINGS.length)]!);
          return Promise.resolve();
        },
      ],
      [
        'streams',
        async () => {
          streams = await Promise.all(Array.from({ length: STREAMS }, () => stream(agent)));
        },
      ],
      ['log-ins', logins],
      ['plan', async () => expect([413, undefined]).toContain(await tooLargePlan())],
    ];
    const order = parts.map((part) => ({ part, at: random() })).sort((one, other) => one.at - other.at);
    const all = Promise.all(order.map(({ part: [, begin] }) => begin())).finally(() => (isOver = true));
    while (!isOver) {
      expect(await page(cookie)).toBe(200);
      answered += 1;
    }
    await all;
    expect(streams.filter((status) => status === 200)).toHaveLength(20);
    expect(streams.filter((status) => status === 429)).toHaveLength(STREAMS - 20);
    expect(await page(cookie)).toBe(200);
    // only the log-ins of the same key end
    expect(await page(readers)).toBe(303);
    await until('most slow sockets are closed', () => open.size <= 256);
    for (const what of [
      /a request of rita was refused \(TOO_MANY\): One key may have at most 20 open streams/,
      /a request of rita was refused \(TOO_LARGE\)/,
      /a connection without a key was closed: there are more than \d+/,
      /the oldest login of rita ended/,
    ])
      expect(logged).toMatch(what);
    expect(logged).not.toMatch(/-0123456789/);
    const names = order.map(({ part: [name] }) => name).join(', ');
    report(`crowd: seed ${seed} (${names}): ${answered} pages for another person meanwhile`);
    // the next seed begins with an empty server
    for (const socket of open) socket.destroy();
    agent.destroy();
  },
);

test('a definition that takes too long to read is refused, and others plan and look meanwhile', async () => {
  const plan = (body: string, key: string) =>
    ask(`${server.url}/api/v1/plan`, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body });
  const text = 'campaign: a\nmodel: {name: Rehearsal}\ndesign: {grid: {Value: [1, 2]}}\n';
  const long = await plan(`${text}# ${'x'.repeat(1_000_000)}`, READER);
  expect([long.status, long.body]).toEqual([413, expect.stringContaining('1,000,000 characters')]);
  // mappings within mappings are what the reader of YAML is slowest at
  const hard = plan(`${text}inputs: ${'{a: '.repeat(50_000)}`, READER);
  const other = await plan(text, OTHER);
  expect([other.status, JSON.parse(other.body)]).toEqual([200, expect.objectContaining({ points: 2 })]);
  expect([413, 422]).toContain((await hard).status);
});
