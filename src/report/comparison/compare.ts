import { shareSeeds } from '../../campaign/seeds.ts';
import type { Campaign, CampaignOutput, Goal } from '../../campaign/types.ts';
import { ForayError } from '../../errors.ts';
import { pairedDifference, welchDifference } from '../../statistics/difference.ts';
import { Sample } from '../../statistics/sample.ts';
import type { ResultRow } from '../../store/index.ts';
import { CONFIDENCE, confidenceOf } from '../mean.ts';
import { type Matching, matchingOf } from './keys.ts';
import { HeldNumbers, numbersOf, type PointNumbers } from './values.ts';
import { isNumeric } from '../values.ts';

/** One of two campaigns. Its rows may be read twice. */
export interface Compared {
  campaign: Campaign;
  rows: () => AsyncIterable<ResultRow>;
}

/** What two campaigns say of an output at a point: nothing (n 0, null) of the one that does not have the point. */
export interface OutputComparison {
  a: { n: number; mean: number | null };
  b: { n: number; mean: number | null };
  /** Of the mean in B less that in A. */
  difference: number | null;
  /** Its interval; null with fewer than two values on either side. */
  low: number | null;
  high: number | null;
}

export interface ComparedPoint {
  /** Its key in A, or in B where A does not have it. */
  key: string;
  in: 'both' | 'A' | 'B';
  /** Of the inputs that either campaign varies. */
  values: readonly string[];
  /** In the order of the outputs that are compared. */
  outputs: OutputComparison[];
}

export interface Comparison {
  a: Campaign;
  b: Campaign;
  matching: Matching;
  /** Numeric in both, in the same unit. */
  outputs: CampaignOutput[];
  /** Names of outputs of either that are not compared. */
  leftOut: string[];
  /** The output of which both campaigns say alike which values are better, or that was asked for. */
  goal: Goal | undefined;
  /** `paired`: replication n of the one with replication n of the other, as they have the same seeds. */
  method: 'paired' | 'Welch';
  /** Of the intervals. */
  confidence: number;
  /** In the design order of A, then what is only in B in that of B. To be read once. */
  points: AsyncIterable<ComparedPoint>;
}

/**
 * Two campaigns point by point. The numbers of B are held in memory, those of A stream past.
 *
 * @param goal - which values of an output are better, by default what both campaigns say
 * @throws ForayError UNKNOWN_OUTPUT when the goal's output is not compared
 * @throws ForayError NOTHING_TO_COMPARE when their points or outputs cannot be compared; while the points are read, when none
 *   was in both
 */
export function compareCampaigns(
  a: Compared,
  b: Compared,
  goal = sharedGoal(a.campaign, b.campaign),
): Comparison {
  const matching = matchingOf(a.campaign, b.campaign);
  const outputs = sharedOutputs(a.campaign, b.campaign);
  if (outputs.length === 0) {
    throw new ForayError(
      'NOTHING_TO_COMPARE',
      `"${a.campaign.id}" and "${b.campaign.id}" have no numeric output in common.`,
      { hint: `The one has ${listed(a.campaign)}, the other ${listed(b.campaign)}.` },
    );
  }
  if (goal && !outputs.some(({ name }) => name === goal.output)) {
    throw new ForayError('UNKNOWN_OUTPUT', `No output "${goal.output}" is compared.`, {
      hint: `Compared are ${outputs.map(({ name }) => `"${name}"`).join(', ')}.`,
    });
  }
  const isShared = new Set(outputs.map(({ name }) => name));
  const others = [...a.campaign.outputs, ...b.campaign.outputs].map(({ name }) => name);
  const isPaired = shareSeeds(a.campaign, b.campaign, matching.apart.length === 0);
  const [ofA, ofB] = [a, b].map(({ campaign }) => confidenceOf(campaign)) as [number, number];
  const comparison = {
    a: a.campaign,
    b: b.campaign,
    matching,
    outputs,
    leftOut: [...new Set(others)].filter((name) => !isShared.has(name)),
    goal,
    method: isPaired ? ('paired' as const) : ('Welch' as const),
    confidence: ofA === ofB ? ofA : CONFIDENCE,
  };
  return { ...comparison, points: joined(a, b, comparison) };
}

/** Nothing where the two differ, or where the output is not a number of the same unit in both. */
function sharedGoal(a: Campaign, b: Campaign): Goal | undefined {
  const isSame = a.goal?.output === b.goal?.output && a.goal?.wants === b.goal?.wants;
  return isSame && sharedOutputs(a, b).some(({ name }) => name === a.goal?.output) ? a.goal : undefined;
}

