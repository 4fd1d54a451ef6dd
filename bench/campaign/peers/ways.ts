import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../src/dev/ports.ts';
import { KEY, type Lab } from '../lab.ts';
import type { Measured } from '../measure.ts';
import { ownEnvironment, type Process } from '../../process.ts';
import { raceOnce, Racer } from '../race.ts';
import { version } from '../stub/model.ts';
import type { Peers } from './install.ts';

const LIFELINE = resolve(import.meta.dirname, '../../../src/dev/run-with-parent.ts');
const START_MS = 120_000;

export interface PeerInput {
  runs: number;
  window: number;
  everyMs: number;
}

interface PeerWay {
  way: string;
  run: (input: PeerInput) => Promise<Measured>;
}

/** Alternatives in Python for the same work. */
export function peerWays(lab: Lab, { bin }: Peers): PeerWay[] {
  const python = (way: string, file: string, input: PeerInput, env?: NodeJS.ProcessEnv): Process =>
    lab.start({
      name: way,
      command: join(bin, 'python'),
      args: [
        resolve(import.meta.dirname, file),
        JSON.stringify({ ...input, url: lab.stub.url, key: KEY, version: version.id }),
      ],
      ...(env && { env }),
    });
  const plain = (way: string, file: string): PeerWay => ({
    way,
    run: (input) => raceOnce(new Racer(lab, python(way, file, input), { way, runs: input.runs })),
  });
  const prefect = async (input: PeerInput): Promise<Measured> => {
    const { server, env } = await startPrefect(lab, bin);
    try {
      const way = 'Prefect';
      const racer = python(way, 'prefect_tasks.py', input, env);
      return await raceOnce(new Racer(lab, racer, { way, runs: input.runs, server }));
    } finally {
      await server.end();
    }
  };
  return [
    plain('aiohttp loop', 'aiohttp_loop.py'),
    plain('Parsl', 'parsl_apps.py'),
    { way: 'Prefect', run: prefect },
  ];
}

/** Starts Prefect's server on this machine, without telemetry. */
async function startPrefect(lab: Lab, bin: string): Promise<{ server: Process; env: NodeJS.ProcessEnv }> {
  const port = await freePort(0);
  const home = join(lab.folder, 'prefect');
  mkdirSync(home, { recursive: true });
  const api = `http://127.0.0.1:${port}/api`;
  const env = ownEnvironment({
    PREFECT_HOME: home,
    PREFECT_API_URL: api,
    PREFECT_SERVER_ANALYTICS_ENABLED: 'false',
    DO_NOT_TRACK: '1',
    PREFECT_LOGGING_LEVEL: 'ERROR',
  });
  const args = ['server', 'start', '--host', '127.0.0.1', '--port', String(port), '--no-ui'];
  const server = lab.start({
    name: "Prefect's server",
    args: [LIFELINE, join(bin, 'prefect'), ...args],
    env,
  });
  const until = Date.now() + START_MS;
  while (!(await answers(`${api}/health`))) {
    if (Date.now() > until) throw new Error("Prefect's server does not start");
    await delay(250);
  }
  return { server, env };
}

async function answers(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
