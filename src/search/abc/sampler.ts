import { drawnRow } from '../../campaign/designs/spread-input.ts';
import type { Calibration } from '../../campaign/search/calibration.ts';
import { type Rules, rulesOf } from '../../campaign/search/rules.ts';
import type { BaseInput } from '../../campaign/designs/input-types.ts';
import { Stream } from '../../campaign/sampling/stream.ts';
import type { Kernel } from './kernel.ts';

/** The maximum number of draws until a point is in the prior and meets the condition `where`. */
const MOST_TRIES = 10_000;

/**
 * A drawn point: its coordinates in the unit cube and its canonical values. `isAllowed` is false if no draw was in the
 * prior and met the condition `where`.
 */
export interface Drawn {
  unit: number[];
  values: string[];
  isAllowed: boolean;
}

/**
 * Draws the points of a calibration. Each point is a function of the seed, its generation, its number in the
 * generation, and the generation before. So it depends neither on the other points of its generation nor on their
 * order.
 */
export class Sampler {
  readonly #priors: Calibration['priors'];
  readonly #rules: Rules;
  readonly #seed: number;

  constructor(
    calibration: Pick<Calibration, 'priors' | 'where' | 'derive'>,
    base: readonly BaseInput[],
    seed: number,
  ) {
    const { priors } = calibration;
    this.#priors = priors;
    const names = priors.map(({ name }) => name);
    this.#rules = rulesOf(calibration, names, base);
    this.#seed = seed;
  }

  /**
   * @param generation - the number of the generation; the first one has the number 1
   * @param number - the number of the point in its generation, counted from 0
   * @param kernel - the kernel of the generation before; null in the first generation, which is drawn from the prior
   */
  draw(generation: number, number: number, kernel: Kernel | null): Drawn {
    const priors = this.#priors;
    const rules = this.#rules;
    const stream = new Stream(this.#seed, `generation ${generation}, point ${number}`);
    for (let tries = 1; ; tries += 1) {
      const drawn = kernel ? kernel.draw(stream) : priors.map(() => stream.uniform());
      const unit = drawn.map(insideUnit);
      const isInside = drawn.every((each, at) => each === unit[at]);
      if (!isInside && tries < MOST_TRIES) continue;
      const values = rules.complete(drawnRow(priors, unit));
      const isAllowed = isInside && rules.isAllowed(values);
      if (isAllowed || tries === MOST_TRIES) return { unit, values, isAllowed };
    }
  }
}

/** The nearest coordinate inside the unit interval. A normal distribution has infinite quantiles at its ends. */
function insideUnit(coordinate: number): number {
  return Math.min(Math.max(coordinate, Number.MIN_VALUE), 1 - Number.EPSILON / 2);
}