function sharedOutputs(a: Campaign, b: Campaign): CampaignOutput[] {
  return a.outputs.filter((output) => {
    const other = b.outputs.find(({ name }) => name === output.name);
    return other && isNumeric(output) && isNumeric(other) && other.units === output.units;
  });
}

function listed({ outputs }: Campaign): string {
  return outputs.map(({ name }) => `"${name}"`).join(', ') || 'none';
}

type Terms = Omit<Comparison, 'points'>;

async function* joined(a: Compared, b: Compared, terms: Terms): AsyncIterable<ComparedPoint> {
  const { matching } = terms;
  const names = terms.outputs.map(({ name }) => name);
  const held = new HeldNumbers(names.length);
  for await (const one of numbersOf(b.rows(), names)) held.add(matching.b.keyOf(one), one.numbers);
  const known = held.size;
  for await (const one of numbersOf(a.rows(), names)) {
    const other = held.take(matching.a.keyOf(one));
    const none = names.map(() => []);
    yield {
      key: one.point,
      in: other ? 'both' : 'A',
      values: matching.a.valuesOf(one),
      outputs: compared(one.numbers, other ?? none, terms),
    };
  }
  const isNone = held.size === known;
  if (held.size > 0) yield* onlyInB(b, held, terms);
  if (isNone) throw nothingShared(terms);
}

async function* onlyInB(b: Compared, held: HeldNumbers, terms: Terms): AsyncIterable<ComparedPoint> {
  const { matching, outputs } = terms;
  const none = outputs.map(() => []);
  const rows: AsyncIterable<PointNumbers> = numbersOf(
    b.rows(),
    outputs.map(({ name }) => name),
  );
  for await (const one of rows) {
    if (!held.has(matching.b.keyOf(one))) continue;
    yield {
      key: one.point,
      in: 'B',
      values: matching.b.valuesOf(one),
      outputs: compared(none, one.numbers, terms),
    };
  }
}

function compared(
  a: readonly number[][],
  b: readonly number[][],
  { method, confidence }: Terms,
): OutputComparison[] {
  return a.map((ofA, at) => {
    const ofB = b[at]!;
    const isPaired = method === 'paired' && ofA.length > 0 && ofB.length > 0;
    return isPaired ? pairs(ofA, ofB, confidence) : apart(ofA, ofB, confidence);
  });
}

/** Of the replications that have a value in both: the means are theirs, too. */
function pairs(a: readonly number[], b: readonly number[], confidence: number): OutputComparison {
  const both = a.flatMap((value, at) => (Number.isNaN(value - (b[at] ?? NaN)) ? [] : [at]));
  const differences = sampleOf(both.map((at) => b[at]! - a[at]!));
  const [ofA, ofB] = [a, b].map((values) => sampleOf(both.map((at) => values[at]!))) as [Sample, Sample];
  const interval =
    differences.count > 1
      ? pairedDifference(differences, confidence)
      : { difference: differences.mean, low: null, high: null };
  return { a: meanOf(ofA), b: meanOf(ofB), ...interval };
}

function apart(a: readonly number[], b: readonly number[], confidence: number): OutputComparison {
  const [ofA, ofB] = [sampleOf(a), sampleOf(b)];
  const interval =
    ofA.count > 1 && ofB.count > 1
      ? welchDifference(ofA, ofB, confidence)
      : {
          difference: ofA.mean === null || ofB.mean === null ? null : ofB.mean - ofA.mean,
          low: null,
          high: null,
        };
  return { a: meanOf(ofA), b: meanOf(ofB), ...interval };
}

function sampleOf(values: readonly number[]): Sample {
  const sample = new Sample();
  for (const value of values) if (!Number.isNaN(value)) sample.add(value);
  return sample;
}

function meanOf({ count: n, mean }: Sample): OutputComparison['a'] {
  return { n, mean };
}

function nothingShared({ a, b, matching }: Terms): ForayError {
  const names = matching.varied.map(({ name }) => name).join(', ');
  return new ForayError('NOTHING_TO_COMPARE', `"${a.id}" and "${b.id}" have no finished point in common.`, {
    hint: names === '' ? undefined : `Their points have other values of ${names}, or have not finished yet.`,
  });
}

/** Whether the interval of a difference excludes 0; null without one. */
export function differs({ low, high }: Pick<OutputComparison, 'low' | 'high'>): boolean | null {
  return low === null || high === null ? null : low > 0 || high < 0;
}
