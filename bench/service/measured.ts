import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { InputItem, RunRequest } from '../../src/api/index.ts';
import { CloudClient } from '../../src/cloud/index.ts';
import { KEY, startModelService } from '../model-service.ts';
import type { Process } from '../process.ts';
import { fill } from './fill.ts';
import type { Shot } from './load.ts';

const MODELS = resolve(import.meta.dirname, 'models');
/**
 * The number of rounds. In each round, all measured cases take turns. Each figure is from the best round, because the
 * machine may be shared.
 */
export const ROUNDS = 3;
/**
 * The number of different runs that are requested in turns, like the requests of a campaign that reuses runs. The cache
 * of the service has room for 10,000 runs.
 */
export const DIFFERENT = 5_120;
/** Delay between checks whether a run has completed, ms. */
const LOOK_EVERY = 100;

/** A running service and the requests that are measured. */
export interface Measured {
  service: Process;
  /** `POST /runs` of a finished run, its progress, and `POST /runs` of many different runs. */
  shots: Record<What, Shot>;
  /** Executes the different runs, so that the service has their results. */
  addDifferent: () => Promise<unknown>;
}

export const whats = ['runs', 'progress', 'different runs'] as const;
export type What = (typeof whats)[number];

/**
 * Starts a service and executes one run. Then it adds many copies of this run to the database, and starts the service
 * again.
 */
export async function serve(dataDir: string, runs: number, processes: Process[]): Promise<Measured> {
  const own = (started: Process): Process => (processes.push(started), started);
  const start = () => startModelService({ args: ['--data', dataDir, '--models', MODELS] }, own);
  const first = await start();
  await request(first.url);
  await first.process.end();
  fill(dataDir, runs);
  const { process: service, url } = await start();
  const { versionId, runId, body, bodies, addDifferent } = await request(url);
  const headers = { authorization: KEY, 'content-type': 'application/json' };
  const runsUrl = `${url}/versions/${versionId}/runs`;
  return {
    service,
    addDifferent,
    shots: {
      runs: { url: runsUrl, method: 'POST', headers, body },
      'different runs': { url: runsUrl, method: 'POST', headers, body: bodies },
      progress: { url: `${url}/versions/${versionId}/runs/${runId}/progress`, method: 'GET', headers },
    },
  };
}

/** Executes the measured run. Returns the parts of all measured requests. */
async function request(url: string) {
  const cloud = new CloudClient({ url, key: KEY });
  const model = await cloud.getModelByName('Busy');
  const versionId = model.modelVersions.at(-1)!;
  const { experimentTemplate } = await cloud.getVersion(model.id, versionId);
  const inputs = experimentTemplate.inputs;
  const runId = await complete(cloud, versionId, { experimentType: 'SIMULATION', inputs });
  const bodyOf = (number: number): string =>
    JSON.stringify({ experimentType: 'SIMULATION', inputs: withNumber(inputs, { value: String(number) }) });
  const range = {
    type: 'FIXED_RANGE_INTEGER' as const,
    value: JSON.stringify({ min: 1, max: DIFFERENT, step: 1 }),
  };
  return {
    versionId,
    runId,
    body: bodyOf(0),
    bodies: Array.from({ length: DIFFERENT }, (_, at) => bodyOf(at + 1)),
    addDifferent: () =>
      complete(cloud, versionId, {
        experimentType: 'PARAMETER_VARIATION',
        inputs: withNumber(inputs, range),
      }),
  };
}

function withNumber(inputs: readonly InputItem[], change: Partial<InputItem>): InputItem[] {
  return inputs.map((input) => (input.name === 'Number' ? { ...input, ...change } : input));
}

/** Requests a run repeatedly until it has completed. Returns its id. */
async function complete(cloud: CloudClient, versionId: string, run: RunRequest): Promise<string> {
  for (;;) {
    const { status, id } = await cloud.requestRun(versionId, run);
    if (status === 'COMPLETED') return id;
    if (status === 'FAILED') throw new Error('a run of the bench failed');
    await delay(LOOK_EVERY);
  }
}
