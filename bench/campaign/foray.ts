import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Foray, type Settings } from '../../src/client/index.ts';
import { KEY, type Lab } from './lab.ts';
import { measure, type Measured } from './measure.ts';
import { ownEnvironment, type Process } from '../process.ts';

export const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');
let places = 0;

/** The runs of a campaign: the input Value has `values` values from `first` on, and each value has `seeds` seeds. */
export interface Size {
  values: number;
  seeds?: number;
  first?: number;
}

/** foray in the form that users run: worker processes, a store, and a client in the process of the bench. */
export class ForayWay {
  readonly workers: Process[];
  readonly foray: Foray;
  /** The environment of the workers. Other commands with this environment use the same store. */
  readonly env: NodeJS.ProcessEnv;
  readonly #lab: Lab;
  #campaigns = 0;

  private constructor(lab: Lab, workers: Process[], foray: Foray, env: NodeJS.ProcessEnv) {
    this.#lab = lab;
    this.workers = workers;
    this.foray = foray;
    this.env = env;
  }

  /** Starts workers with their own store and task queue. `flags` are flags of Node. */
  static async start(
    lab: Lab,
    { workers: count = 1, flags = [] }: { workers?: number; flags?: string[] } = {},
  ): Promise<ForayWay> {
    const home = join(lab.folder, `foray-${(places += 1)}`);
    mkdirSync(home);
    const settings: Settings = {
      service: { url: lab.stub.url, key: KEY },
      store: `sqlite:${join(home, 'store.db')}`,
      taskQueue: `bench-${places}`,
      owner: 'bench',
      temporal: { connectionOptions: { address: lab.temporal.address }, namespace: 'default' },
      webUi: 'http://127.0.0.1',
    };
    const env = ownEnvironment({
      FORAY_HOME: home,
      FORAY_SERVICE_URL: settings.service.url,
      FORAY_API_KEY: KEY,
      FORAY_STORE: settings.store,
      FORAY_TASK_QUEUE: settings.taskQueue,
      TEMPORAL_ADDRESS: lab.temporal.address,
      TEMPORAL_NAMESPACE: 'default',
      TEMPORAL_CONFIG_FILE: join(home, 'temporal.toml'),
    });
    const foray = await Foray.open(settings);
    const workers = Array.from({ length: count }, () =>
      lab.start({ name: 'foray worker', args: [...flags, MAIN, 'worker'], env }),
    );
    await Promise.all(workers.map((worker) => worker.says(/^Working on/)));
    return new ForayWay(lab, workers, foray, env);
  }

  async close(): Promise<void> {
    await this.foray.close();
    await Promise.all(this.workers.map((worker) => worker.end()));
  }

  /**
   * Runs one campaign to its end, and checks that every result exists and is correct.
   * @param during called with the campaign's id when it has started
   */
  async run(
    size: Size,
    { way = 'foray', during }: { way?: string; during?: (id: string) => Promise<void> } = {},
  ): Promise<Measured> {
    const { temporal } = this.#lab;
    const id = `bench-${places}-${(this.#campaigns += 1)}`;
    const runs = size.values * (size.seeds ?? 1);
    return measure(this.#lab, { way, runs, workers: this.workers, server: temporal.process }, async () => {
      await this.foray.submit({ text: definition(size), file: 'bench.yaml' }, { id });
      await Promise.all([temporal.resultOf(id), during?.(id)]);
      const endedAt = await this.#lastResult(id, runs);
      return { endedAt, events: await temporal.historyEvents(`WorkflowId = '${id}'`, 1) };
    });
  }

  /** Runs one campaign to its end. Then it closes the client and ends the workers. */
  async runOnce(...args: Parameters<ForayWay['run']>): Promise<Measured> {
    try {
      return await this.run(...args);
    } finally {
      await this.close();
    }
  }

  /** Checks all results. Returns the time when the last one was stored. */
  async #lastResult(id: string, runs: number): Promise<number> {
    let [count, last] = [0, 0];
    for await (const { status, values, outputs, finishedAt } of (await this.foray.results(id)).rows) {
      if (status !== 'done' || outputs.Echo !== values[0]) throw new Error(`${id} has a wrong result`);
      count += 1;
      last = Math.max(last, finishedAt ?? 0);
    }
    if (count !== runs) throw new Error(`${id} has ${count} results of ${runs}`);
    return last;
  }
}

function definition({ values, seeds = 1, first = 1 }: Size): string {
  return `
campaign: bench
model: {name: Stub}
design:
  grid:
    Value: {from: ${first}, to: ${first + values - 1}, step: 1}
    '{RANDOM_SEED}': {from: 1, to: ${seeds}, step: 1}
`;
}
