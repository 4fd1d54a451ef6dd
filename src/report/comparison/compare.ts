import { distinct, type Measure, measureOf, measuresOf } from '../../campaign/measures.ts';
import { campaignsShareSeeds, hasSeed } from '../../campaign/seeds.ts';
import type { Campaign, Goal } from '../../campaign/types.ts';
import { ForayError } from '../../errors.ts';
import { CONFIDENCE } from '../../statistics/sample.ts';
import { areSame } from '../../statistics/chance.ts';
import type { ResultRow } from '../../store/index.ts';
import { confidenceOf } from '../summary/mean.ts';
import { ByChance } from './by-chance.ts';
import {
  type Difference,
  differenceApart,
  differenceInPairs,
  differenceWithoutInterval,
  differs,
  type OutputComparison,
} from './differences.ts';
import { type Matching, matchingOf } from './matching.ts';
import { HeldNumbers, numbersOf, type PointNumbers, UNFINISHED } from './point-numbers.ts';

/** One of two campaigns. Its rows may be read twice. */
export interface Compared {
  campaign: Campaign;
  rows: () => AsyncIterable<ResultRow>;
}

export interface ComparedPoint {
  /** The point's key in A, or in B if A does not have the point. */
  key: string;
  in: 'both' | 'A' | 'B';
  /** The values of the inputs that at least one campaign varies. */
  values: readonly string[];
  /** One entry per compared output, in their order. */
  outputs: ComparedOutput[];
}

/** An output at a point in both campaigns. */
export interface ComparedOutput extends OutputComparison {
  /**
   * Whether the campaigns differ: the interval excludes 0, or without chance the values are not equal. Null if nobody can
   * tell.
   */
  differs: boolean | null;
  /** How likely the interval would exclude 0 if the campaigns did not differ; null without an interval. */
  byChance: number | null;
  /** The finished runs of the point in A and in B, also those without a value. */
  runs: [number, number];
  /** The runs without a value in A and in B. */
  lacking: [number, number];
}

export interface Comparison {
  a: Campaign;
  b: Campaign;
  matching: Matching;
  /** The compared outputs as A has them. */
  outputs: Measure[];
  /** The same outputs as B has them. Their statistic and units are the same as in A. */
  outputsOfB: Measure[];
  /**
   * The names of outputs and formulas that are not compared. If the caller asked for certain names, the list has only
   * names among them.
   */
  leftOut: string[];
  /**
   * An output, and whether its highest or lowest values are better. The goal comes from the caller, or from the
   * campaigns if both have the same goal.
   */
  goal: Goal | undefined;
  /**
   * `paired`: replication n of A is compared with replication n of B, because they have the same seeds. `exact`: neither
   * model has chance, so each difference is certain. `half exact`: only one of them has chance, so there are no intervals.
   */
  method: 'paired' | 'Welch' | 'exact' | 'half exact';
  /** The confidence of the intervals. */
  confidence: number;
  /**
   * The points of A in its design order, then the points that only B has, in B's design order. They can be read only
   * once.
   */
  points: AsyncIterable<ComparedPoint>;
}

/**
 * Compares two campaigns point by point. The numbers of B are held in memory, and the numbers of A are streamed.
 *
 * @param show - names of outputs and formulas; by default all that both campaigns have
 * @param goal - an output, and whether its highest or lowest values are better; by default the goal of the campaigns if
 * both have the same goal
 * @throws ForayError UNKNOWN_OUTPUT if `show` or `goal` names an output that a campaign does not have, or the output of
 * `goal` is not compared
 * @throws ForayError INVALID_VALUE if such an output is neither a number nor BOOLEAN
 * @throws ForayError INVALID_EXPRESSION if a formula is wrong
 * @throws ForayError NOTHING_TO_COMPARE if points or outputs cannot be compared. If no point is in both campaigns, the
 * error comes only while the points are read
 */
export function compareCampaigns(
  a: Compared,
  b: Compared,
  { show, goal: asked }: { show?: readonly string[] | undefined; goal?: Goal | undefined } = {},
): Comparison {
  const matching = matchingOf(a.campaign, b.campaign);
  const [inA, inB] = [a, b].map(({ campaign }) => shownOutputs(campaign, show, asked)) as [
    Measure[],
    Measure[],
  ];
  const { outputs, outputsOfB } = commonOutputs(inA, inB);
  if (outputs.length === 0) {
    throw new ForayError(
      'NOTHING_TO_COMPARE',
      `"${a.campaign.id}" and "${b.campaign.id}" have no numeric or BOOLEAN output in common.`,
      { hint: `The first has ${listed(a.campaign)}, the second ${listed(b.campaign)}.` },
    );
  }
  const wanted = asked && { ...asked, output: measureOf(a.campaign.outputs, asked.output).name };
  const goal = goalAmong(outputs, wanted) ?? sharedGoal(a.campaign, b.campaign, outputs);
  const comparedNames = new Set(outputs.map(({ name }) => name));
  // without a choice, outputs that cannot be compared are named, too
  const all = show ? [inA, inB] : [a.campaign.outputs, inA, b.campaign.outputs, inB];
  const allNames = new Set(all.flat().map(({ name }) => name));
  const [ofA, ofB] = [a, b].map(({ campaign }) => confidenceOf(campaign)) as [number, number];
  const comparison = {
    a: a.campaign,
    b: b.campaign,
    matching,
    outputs,
    outputsOfB,
    leftOut: [...allNames.difference(comparedNames)],
    goal,
    method: methodOf(a.campaign, b.campaign, matching),
    confidence: ofA === ofB ? ofA : CONFIDENCE,
  };
  return { ...comparison, points: comparedPoints(a, b, comparison) };
}

