import { RANDOM_SEED } from '../../api/index.ts';
import type { Measure } from '../../campaign/measures.ts';
import { hasStrategy } from '../../campaign/strategy.ts';
import type { Goal } from '../../campaign/types.ts';
import { Lowest } from '../summary/best.ts';
import type { ComparedOutput, ComparedPoint, Comparison } from './compare.ts';
import { counted, numberText, percent, statisticsOf } from '../words/words.ts';

/** A point in a picture or table of one output. */
export interface ShownPoint {
  key: string;
  values: readonly string[];
  found: ComparedOutput & { difference: number };
}

/** The result for one output over all points. */
export interface OutputSummary {
  output: Measure;
  /** The number of points with an interval, or with exact values. */
  judged: number;
  /** The number of points where B differs from A and is higher. */
  higher: number;
  /** The number of points where B differs from A and is lower. */
  lower: number;
  /** The number of points whose interval would exclude 0 by chance alone. */
  byChance: number;
  /** All runs of A and of B at the points that both have. */
  runs: [number, number];
  /** The runs without a value among them. */
  lacking: [number, number];
  /**
   * All points with a difference if there are few, otherwise a sample of them. The sample is chosen by the keys, which
   * are hashes, so it is as good as random.
   */
  sample: ShownPoint[];
  /** The number of points with a difference. */
  compared: number;
  /** The points with the largest differences, the largest first. */
  largest: ShownPoint[];
  /** Which values are better; undefined without a goal. */
  wants: Goal['wants'] | undefined;
}

/** The words for a higher and a lower mean in B. With a goal, they also say which mean is better. */
export function waysOf({ wants }: Pick<OutputSummary, 'wants'>): { higher: string; lower: string } {
  if (wants === undefined) return { higher: 'higher in B', lower: 'lower in B' };
  const [higher, lower] = wants === 'highest' ? ['better', 'worse'] : ['worse', 'better'];
  return { higher: `${higher} in B (higher)`, lower: `${lower} in B (lower)` };
}

/** The maximum number of points in a picture. */
const SAMPLE = 300;
/** The maximum number of differences in a table. */
const LARGEST = 12;

/** Collects the summary of a comparison while its points are read. */
export class ComparisonSummary {
  readonly counts: Record<ComparedPoint['in'], number> = { both: 0, A: 0, B: 0 };
  readonly #comparison: Comparison;
  readonly #gathered: {
    summary: Omit<OutputSummary, 'sample' | 'largest'>;
    sample: Lowest<ShownPoint>;
    largest: Lowest<ShownPoint>;
  }[];

  constructor(comparison: Comparison) {
    this.#comparison = comparison;
    this.#gathered = comparison.outputs.map((output) => ({
      summary: {
        output,
        wants: comparison.goal?.output === output.name ? comparison.goal.wants : undefined,
        judged: 0,
        higher: 0,
        lower: 0,
        byChance: 0,
        runs: [0, 0],
        lacking: [0, 0],
        compared: 0,
      },
      sample: new Lowest(SAMPLE),
      largest: new Lowest(LARGEST),
    }));
  }

  /** Yields the points of the comparison as they are read. The summary covers the points so far. */
  async *watched(): AsyncIterable<ComparedPoint> {
    for await (const point of this.#comparison.points) {
      this.#add(point);
      yield point;
    }
  }

  /** Reads all points. */
  async read(): Promise<void> {
    for await (const point of this.#comparison.points) this.#add(point);
  }

  get outputs(): OutputSummary[] {
    return this.#gathered.map(({ summary, sample, largest }) => ({
      ...summary,
      sample: sample.items,
      largest: largest.items,
    }));
  }

  #add({ key, in: where, values, outputs }: ComparedPoint): void {
    this.counts[where] += 1;
    if (where !== 'both') return;
    // a key is a hash in hexadecimal digits
    const random = parseInt(key.slice(0, 12), 16);
    for (const [at, found] of outputs.entries()) {
      const { difference, differs } = found;
      const { summary, sample, largest } = this.#gathered[at]!;
      for (const side of [0, 1] as const) {
        summary.runs[side] += found.runs[side];
        summary.lacking[side] += found.lacking[side];
      }
      if (difference === null) continue;
      const shown = { key, values, found: { ...found, difference } };
      summary.compared += 1;
      sample.add(shown, random);
      largest.add(shown, -Math.abs(difference));
      if (differs === null) continue;
      summary.judged += 1;
      summary.byChance += found.byChance ?? 0;
      if (differs) summary[difference > 0 ? 'higher' : 'lower'] += 1;
    }
  }
}

/** Sentences about the whole comparison, after its points have been read. */
export function comparisonNotes(comparison: Comparison, summary: ComparisonSummary): string[] {
  const { a, b, matching, leftOut } = comparison;
  const { both, A, B } = summary.counts;
  const only = [
    A > 0 ? `${A.toLocaleString('en-US')} finished only in A` : '',
    B > 0 ? `${B.toLocaleString('en-US')} finished only in B` : '',
  ].filter(Boolean);
  return [
    `A is ${named(a)}, B is ${named(b)}; differences are B - A.`,
    `${counted(both, 'point')} finished in both${only.map((text) => `, ${text}`).join('')}.`,
    ...matching.apart.map(
      ({ name, a: ofA, b: ofB }) =>
        `Points are matched by all inputs except ${name}: ${ofA ?? 'none'} in A, ${ofB ?? 'none'} in B.`,
    ),
    ...methodTexts(comparison),
    ...([a, b].some((one) => hasStrategy(one, 'selection'))
      ? [
          'A selection gives no further runs to points that look bad at first, so the means of these points are rather too bad, and more intervals exclude 0 than by chance alone.',
        ]
      : []),
    ...lackingTexts(summary.outputs),
    ...summary.outputs.map((output) => verdict(output, both, comparison)),
    ...(leftOut.length > 0
      ? [
          `Not compared, because they are not BOOLEAN or numbers of the same unit in both campaigns: ${leftOut.join(', ')}.`,
        ]
      : []),
  ];
}

