import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pythonWith } from '../../test/support/python.ts';
import { median } from './evaluations.ts';
import { branin, flu, hartmann6, onUnitBox, withinOnePercent } from './functions.ts';

/** The results of one optimiser of another library for one function. */
export interface PeerRow {
  function: string;
  peer: string;
  seeds: number;
  /** Maximum number of evaluations. */
  most: number;
  /** Number of seeds that came within 1 %. */
  found: number;
  /** Median of the evaluations that the seeds needed; Infinity when most seeds did not come within 1 %. */
  evaluations: number;
}

export interface PeerSearch {
  peer: string;
  dimensions: number;
  seed: number;
  /** Maximum number of evaluations. */
  most: number;
  /** For CMA-ES without bounds: the value of all inputs at the first point. */
  start?: number;
  /** For CMA-ES without bounds: the first step size. */
  sigma?: number;
}

/** The largest number of evaluations of each optimiser. Optimisers that fit a model to all points take long. */
const PEERS: Record<string, number> = {
  pycma: 4_000,
  'Optuna TPE': 200,
  'Optuna GP': 160,
  'SciPy DE': 4_000,
};

/** Optimisers of other libraries, in a Python process. */
export class Peers implements AsyncDisposable {
  readonly #process;
  readonly #lines;

  private constructor(python: string) {
    this.#process = spawn(python, [join(import.meta.dirname, 'peers.py')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#lines = createInterface(this.#process.stdout)[Symbol.asyncIterator]();
  }

  /** @param hasTorch - whether to install torch, which Optuna's Gaussian process needs and which takes gigabytes */
  static async start(hasTorch: boolean): Promise<Peers> {
    const name = `peers${hasTorch ? '.torch' : ''}.requirements.txt`;
    const requirements = join(import.meta.dirname, name);
    const bin = await pythonWith(
      `bench-${name.replace('.requirements.txt', '')}`,
      requirements,
      console.error,
    );
    return new Peers(join(bin, 'python'));
  }

  /** Number of evaluations until a value is at most `target`; Infinity when the search ends without such a value. */
  async evaluationsTo(
    target: number,
    of: (x: readonly number[]) => number,
    search: PeerSearch,
  ): Promise<number> {
    this.#write(search);
    for (let evaluations = 1; ; evaluations += 1) {
      const { value: line, done } = await this.#lines.next();
      if (done) throw new Error(`The process of ${search.peer} ended before its search.`);
      const { x } = JSON.parse(line) as { x?: number[] };
      if (!x) return Infinity;
      const value = of(x);
      if (value <= target) {
        this.#write(null);
        await this.#lines.next();
        return evaluations;
      }
      this.#write(evaluations < search.most ? value : null);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.stdin.end();
    await ended;
  }

  #write(line: unknown): void {
    this.#process.stdin.write(`${JSON.stringify(line)}\n`);
  }
}

/**
 * Counts the evaluations of each optimiser in a box until a value is within 1 % of the optimum, with the seeds 1, 2, …
 */
export async function peerRows(peers: Peers, seeds: number, hasTorch: boolean): Promise<PeerRow[]> {
  const rows: PeerRow[] = [];
  for (const fn of [branin, flu, hartmann6]) {
    for (const [peer, most] of Object.entries(PEERS)) {
      if (peer === 'Optuna GP' && !hasTorch) continue;
      const counts: number[] = [];
      for (let seed = 1; seed <= seeds; seed += 1) {
        const search = { peer, dimensions: fn.box.length, seed, most };
        counts.push(await peers.evaluationsTo(withinOnePercent(fn), onUnitBox(fn), search));
      }
      const found = counts.filter((count) => count < Infinity).length;
      rows.push({ function: fn.name, peer, seeds, most, found, evaluations: median(counts) });
    }
  }
  return rows;
}
