import { type Curve, curveOf } from '../../campaign/curves.ts';
import type { CampaignOutput } from '../../campaign/types.ts';
import type { ResultRow } from '../../store/index.ts';
import { type Band, bandsOf, MOST_POINTS, thinned } from './bands.ts';
import { EvenSample } from './even-sample.ts';
import { runNameOf } from '../../search/abc/story.ts';
import type { PointResult } from './points.ts';

/** The curves of a DATA_SET output. */
export interface Courses {
  output: CampaignOutput;
  /** The curve of the best point, from its first replication that is done; empty if there is none. */
  best: Curve;
  /** The curves of the other runs, if there are few runs; otherwise empty. */
  others: Curve[];
  /** The keys of the points of these curves. */
  points: { best: string | undefined; others: string[] };
  /**
   * Quantiles across the curves of all kept runs, if there are many runs; otherwise empty. For a calibration, these are
   * the runs of the accepted points with their weights.
   */
  bands: Band[];
  /** The curves of the runs with each value of an input, in the order of the values; empty without such an input. */
  groups: CourseGroup[];
  /** The name of this input. */
  by: string | undefined;
  /** Whether this input has so many values that `groups` is empty. */
  isCrowded: boolean;
  /** Quantiles across the curves that a calibration drew from the prior; otherwise empty. */
  prior: Band[];
  /** Whether the curves are those of the posterior of a calibration. */
  isPosterior: boolean;
  /** The number of runs in the bands. At some places there may be fewer, because curves end. */
  runs: number;
  /** The number of runs that have no curve. If the bands show only a part of all runs, it is the number in this part. */
  without: number;
  /** Whether the bands leave places out that few curves reach. */
  isCut: boolean;
  /** Whether the bands show only a part of all runs. */
  isPart: boolean;
  /** Whether some curves had more points than are kept. */
  areThinned: boolean;
}

/** An input, and its place among the inputs that vary. */
export interface GroupingInput {
  name: string;
  at: number;
  /** The order of its values, which does not depend on the order of the runs. */
  order: (a: string, b: string) => number;
}

/** The curves of the runs with one value of an input. */
export interface CourseGroup {
  value: string;
  /** Quantiles across the curves, if there are many runs; otherwise empty. Those of a posterior have its weights. */
  bands: Band[];
  /** The single curves, if there are few runs; otherwise empty. One of them may be the curve of the best point. */
  curves: { point: string; curve: Curve; isBest: boolean }[];
}

/** The maximum number of values of an input whose curves are told apart. */
export const MOST_GROUPS = 6;

/** The maximum number of DATA_SETs that are drawn. */
export const MOST_DATA_SETS = 8;
/**
 * The maximum number of runs whose curves are kept. If there are more runs, at least a third of this number is kept.
 * The outer band of such a sample contains 90 % of all runs, with a standard error of at most 3 percentage points.
 */
const MOST_RUNS = 400;
/** With fewer curves than this, single curves are drawn, because quantiles of so few curves have no meaning. */
const FEW_RUNS = 10;

/** The runs of a calibration, each by its point and replication (`runNameOf`). */
export interface CalibratedRuns {
  /** The weights of the runs of the posterior. */
  posterior: ReadonlyMap<string, number>;
  prior: ReadonlySet<string>;
}

/** The curve of a run, the key of its point, and its weight. */
interface PointCurve {
  point: string;
  /** The value of the input that tells curves apart. */
  group: string | undefined;
  curve: Curve;
  isThinned: boolean;
  weight: number;
}

