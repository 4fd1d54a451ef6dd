import { setTimeout as delay } from 'node:timers/promises';
import { ForayWay, MAIN } from '../campaign/foray.ts';
import { openLab, progress } from '../campaign/lab.ts';
import type { Measured } from '../campaign/measure.ts';
import type { Part } from '../report.ts';
import { usageOf } from '../usage.ts';

const VIEWERS = 20;
const RUNS = 5_000;
const EXECUTORS = 50;
/**
 * The two cases (with and without viewers) take turns. Other work on the machine can only make a round slower, so the
 * fastest round of each case counts.
 */
const ROUNDS = 3;
const KEY = crypto.randomUUID();
const headers = { authorization: `Bearer ${KEY}` };

interface Row extends Measured {
  /** CPU time of foray's server, % of a core. */
  serving: number;
  /** 99 % of the requests to the API for the campaign's status take at most this time, ms. 0 without viewers. */
  p99: number;
}

/** Measures a campaign of runs that take no time, without viewers and with twenty viewers of the campaign's page. */
export async function viewers(): Promise<Part<Row>> {
  const lab = await openLab();
  try {
    const way = await ForayWay.start(lab);
    const server = lab.start({
      name: 'foray server',
      args: [MAIN, 'server', '--port', '0'],
      env: { ...way.env, FORAY_KEY: KEY },
    });
    const [, url] = await server.says(/^API\s+(\S+)\/api\/v1/);
    const round = async (count: number): Promise<Row> => {
      progress(`viewers: ${RUNS} runs with ${count} viewers`);
      await lab.stub.reset({ executors: EXECUTORS });
      const end = new AbortController();
      const times: number[] = [];
      const [used, from] = [usageOf(server.pid).cpuMs, performance.now()];
      let looking: Promise<unknown> | undefined;
      const during = (id: string): Promise<void> => {
        const looks = Array.from({ length: count }, () => look(url!, id, end.signal));
        // `run` waits for the returned promise, but the viewers look until `run` has ended
        looking = Promise.all(count === 0 ? [] : [...looks, askApi(url!, id, end.signal, times)]);
        // its error is thrown after the run
        looking.catch(() => undefined);
        return Promise.resolve();
      };
      const measured = await way.run({ values: RUNS }, { way: `${count} viewers`, during });
      end.abort();
      await looking;
      const serving = (100 * (usageOf(server.pid).cpuMs - used)) / (performance.now() - from);
      return { ...measured, serving, p99: times.sort((a, b) => a - b)[Math.floor(0.99 * times.length)] ?? 0 };
    };
    // the first round also loads code
    await round(0);
    const rounds: { alone: Row; watched: Row }[] = [];
    for (let n = 0; n < ROUNDS; n += 1) rounds.push({ alone: await round(0), watched: await round(VIEWERS) });
    await way.close();
    const alone = fastest(rounds.map((row) => row.alone));
    const watched = fastest(rounds.map((row) => row.watched));
    return {
      name: 'viewers',
      title: `viewers: ${RUNS} runs that take no time, on SQLite`,
      rows: [alone, watched],
      columns: [
        { title: 'way', of: (row) => row.way },
        { title: 'runs/s', of: (row) => row.runs / row.seconds, digits: 0 },
        { title: "worker's CPU, ms a run", of: (row) => row.cpuMs, digits: 3 },
        { title: "server's CPU, %", of: (row) => row.serving, digits: 1 },
        { title: 'p99 of the API, ms', of: (row) => row.p99, digits: 0 },
      ],
      goals: [
        {
          what: 'throughput with 20 viewers / throughput without viewers',
          figure: alone.seconds / watched.seconds,
          least: 0.97,
        },
        {
          what: "worker's CPU a run with 20 viewers / without viewers",
          figure: watched.cpuMs / alone.cpuMs,
          most: 1.03,
        },
        { what: 'p99 of a request to the API, ms', figure: watched.p99, most: 100 },
      ],
      notes: [`Each row is the fastest of ${ROUNDS} rounds. The two cases take turns.`],
    };
  } finally {
    await lab.close();
  }
}

function fastest(rounds: Row[]): Row {
  return rounds.reduce((best, row) => (row.seconds < best.seconds ? row : best));
}

/** Sends the requests of a page's script until `end` is aborted. */
async function look(url: string, id: string, end: AbortSignal): Promise<void> {
  const page = `${url}/campaigns/${id}/live`;
  const shown = new Map<string, string>();
  let etag = '';
  let next = 1_000;
  // the viewers must not all send requests at the same moment
  await delay(1_000 * Math.random());
  while (!end.aborted) {
    const answer = await fetch(`${page}?have=${[...shown.values()].join()}`, {
      headers: { ...headers, 'if-none-match': etag },
    });
    if (answer.status === 200) {
      const told = (await answer.json()) as { next: number; parts: { id: string; hash: string }[] };
      etag = answer.headers.get('etag') ?? '';
      next = told.next;
      for (const part of told.parts) shown.set(part.id, part.hash);
    }
    await delay(next, undefined, { signal: end }).catch(() => undefined);
  }
}

/** Requests the status of a campaign from the API repeatedly, like a script that waits for the end of the campaign. */
async function askApi(url: string, id: string, end: AbortSignal, times: number[]): Promise<void> {
  while (!end.aborted) {
    const from = performance.now();
    await (await fetch(`${url}/api/v1/campaigns/${id}`, { headers })).arrayBuffer();
    times.push(performance.now() - from);
    await delay(500, undefined, { signal: end }).catch(() => undefined);
  }
}
