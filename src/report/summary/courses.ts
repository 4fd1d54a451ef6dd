import type { CampaignOutput } from '../../campaign/types.ts';
import type { ResultRow } from '../../store/index.ts';
import { type Band, bandsOf, MOST_POINTS, thinned } from './bands.ts';
import { EvenSample } from './even-sample.ts';
import type { PointResult } from './points.ts';
import { type Curve, curveOf, firstOf } from '../tables/value-kinds.ts';

/** The curves of a DATA_SET. */
export interface Courses {
  output: CampaignOutput;
  /** The curve of the best point's first replication; empty if there is none. */
  best: Curve;
  /** For few runs: their curves. */
  others: Curve[];
  /** For more runs: quantiles across their curves. */
  bands: Band[];
  /** Number of runs in the bands. */
  runs: number;
  /** Whether these are only a part of all runs. */
  isPart: boolean;
  /** Whether curves had more points than are kept. */
  areThinned: boolean;
}

/** The most DATA_SETs that are drawn. */
export const MOST_DATA_SETS = 8;
/**
 * The most runs whose curves are kept (at least a third of this number is kept). The outer band of this sample holds 90
 * % of all runs with a standard error of 3 %.
 */
const MOST_RUNS = 400;
/** The most curves that are drawn one by one. Quantiles of so few curves have no meaning. */
const FEW_RUNS = 10;

/** Keeps curves of runs, spread evenly over all of them. */
export class CourseGatherer {
  readonly #outputs: {
    output: CampaignOutput;
    curves: EvenSample<{ point: string; curve: Curve; isThinned: boolean }>;
  }[];

  /** @param first - name of a DATA_SET that is always drawn, even if there are too many */
  constructor(outputs: readonly CampaignOutput[], first?: string) {
    const dataSets = outputs.filter(({ type }) => type === 'DATA_SET');
    this.#outputs = firstOf(dataSets, first)
      .slice(0, MOST_DATA_SETS)
      .map((output) => ({ output, curves: new EvenSample(MOST_RUNS) }));
  }

  add({ point, outputs }: Pick<ResultRow, 'point' | 'outputs'>): void {
    for (const { output, curves } of this.#outputs) {
      curves.add(() => {
        const curve = curveOf(outputs[output.name]);
        return curve && curve.length > 0
          ? { point, curve: thinned(curve), isThinned: curve.length > MOST_POINTS }
          : undefined;
      });
    }
  }

  /** DATA_SETs without a curve are left out. */
  result(best: PointResult | undefined): Courses[] {
    return this.#outputs.flatMap(({ output, curves }) => {
      const { items, isPart } = curves;
      const first = curveOf(best?.curves[output.name]) ?? [];
      if (items.length === 0 && first.length === 0) return [];
      const areFew = items.length < FEW_RUNS;
      return [
        {
          output,
          best: first,
          others: areFew ? items.filter(({ point }) => point !== best?.key).map(({ curve }) => curve) : [],
          bands: areFew ? [] : bandsOf(items.map(({ curve }) => curve)),
          runs: items.length,
          isPart,
          areThinned: items.some(({ isThinned }) => isThinned),
        },
      ];
    });
  }
}