function named({ id, model }: Comparison['a']): string {
  return `${id} (${model.name}, version ${model.version})`;
}

/** Says how the intervals are computed: one sentence per compared statistic. */
function methodTexts({ outputs, method, confidence }: Comparison): string[] {
  if (method === 'exact')
    return [
      `Neither model has an input ${RANDOM_SEED}, so there is no chance: differences are certain and have no intervals.`,
    ];
  if (method === 'half exact')
    return [
      `One model has no input ${RANDOM_SEED}, so it has one run at each point, and there are no intervals.`,
    ];
  const isPaired = method === 'paired';
  const why = `because ${isPaired ? 'they have' : 'replications do not have'} the same seeds in both campaigns`;
  const level = percent(confidence);
  const texts: Record<Measure['statistic'], string> = {
    mean: isPaired
      ? `Intervals (${level}): replications are compared in pairs, ${why} (Student's t).`
      : `Intervals (${level}): by Welch's method, ${why}.`,
    share: `Intervals of shares (${level}): Newcombe's hybrid score${isPaired ? ' for pairs of replications' : ''}, ${why}.`,
    quantile: `Intervals of quantiles (${level}): from order statistics, valid for any distribution.`,
  };
  return statisticsOf(outputs).map((statistic) => texts[statistic]);
}

/** Says how many runs have no value. A failed run lacks all outputs, so outputs with the same counts share a sentence. */
function lackingTexts(outputs: readonly OutputSummary[]): string[] {
  const byCounts = Map.groupBy(
    outputs.filter(({ lacking: [a, b] }) => a + b > 0),
    ({ lacking: [a, b], runs: [ofA, ofB] }) =>
      `${ratioText(a, ofA)} of A and ${ratioText(b, ofB)} of B have no value`,
  );
  return [...byCounts].map(
    ([counts, lacking]) =>
      `${lacking.map(({ output }) => output.name).join(', ')}: ${counts}, so the other runs may not be a fair sample.`,
  );
}

/** "3 of 1,000 runs" */
function ratioText(some: number, all: number): string {
  return `${some.toLocaleString('en-US')} of ${counted(all, 'run')}`;
}

/**
 * Says how many points differ, and how many would differ by chance alone. Of many intervals, some exclude 0 by chance.
 */
function verdict(summary: OutputSummary, both: number, { method }: Pick<Comparison, 'method'>): string {
  const { output, judged, compared } = summary;
  if (compared === 0) return `${output.name}: no point has a finite value in both.`;
  if (method === 'half exact') return `${output.name}: no point has an interval.`;
  if (judged === 0)
    return output.statistic === 'quantile'
      ? `${output.name}: no point has an interval, because a quantile needs more replications.`
      : `${output.name}: no point has an interval, because it needs ${method === 'paired' ? 'two pairs of replications with finite values, whose differences are not all equal' : 'two replications with finite values in each campaign that are not all equal'}.`;
  return method === 'exact' ? exactVerdict(summary, both) : intervalVerdict(summary, both);
}

function exactVerdict(summary: OutputSummary, both: number): string {
  const { output, judged, higher, lower } = summary;
  const rest = restText(both - judged, both, 'value in both');
  return higher + lower === 0
    ? `${output.name}: equal at ${counted(judged, 'point')}${rest}.`
    : `${output.name}: differs at ${higher + lower} of ${counted(judged, 'point')} (${waysText(summary)})${rest}.`;
}

function intervalVerdict(summary: OutputSummary, both: number): string {
  const { output, judged, higher, lower, byChance } = summary;
  const rest = restText(both - judged, both, 'interval');
  if (higher + lower === 0) return `${output.name}: no interval excludes 0${rest}.`;
  const chance = byChance < 1 ? 'less than 1' : `about ${numberText(Number(byChance.toPrecision(2)))}`;
  return `${output.name}: differs at ${counted(higher + lower, 'point')} of ${judged.toLocaleString('en-US')} that ${judged === 1 ? 'has' : 'have'} an interval (${waysText(summary)}); by chance alone ${chance} would${rest}.`;
}

/** How many of the points in both campaigns were not judged, because they lack something. */
function restText(without: number, both: number, lacks: string): string {
  if (without <= 0) return '';
  return `; ${without.toLocaleString('en-US')} of ${counted(both, 'point')} ${without === 1 ? 'has' : 'have'} no ${lacks}`;
}

function waysText({ wants, higher, lower }: OutputSummary): string {
  const words = waysOf({ wants });
  const ways = [higher > 0 ? `${higher} ${words.higher}` : '', lower > 0 ? `${lower} ${words.lower}` : ''];
  return ways.filter(Boolean).join(', ');
}