/** Keeps the curves of some runs, spread evenly over all runs. */
export class CourseGatherer {
  readonly #outputs: {
    output: CampaignOutput;
    curves: EvenSample<PointCurve>;
    prior: EvenSample<PointCurve>;
  }[];
  readonly #calibrated: CalibratedRuns | undefined;
  readonly #by: GroupingInput | undefined;

  /**
   * @param first - the name of a DATA_SET that is drawn even if there are too many DATA_SETs
   * @param calibrated - the runs of a calibration that are drawn. @default all runs
   * @param by - the input whose values tell curves apart
   */
  constructor(
    outputs: readonly CampaignOutput[],
    first?: string,
    calibrated?: CalibratedRuns,
    by?: GroupingInput,
  ) {
    this.#calibrated = calibrated;
    this.#by = by;
    const dataSets = outputs.filter(({ type }) => type === 'DATA_SET');
    const isFirst = ({ name }: CampaignOutput): boolean => name === first;
    this.#outputs = dataSets
      .toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)))
      .slice(0, MOST_DATA_SETS)
      .map((output) => ({
        output,
        curves: new EvenSample(MOST_RUNS),
        prior: new EvenSample(MOST_RUNS),
      }));
  }

  /** @param times - how often the run counts */
  add(
    {
      point,
      replication,
      outputs,
      values,
    }: Pick<ResultRow, 'point' | 'replication' | 'outputs'> & { values?: readonly string[] },
    times = 1,
  ): void {
    const run = runNameOf(point, replication);
    // undefined for a run that is not in the posterior
    const weight = this.#calibrated ? this.#calibrated.posterior.get(run) : 1;
    const isPrior = this.#calibrated?.prior.has(run) ?? false;
    const group = this.#by && values?.[this.#by.at];
    for (const { output, prior, curves } of this.#outputs) {
      const read = once(() => curveFor({ point, group }, outputs[output.name], weight));
      if (isPrior) prior.add(read);
      if (weight === undefined) continue;
      for (let time = 0; time < times; time += 1) curves.add(read);
    }
  }

  /** The curves of each DATA_SET. DATA_SETs without a curve are left out. */
  result(best: PointResult | undefined): Courses[] {
    return this.#outputs.flatMap(({ output, curves, prior }) => {
      const { items, isPart, without } = curves;
      const bestCurve = curveOf(best?.curves[output.name]) ?? [];
      if (items.length === 0 && bestCurve.length === 0) return [];
      const thinBest = thinned(bestCurve);
      const bestAt = indexOfBest(items, thinBest, best?.key);
      const areFew = items.length < FEW_RUNS;
      const others = areFew ? items.filter((_, at) => at !== bestAt) : [];
      const bands = this.#bandsOf(items);
      const byValue = Map.groupBy(items, ({ group }) => group);
      const isCrowded = byValue.size > MOST_GROUPS;
      return [
        {
          output,
          best: thinBest,
          others: others.map(({ curve }) => curve),
          points: { best: best?.key, others: others.map(({ point }) => point) },
          bands,
          groups: isCrowded ? [] : this.#groupsOf(byValue, items[bestAt]),
          by: this.#by?.name,
          isCrowded,
          prior: areFew ? [] : bandsOf(prior.items.map(({ curve }) => curve)),
          isPosterior: this.#calibrated !== undefined,
          runs: items.length,
          without,
          isCut: items.some(({ curve }) => isBeyond(curve, bands)),
          isPart,
          areThinned: bestCurve.length > MOST_POINTS || items.some(({ isThinned }) => isThinned),
        },
      ];
    });
  }

  /** The curves by the value of an input; none if fewer than two values have curves. */
  #groupsOf(
    byValue: ReadonlyMap<string | undefined, readonly PointCurve[]>,
    best: PointCurve | undefined,
  ): CourseGroup[] {
    const by = this.#by;
    if (!by || byValue.size < 2) return [];
    return [...byValue]
      .map(([value, members]) => {
        const bands = this.#bandsOf(members);
        // a run that counts several times is drawn once
        const single = bands.length > 0 ? [] : [...new Set(members)];
        const curves = single.map((one) => ({ point: one.point, curve: one.curve, isBest: one === best }));
        return { value: value!, bands, curves };
      })
      .sort((a, b) => by.order(a.value, b.value));
  }

  /** Quantiles across curves, for a posterior with its weights; empty if there are few curves. */
  #bandsOf(items: readonly PointCurve[]): Band[] {
    if (items.length < FEW_RUNS) return [];
    const weights = this.#calibrated && items.map(({ weight }) => weight);
    return bandsOf(
      items.map(({ curve }) => curve),
      weights,
    );
  }
}

function curveFor(
  of: Pick<PointCurve, 'point' | 'group'>,
  text: string | undefined,
  weight = 1,
): PointCurve | undefined {
  const curve = curveOf(text);
  return curve && curve.length > 0
    ? { ...of, curve: thinned(curve), isThinned: curve.length > MOST_POINTS, weight }
    : undefined;
}

/** Returns a function that calls the given function at most once. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Whether a curve begins before bands, or ends after them. */
function isBeyond(curve: Curve, bands: readonly Band[]): boolean {
  const [first, last] = [bands[0], bands.at(-1)];
  return first !== undefined && (curve[0]![0] < first.x || curve.at(-1)![0] > last!.x);
}

/** The index of the best curve, -1 if there is none. The order of the runs is unknown, so the curves are compared. */
function indexOfBest(items: readonly PointCurve[], best: Curve, key: string | undefined): number {
  const text = JSON.stringify(best);
  return items.findIndex(({ point, curve }) => point === key && JSON.stringify(curve) === text);
}
