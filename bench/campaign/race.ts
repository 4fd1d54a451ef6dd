import { resolve } from 'node:path';
import { KEY, type Lab } from './lab.ts';
import type { LoopInput } from './loop.ts';
import { measure, type Measured } from './measure.ts';
import type { Process } from '../process.ts';

const LOOP = resolve(import.meta.dirname, 'loop.ts');
const LONGEST_RACE_MS = 3_600_000;

export interface Race {
  way: string;
  runs: number;
  server?: Process;
}

/**
 * A program that prints `ready`, starts when it reads a line from standard input, and prints `done` and the number of
 * correct results.
 */
export class Racer {
  readonly #lab: Lab;
  readonly #process: Process;
  readonly #race: Race;
  #rounds = 0;

  constructor(lab: Lab, process: Process, race: Race) {
    this.#lab = lab;
    this.#process = process;
    this.#race = race;
  }

  /** Measures the program once. The p-limit loop can be measured several times. */
  async measure(): Promise<Measured> {
    const { way, runs, server } = this.#race;
    await this.#process.says(/^ready$/);
    return measure(this.#lab, { way, runs, workers: [this.#process], server }, async () => {
      this.#process.tell('go');
      this.#rounds += 1;
      const said = this.#process.says(/^done (\d+)$/, { within: LONGEST_RACE_MS, nth: this.#rounds });
      const [, right] = await said;
      const endedAt = Date.now();
      if (Number(right) !== runs) throw new Error(`${way}: ${right} of ${runs} results are correct`);
      return { endedAt };
    });
  }

  end(): Promise<void> {
    return this.#process.end();
  }
}

export async function raceOnce(racer: Racer): Promise<Measured> {
  try {
    return await racer.measure();
  } finally {
    await racer.end();
  }
}

/** Starts the p-limit loop. The loop uses foray's own client of the service, but neither Temporal nor a store. */
export function loopRacer(
  lab: Lab,
  { way = 'p-limit loop', ...wanted }: { way?: string } & Omit<LoopInput, 'url' | 'key'>,
): Racer {
  const input: LoopInput = { url: lab.stub.url, key: KEY, ...wanted };
  const racer = lab.start({ name: way, args: [LOOP, JSON.stringify(input)] });
  return new Racer(lab, racer, { way, runs: wanted.runs });
}