function methodOf(a: Campaign, b: Campaign, { apart }: Matching): Comparison['method'] {
  const withChance = [a, b].filter(({ base }) => hasSeed(base)).length;
  if (withChance < 2) return withChance === 0 ? 'exact' : 'half exact';
  return campaignsShareSeeds(a, b, apart.length === 0) ? 'paired' : 'Welch';
}

function differenceBy(method: Comparison['method'], isPaired: boolean): Difference {
  if (method === 'exact' || method === 'half exact') return differenceWithoutInterval;
  return isPaired ? differenceInPairs : differenceApart;
}

function shownOutputs(
  campaign: Campaign,
  show: readonly string[] | undefined,
  goal: Goal | undefined,
): Measure[] {
  const measured = (name: string): Measure => measureOf(campaign.outputs, name);
  const shown = show?.map(measured) ?? measuresOf(campaign);
  return distinct([...shown, ...(goal ? [measured(goal.output)] : [])]);
}

/** @throws ForayError UNKNOWN_OUTPUT if the caller's goal is an output that is not compared */
function goalAmong(outputs: readonly Measure[], goal: Goal | undefined): Goal | undefined {
  if (!goal || outputs.some(({ name }) => name === goal.output)) return goal;
  throw new ForayError('UNKNOWN_OUTPUT', `No output "${goal.output}" is compared.`, {
    hint: `The compared outputs are ${outputs.map(({ name }) => `"${name}"`).join(', ')}.`,
  });
}

/** The common goal of both campaigns. Undefined if the goals differ, or if the output of the goal is not compared. */
function sharedGoal(a: Campaign, b: Campaign, outputs: readonly Measure[]): Goal | undefined {
  const isSame = a.goal?.output === b.goal?.output && a.goal?.wants === b.goal?.wants;
  return isSame && outputs.some(({ name }) => name === a.goal?.output) ? a.goal : undefined;
}

/** The outputs that both campaigns have by name, with the same statistic and units, as A and as B has them. */
function commonOutputs(
  a: readonly Measure[],
  b: readonly Measure[],
): Pick<Comparison, 'outputs' | 'outputsOfB'> {
  const pairs = a.flatMap((one) => {
    const other = b.find(({ name }) => name === one.name);
    return other?.statistic === one.statistic && other.units === one.units ? [{ one, other }] : [];
  });
  return { outputs: pairs.map(({ one }) => one), outputsOfB: pairs.map(({ other }) => other) };
}

function listed({ outputs }: Campaign): string {
  return outputs.map(({ name }) => `"${name}"`).join(', ') || 'none';
}

/** What is known of a comparison before its points are read. */
type Terms = Omit<Comparison, 'points'>;

async function* comparedPoints(a: Compared, b: Compared, terms: Terms): AsyncIterable<ComparedPoint> {
  const { matching, outputs, outputsOfB } = terms;
  const held = new HeldNumbers(outputs.length);
  const chance = new ByChance(terms.confidence);
  for await (const one of numbersOf(b.rows(), outputsOfB)) held.add(matching.b.keyOf(one), one.numbers);
  const none = outputs.map(() => []);
  let isAnyInBoth = false;
  for await (const one of numbersOf(a.rows(), outputs)) {
    const other = held.take(matching.a.keyOf(one));
    if (other) isAnyInBoth = true;
    yield {
      key: one.point,
      in: other ? 'both' : 'A',
      values: matching.a.valuesOf(one),
      outputs: comparedOutputs(one.numbers, other ?? none, terms, chance),
    };
  }
  if (held.size > 0) yield* onlyInB(b, held, terms, chance);
  if (!isAnyInBoth) throw nothingShared(terms);
}

async function* onlyInB(
  b: Compared,
  held: HeldNumbers,
  terms: Terms,
  chance: ByChance,
): AsyncIterable<ComparedPoint> {
  const { matching, outputsOfB } = terms;
  const none = outputsOfB.map(() => []);
  for await (const one of numbersOf(b.rows(), outputsOfB)) {
    if (!held.has(matching.b.keyOf(one))) continue;
    yield {
      key: one.point,
      in: 'B',
      values: matching.b.valuesOf(one),
      outputs: comparedOutputs(none, one.numbers, terms, chance),
    };
  }
}

/** Compares all outputs at a point. A campaign that does not have the point has no values. */
function comparedOutputs(
  a: PointNumbers['numbers'],
  b: PointNumbers['numbers'],
  { outputs, method, confidence }: Terms,
  chance: ByChance,
): ComparedOutput[] {
  return a.map((ofA, at) => {
    const ofB = b[at]!;
    const isPaired = method === 'paired' && ofA.length > 0 && ofB.length > 0;
    const found = differenceBy(method, isPaired)(outputs[at]!, ofA, ofB, confidence);
    const areExact = method === 'exact' && found.difference !== null;
    const [finishedA, finishedB] = [finished(ofA), finished(ofB)];
    return {
      ...found,
      differs: areExact ? !areSame(found.a.mean!, found.b.mean!) : differs(found),
      byChance: found.low === null ? null : chance.of(outputs[at]!, ofA, ofB, isPaired),
      runs: [finishedA.length, finishedB.length],
      lacking: [finishedA.filter(Number.isNaN).length, finishedB.filter(Number.isNaN).length],
    };
  });
}

/** The values of the finished replications; NaN for one without a value. */
function finished(values: readonly number[]): readonly number[] {
  return values.filter((value) => value !== UNFINISHED);
}

function nothingShared({ a, b, matching }: Terms): ForayError {
  const names = matching.varied.map(({ name }) => name).join(', ');
  return new ForayError('NOTHING_TO_COMPARE', `"${a.id}" and "${b.id}" have no finished point in common.`, {
    hint:
      names === '' ? undefined : `Their points have different values of ${names}, or have not finished yet.`,
  });
}
