import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { seeded } from '../support/durations.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { MAIN } from '../support/cli.ts';
import { keyFileOf } from '../support/key-file.ts';
import { ownPort } from '../support/own-port.ts';
import { isFull, report, seeds } from '../support/seeds.ts';
import { until } from '../support/until.ts';
import { environmentOf } from '../support/worker.ts';
import { startWorld, type World } from '../support/world.ts';

/** After SIGKILL of foray's own server, campaigns continue, a repeated PUT submits once, and pages answer again. */

const KEY = '0123456789abcdef0123456789abcdef';
const KILLS = isFull ? 40 : 2;
const CAMPAIGNS = 3;
const RUNS = 10;
const AUTHORIZATION = `authorization: Bearer ${KEY}`;

let world: World;
let server: ChildProcess | undefined;
let port = 0;
beforeAll(async () => {
  world = await startWorld();
  await world.startWorker();
  writeFileSync(join(world.folder, 'keys'), keyFileOf(['rita', 'steer', KEY]), { mode: 0o600 });
  port = await ownPort();
  await startServer();
});
afterAll(async () => {
  server?.kill('SIGKILL');
  await world.close();
});

/** Starts `foray server`, always on the same port. */
async function startServer(): Promise<void> {
  const args = ['server', '--port', String(port), '--keys', join(world.folder, 'keys')];
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: environmentOf(world.settings),
    cwd: world.folder,
  });
  server = child;
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await until('the server prints its address', () => {
    if (child.exitCode !== null) throw new Error(said);
    return said.includes(`http://127.0.0.1:${port}/`);
  });
}

async function kill(): Promise<void> {
  const exit = once(server!, 'exit');
  server!.kill('SIGKILL');
  await exit;
}

/** The answer to a request, or undefined if the server does not run. */
async function ask(path: string, method = 'GET', body?: string): Promise<Response | undefined> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/yaml' };
  const init = body === undefined ? { method, headers } : { method, headers, body };
  return fetch(`http://127.0.0.1:${port}${path}`, init).catch(() => undefined);
}

const definitionOf = (first: number, count: number): string => `campaign: killed
model: {name: Rehearsal}
inputs: {Seconds: 0.2}
design: {grid: {Value: {from: ${first}, to: ${first + count - 1}, step: 1}}}
`;

test.each(seeds(1, 1))(
  'each campaign is submitted once and completes although the server is killed several times, seed %i',
  async (seed) => {
    const random = seeded(seed);
    const ids = Array.from({ length: CAMPAIGNS }, (_, at) => `killed-${seed}-${at}`);
    let isOver = false;
    // each client repeats its PUT until it gets an answer
    const clients = ids.map(async (id, at) => {
      await delay(random() * 2_000);
      await until(`${id} is submitted`, async () => {
        const answer = await ask(
          `/api/v1/campaigns/${id}`,
          'PUT',
          definitionOf(1_000 * seed + 100 * at, RUNS),
        );
        // a service that is silent for ten seconds counts as unreachable, and then the server asks to try again
        if (answer?.status === 503) return false;
        if (answer && !answer.ok) throw new Error(`${id}: ${answer.status} ${await answer.text()}`);
        return answer !== undefined;
      });
    });
    const viewer = (async () => {
      while (!isOver) {
        const answer = await ask(`/campaigns/${ids[0]!}/live`);
        if (answer && answer.status >= 500 && answer.status !== 503) throw new Error(await answer.text());
        await delay(250);
      }
    })();
    try {
      for (let kills = 0; kills < KILLS; kills += 1) {
        await delay(random() * 1_500);
        await kill();
        await startServer();
        await until('a page answers', async () => (await ask('/'))?.ok === true);
      }
      await Promise.all(clients);
    } finally {
      isOver = true;
      await viewer;
    }
    for (const id of ids) {
      await toTheEnd(world, id);
      expect([id, (await world.foray.counts(id)).done]).toEqual([id, RUNS]);
    }
    const listed = (await (await ask('/api/v1/campaigns?q=killed'))!.json()) as { id: string }[];
    expect(listed.map(({ id }) => id).sort()).toEqual(ids);
    // no run was executed twice
    expect(Math.max(...world.executions())).toBe(1);
    report(`foray server killed ${KILLS} times: ${CAMPAIGNS} of ${CAMPAIGNS} campaigns are complete`);
  },
);

test('an incomplete request leaves no campaign, and a complete request leaves the whole campaign', async () => {
  const body = definitionOf(90_000, 2);
  const whole = (id: string): string =>
    [
      `PUT /api/v1/campaigns/${id} HTTP/1.1`,
      'host: 127.0.0.1',
      AUTHORIZATION,
      'content-type: application/yaml',
      'connection: close',
      `content-length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n');
  const { length } = whole('cut-full');
  const step = isFull ? 1 : 40;
  for (let cut = 0; cut < length; cut += step) {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.end(whole(`cut-${String(cut).padStart(4, '0')}`).slice(0, cut));
    // waits until the server has closed the connection
    await text(socket);
  }
  const answer = await until('the server does not ask to try again', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write(whole('cut-full'));
    const all = await text(socket);
    return !all.startsWith('HTTP/1.1 503 ') && all;
  });
  expect(answer).toMatch(/^HTTP\/1.1 201 /);
  const listed = (await (await ask('/api/v1/campaigns?q=cut-'))!.json()) as { id: string }[];
  expect(listed.map(({ id }) => id)).toEqual(['cut-full']);
  await toTheEnd(world, 'cut-full');
});
