import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { keyFileOf } from '../../test/support/key-file.ts';
import { MAIN } from '../model-service.ts';
import { Process } from '../process.ts';
import { documentOf, isMet, type Part, textOf } from '../report.ts';
import type { Attack, Seen } from './attack.ts';

const [READER, OTHER] = ['reader-of-the-bench-0123', 'other-of-the-bench-0123'];
const [SLOW, STREAMS, LOGINS, LARGE] = [1_000, 300, 1_000, 64_000_000];
/** The goal of the ratio of times. */
const MOST = 2;
/** The pause between two requests of the person that is measured, ms. */
const PAUSE = 5;

/** A server, the page of a person, and the attack of somebody else. */
interface Case {
  name: string;
  origin: string;
  page: { path: string; headers: Record<string, string> };
  attack: Omit<Attack, 'origin' | 'seconds'>;
  process: Process;
  /** A line of the log that tells of each kind of refusal. */
  told: RegExp[];
}

interface Row {
  what: string;
  times: number[];
}

/**
 * Measures how long a person waits for a page of foray's own server, and for an answer of the model service, while
 * somebody else opens 1,000 slow connections and 300 streams, logs in 1,000 times and sends a definition of 64 MB. The
 * usual time and the time beside the crowd are measured in turns, because the machine may be shared.
 */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '7' },
      seconds: { type: 'string', default: '6' },
      json: { type: 'boolean', default: false },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'foray-crowd-'));
  const processes: Process[] = [];
  const own = (options: ConstructorParameters<typeof Process>[0]): Process => {
    const started = new Process(options);
    processes.push(started);
    return started;
  };
  try {
    const cases = [await ownServer(folder, own), await modelService(folder, own)];
    const crowd = own({ name: 'crowd', args: [resolve(import.meta.dirname, 'crowd.ts')] });
    const parts: Part[] = [];
    for (const each of cases)
      parts.push(await measure(each, crowd, Number(values.rounds), Number(values.seconds)));
    console.log(
      values.json
        ? JSON.stringify({ parts: parts.map(documentOf) }, undefined, 2)
        : parts.map(textOf).join('\n'),
    );
    return parts.every(({ goals }) => goals.every(isMet));
  } finally {
    for (const each of processes.toReversed()) await each.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Own = (options: ConstructorParameters<typeof Process>[0]) => Process;

async function ownServer(folder: string, own: Own): Promise<Case> {
  const home = join(folder, 'home');
  const dev = own({ name: 'dev', args: [MAIN, 'dev', '--home', home] });
  await dev.says(/^Page/);
  const keys = join(folder, 'server-keys');
  const text = keyFileOf(['rita', 'read', READER], ['olga', 'steer', OTHER]);
  writeFileSync(keys, text, { mode: 0o600 });
  const server = own({
    name: 'server',
    args: [MAIN, 'server', '--home', home, '--keys', keys, '--port', '0'],
  });
  const [, origin] = await server.says(/^Page\s+(\S+)/);
  const [reader, other] = [READER, OTHER].map((key) => ({ authorization: `Bearer ${key}` }));
  const definition =
    'campaign: slow\nmodel: {name: Rehearsal}\ninputs: {Seconds: 86400}\ndesign: {grid: {Value: [1, 2]}}\n';
  const submitted = await fetch(`${origin}/api/v1/campaigns`, {
    method: 'POST',
    headers: other!,
    body: definition,
  });
  const { id } = (await submitted.json()) as { id: string };
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
  return {
    name: "foray's own server",
    origin: origin!,
    page: { path: `/campaigns/${id}`, headers: { ...other, accept: 'text/html' } },
    attack: {
      slow: { count: SLOW, method: 'POST', path: '/login', headers: form },
      streams: { count: STREAMS, method: 'GET', path: `/api/v1/campaigns/${id}/events`, headers: reader! },
      logins: { count: LOGINS, method: 'POST', path: '/login', headers: form, body: `key=${READER}` },
      large: { count: 1, method: 'POST', path: '/api/v1/plan', headers: reader!, bytes: LARGE },
    },
    process: server,
    told: [/connection without a key was closed/, /open streams/, /TOO_LARGE/, /the oldest login of rita/],
  };
}

async function modelService(folder: string, own: Own): Promise<Case> {
  const keys = join(folder, 'service-keys.yaml');
  const text = keyFileOf(['rita', 'steer', READER], ['olga', 'steer', OTHER]);
  writeFileSync(keys, text, { mode: 0o600 });
  const service = own({
    name: 'service',
    args: [MAIN, 'service', '--port', '0', '--keys', keys, '--data', join(folder, 'data')],
  });
  const [, url] = await service.says(/^Model service\s+(\S+)/);
  const { origin, pathname } = new URL(url!);
  return {
    name: 'the model service',
    origin,
    page: { path: `${pathname}/models`, headers: { authorization: OTHER } },
    attack: {
      slow: { count: SLOW, method: 'POST', path: `${pathname}/models/name/`, headers: {} },
      // the service has no streams; these uploads stay open
      streams: {
        count: STREAMS,
        method: 'POST',
        path: `${pathname}/upload-file`,
        headers: { authorization: READER, expect: '100-continue' },
      },
      logins: {
        count: LOGINS,
        method: 'GET',
        path: `${pathname}/models`,
        headers: { authorization: 'nobody' },
      },
      large: {
        count: 1,
        method: 'POST',
        path: `${pathname}/models/name/`,
        headers: { authorization: READER },
        bytes: LARGE,
      },
    },
    process: service,
    told: [/connection without a key was closed/, /TOO_LARGE/],
  };
}

async function measure(each: Case, crowd: Process, rounds: number, seconds: number): Promise<Part<Row>> {
  const { name, origin, page, attack, process, told } = each;
  const alone: number[] = [];
  const beside: number[] = [];
  const ratios: number[] = [];
  const seen: Seen[] = [];
  await times(origin, page, delay(2_000));
  for (let round = 0; round < rounds; round += 1) {
    const usual = await times(origin, page, delay(1_000 * seconds));
    const attacked = crowd.ask<Seen>({ origin, seconds, ...attack });
    const crowded = await times(origin, page, attacked);
    seen.push(await attacked);
    alone.push(...usual);
    beside.push(...crowded);
    ratios.push(at(crowded, 0.5) / at(usual, 0.5));
  }
  for (const line of told) await process.says(line);
  const count = (of: (one: Seen) => number[]): string => {
    const statuses = Map.groupBy(seen.flatMap(of), (status) => status);
    return [...statuses]
      .map(([status, all]) => `${all.length} × ${status === 0 ? 'closed' : status}`)
      .join(', ');
  };
  return {
    name: 'crowd',
    title: `${name}: ms for an answer, alone and beside ${SLOW} slow connections, ${STREAMS} streams, ${LOGINS} logins and ${LARGE / 1e6} MB, in ${rounds} rounds`,
    rows: [
      { what: 'alone', times: alone },
      { what: 'beside the crowd', times: beside },
    ],
    columns: [
      { title: 'case', of: ({ what }) => what },
      { title: 'answers', of: ({ times }) => times.length },
      { title: 'p50 ms', of: ({ times }) => at(times, 0.5), digits: 1 },
      { title: 'p90 ms', of: ({ times }) => at(times, 0.9), digits: 1 },
      { title: 'p99 ms', of: ({ times }) => at(times, 0.99), digits: 1 },
      { title: 'most ms', of: ({ times }) => at(times, 1), digits: 0 },
    ],
    goals: [
      { what: 'median of the rounds: p50 beside the crowd / p50 alone', figure: at(ratios, 0.5), most: MOST },
    ],
    notes: [
      `slow connections still open: ${seen.map(({ held }) => held).join(', ')}; streams: ${count((one) => one.streams)}; logins: ${count((one) => one.logins)}; large: ${count((one) => one.large)}`,
      `ratios: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}`,
    ],
  };
}

/** The times of a person's requests, one after the other, until something is over; ms. */
async function times(
  origin: string,
  { path, headers }: Case['page'],
  until: Promise<unknown>,
): Promise<number[]> {
  // a person who comes needs a new connection
  const agent = new Agent({ keepAlive: false });
  const found: number[] = [];
  let isOver = false;
  void until.finally(() => (isOver = true));
  while (!isOver) {
    const from = performance.now();
    const sent = request(origin + path, { headers, agent });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    if (answer.statusCode !== 200) throw new Error(`${path} answers ${answer.statusCode}`);
    answer.resume();
    await once(answer, 'end');
    found.push(performance.now() - from);
    await delay(PAUSE);
  }
  agent.destroy();
  return found;
}

function at(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}
