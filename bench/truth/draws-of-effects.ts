import { RANDOM_SEED } from '../../src/api/index.ts';
import { type Design, inputsOf } from '../../src/campaign/designs/index.ts';
import { type Key, streamKey, uniformAt } from '../../src/campaign/sampling/threefry.ts';
import type { BaseInput } from '../../src/campaign/designs/input-types.ts';
import { analysisSentence } from '../../src/report/analysis/words.ts';
import type { Analysis } from '../../src/sensitivity/analysis.ts';
import { normalQuantile } from '../../src/statistics/normal.ts';
import { analyzed, type Played } from '../../test/sensitivity/campaigns.ts';

/** Random numbers of a drawn campaign. */
export class Drawn {
  readonly #key: Key;
  #next = 0;

  constructor(seed: number, name: string) {
    this.#key = streamKey('foray bench truth', seed, name);
  }

  uniform(): number {
    this.#next += 1;
    return uniformAt(this.#key, this.#next, 0);
  }

  normal(): number {
    // `uniform` may be 0, whose quantile is infinite
    return normalQuantile(Math.max(this.uniform(), 2 ** -60));
  }

  below(count: number): number {
    return Math.floor(count * this.uniform());
  }
}

/** Distributions of chance. Their means are the same for all values of the inputs. */
export const CHANCES: Record<string, (drawn: Drawn, values: readonly number[]) => number> = {
  normal: (drawn) => drawn.normal(),
  exponential: (drawn) => -Math.log(Math.max(drawn.uniform(), 2 ** -60)) - 1,
  'ones with p = 0.1': (drawn) => Number(drawn.uniform() < 0.1),
  'normal, wider at high values': (drawn, values) => (0.1 + values[0]!) * drawn.normal(),
};

/** Base values of all inputs of a model whose runs have seeds. */
export function seededBase(names: readonly string[]): BaseInput[] {
  return [
    ...names.map((name): BaseInput => ({ name, type: 'DOUBLE', units: null, value: '0.5' })),
    { name: RANDOM_SEED, type: 'LONG', units: null, value: '1' },
  ];
}

/** A campaign whose runs have seeds. Its design is drawn from a seed of its own. */
export type Seeded = Omit<Played, 'design' | 'base' | 'finished'> & {
  title: string;
  design: (seed: number) => Design;
};

/**
 * Runs a function of the inputs with chance at all points of a design, and analyzes the results.
 *
 * @param seed of the design
 * @param model also gets the seed of the run
 */
export function analysisWithChance(
  { design: designOf, ...campaign }: Seeded,
  seed: number,
  model: (values: readonly number[], runSeed: string) => number,
): Analysis {
  const design = designOf(seed);
  // this seed is that of the campaign: the seeds of the runs follow from it
  const played: Played = { seed: 1, ...campaign, design, base: seededBase(inputsOf(design)) };
  return analyzed(played, (values, _replication, runSeed) => ({ Y: model(values, runSeed!) }))[0]!;
}

/** Whether the sentence says that some input has an effect. */
export function claimsEffect(analysis: Analysis): boolean {
  return !/^(The effects of all inputs .* cannot be distinguished|No input has a visible|It is unknown)/.test(
    analysisSentence(analysis),
  );
}
