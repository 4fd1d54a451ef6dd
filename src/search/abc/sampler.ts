import { drawnRow } from '../../campaign/designs/rows.ts';
import type { Calibration } from '../../campaign/search/calibration.ts';
import { conditionOf } from '../../campaign/search/space.ts';
import type { BaseInput } from '../../campaign/types.ts';
import { Stream } from '../methods/stream.ts';
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
  private readonly calibration: Pick<Calibration, 'priors' | 'where'>;
  private readonly isAllowed: (values: readonly string[]) => boolean;
  private readonly seed: number;

  constructor(calibration: Pick<Calibration, 'priors' | 'where'>, base: readonly BaseInput[], seed: number) {
    const { priors, where } = calibration;
    this.calibration = calibration;
    this.isAllowed = conditionOf(
      where,
      priors.map(({ name }) => name),
      base,
    );
    this.seed = seed;
  }

  /**
   * @param generation - the number of the generation; the first one has the number 1
   * @param number - the number of the point in its generation, counted from 0
   * @param kernel - the kernel of the generation before; null in the first generation, which is drawn from the prior
   */
  draw(generation: number, number: number, kernel: Kernel | null): Drawn {
    const { priors } = this.calibration;
    const stream = new Stream(this.seed, `generation ${generation}, point ${number}`);
    for (let tries = 1; ; tries += 1) {
      const drawn = kernel ? kernel.draw(stream) : priors.map(() => stream.uniform());
      const unit = drawn.map(insideUnit);
      const isInside = drawn.every((each, at) => each === unit[at]);
      if (!isInside && tries < MOST_TRIES) continue;
      const values = drawnRow(priors, unit);
      const isAllowed = isInside && this.isAllowed(values);
      if (isAllowed || tries === MOST_TRIES) return { unit, values, isAllowed };
    }
  }
}

/** The nearest coordinate inside the unit interval. A normal distribution has infinite quantiles at its ends. */
function insideUnit(coordinate: number): number {
  return Math.min(Math.max(coordinate, Number.MIN_VALUE), 1 - Number.EPSILON / 2);
}
