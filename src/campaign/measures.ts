import { booleanIn, nameKey, numberIn, scalarOutputTypes, textIn } from '../api/index.ts';
import { ForayError, type Place } from '../errors.ts';
import { valueType } from './designs/input-types.ts';
import { quoted } from '../text/suggest.ts';
import { UnknownNameError } from '../unknown-name.ts';
import { compileExpression, ExpressionError, type Value, type ValueType } from './expressions/index.ts';
import type { Campaign, CampaignOutput } from './types.ts';

/**
 * The statistic over the runs of a point: the mean of a number, the share of runs in which a condition is true, or a
 * quantile.
 */
export type Statistic = 'mean' | 'share' | 'quantile';

/**
 * A number that is read from the outputs of a run: a numeric output, a BOOLEAN output (1 or 0), or a formula over
 * outputs, `P(condition)` or `Q(number, probability)`. `name` is the name of the output, or the formula.
 */
export interface Measure extends CampaignOutput {
  statistic: Statistic;
  /** The probability of a quantile, between 0 and 1; undefined for other statistics. */
  probability?: number;
  /** The outputs that the measure reads. */
  sources: readonly string[];
  /** Reads the number from the outputs of a run; undefined if the run has none. */
  read: (outputs: Readonly<Record<string, string>>) => number | undefined;
}

type Outputs = readonly CampaignOutput[];

const WANTED =
  'Write P(Peak > 300) for a share of the runs, or Q(Peak, 0.9) for a quantile. Put backticks around a name that contains a blank.';

/** Matches a formula: the first letter, which names the statistic, and the text after the opening bracket. */
const FORMULA = /^\s*([PQ])\s*\(([^]*)$/i;
/** Matches the text in the brackets of a quantile: an expression and a probability. */
const QUANTILE_OF = /^([^]*),\s*(\d*\.?\d+(?:e-?\d+)?)\s*$/i;

/** Whether a text has the form of a formula. An output may still have this text as its name. */
export function isFormula(written: string): boolean {
  return FORMULA.test(written);
}

/**
 * The measures of a campaign: its numeric and BOOLEAN outputs, then the formulas under outputs, in the precision of
 * replications and in the goal.
 */
export function measuresOf({
  outputs,
  derived = [],
  precision,
  goal,
}: Pick<Campaign, 'outputs' | 'derived' | 'precision' | 'goal'>): Measure[] {
  const own = outputs.flatMap((output) => ownMeasure(output) ?? []);
  const wanted = [...derived, ...(precision?.outputs ?? []), ...(goal ? [goal.output] : [])];
  return distinct([...own, ...wanted.map((name) => measureOf(outputs, name))]);
}

/**
 * The outputs that decide how a campaign goes on: those of its precision, its goal, its requirements and its
 * observations.
 */
export function decidingOutputs({
  outputs,
  precision,
  goal,
  strategy,
}: Pick<Campaign, 'outputs' | 'precision' | 'goal' | 'strategy'>): string[] {
  const observed = strategy.by === 'calibration' ? strategy.observed : [];
  const required = 'require' in strategy ? strategy.require : [];
  const numbers = observed.filter(({ kind }) => kind === 'number');
  const curves = observed.filter(({ kind }) => kind !== 'number');
  const judged = [...(goal ? [goal] : []), ...required, ...numbers];
  const measured = [...(precision?.outputs ?? []), ...judged.map(({ output }) => output)];
  const sources = measured.flatMap((name) => measureOf(outputs, name).sources);
  return [...new Set([...sources, ...curves.map(({ output }) => output)])];
}

/** Drops measures whose name an earlier measure has. */
export function distinct(measures: readonly Measure[]): Measure[] {
  return measures.filter(({ name }, at) => measures.findIndex((one) => one.name === name) === at);
}

/**
 * The measure of a text: the name of a numeric or BOOLEAN output, or a formula over outputs.
 *
 * @throws ForayError UNKNOWN_OUTPUT, INVALID_VALUE, INVALID_EXPRESSION
 */
export function measureOf(outputs: Outputs, written: string, place?: Place): Measure {
  const found = outputs.find(({ name }) => nameKey(name) === nameKey(written));
  if (found) {
    const measure = ownMeasure(found);
    if (measure) return measure;
    throw new UnknownNameError(
      'INVALID_VALUE',
      `The output ${quoted(found.name)} is ${found.type}, neither a number nor true or false.`,
      { name: written, known: knownMeasures(outputs), place },
    );
  }
  if (isFormula(written)) return formulaOf(outputs, written, place);
  throw new UnknownNameError('UNKNOWN_OUTPUT', `The campaign keeps no output ${quoted(written)}.`, {
    name: written,
    known: knownMeasures(outputs),
    place,
  });
}

function knownMeasures(outputs: Outputs): string[] {
  return outputs.filter(isMeasured).map(({ name }) => name);
}

/** Whether an output is a number or true or false, and so a measure. */
export function isMeasured({ type }: Pick<CampaignOutput, 'type'>): boolean {
  return valueType(type) !== 'text';
}

/** The measure of an output; undefined if the output is neither a number nor a BOOLEAN. */
function ownMeasure({ name, type, units }: CampaignOutput): Measure | undefined {
  const common = { name, type, units, sources: [name] };
  switch (valueType(type)) {
    case 'number':
      return { ...common, statistic: 'mean', read: (values) => numberIn(values[name]) };
    case 'boolean':
      return { ...common, statistic: 'share', read: (values) => bit(booleanIn(values[name])) };
    case 'text':
      return undefined;
  }
}

function formulaOf(outputs: Outputs, written: string, place: Place | undefined): Measure {
  const [, letter = '', rest = ''] = FORMULA.exec(written)!;
  const end = rest.trimEnd();
  if (!end.endsWith(')')) throw invalid(written, 'It does not end with its closing bracket.', place);
  const within = end.slice(0, -1).trim();
  return letter.toUpperCase() === 'P'
    ? shareOf(outputs, { written, within, place })
    : quantileOf(outputs, { written, within, place });
}

interface Formula {
  written: string;
  /** The text in the brackets. */
  within: string;
  place: Place | undefined;
}

function shareOf(outputs: Outputs, { written, within, place }: Formula): Measure {
  const { sources, evaluate } = compiled(outputs, within, 'boolean', { written, place });
  return {
    name: `P(${within})`,
    type: 'BOOLEAN',
    units: null,
    statistic: 'share',
    sources,
    read: (values) => bit(evaluate(values) as boolean | undefined),
  };
}

function quantileOf(outputs: Outputs, { written, within, place }: Formula): Measure {
  const [, number = '', last] = QUANTILE_OF.exec(within) ?? [];
  const probability = Number(last);
  if (!(probability > 0 && probability < 1))
    throw invalid(written, 'A quantile needs a probability between 0 and 1 after a comma.', place);
  const { sources, evaluate } = compiled(outputs, number.trim(), 'number', { written, place });
  const only = outputs.find(({ name }) => sources.length === 1 && nameKey(name) === plainName(number));
  return {
    name: `Q(${number.trim()}, ${probability})`,
    type: 'DOUBLE',
    // the units of a calculated number are unknown
    units: only?.units ?? null,
    statistic: 'quantile',
    probability,
    sources,
    read: (values) => {
      const value = evaluate(values) as number | undefined;
      return Number.isFinite(value) ? value : undefined;
    },
  };
}

/** The key of a name with or without backticks. */
function plainName(text: string): string {
  return nameKey(text.trim().replace(/^`([^]*)`$/, '$1'));
}

/**
 * Compiles an expression over outputs. Its value for a run is undefined if the run lacks an output that the expression
 * reads.
 */
function compiled(
  outputs: Outputs,
  text: string,
  wanted: ValueType,
  { written, place }: Pick<Formula, 'written' | 'place'>,
): { sources: readonly string[]; evaluate: (values: Readonly<Record<string, string>>) => Value | undefined } {
  const scalars = outputs.filter(({ type }) => scalarOutputTypes.includes(type));
  const types = new Map(scalars.map(({ name, type }) => [name, valueType(type)]));
  try {
    const { names, evaluate } = compileExpression(text, types, wanted, 'output of one value');
    if (names.length === 0) throw invalid(written, 'It names no output.', place);
    return {
      sources: names,
      evaluate: (values) => {
        const known = new Map<string, Value>();
        for (const name of names) {
          const value = valueIn(types.get(name)!, values[name]);
          if (value === undefined) return undefined;
          known.set(name, value);
        }
        return evaluate((name) => known.get(name)!);
      },
    };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw invalid(written, error.message, place, error.hint);
  }
}

function invalid(written: string, message: string, place: Place | undefined, hint?: string): ForayError {
  return new ForayError('INVALID_EXPRESSION', `The formula ${quoted(written)} is wrong: ${message}`, {
    place,
    hint: hint ?? WANTED,
  });
}

function valueIn(type: ValueType, text: string | undefined): Value | undefined {
  switch (type) {
    case 'number':
      return numberIn(text);
    case 'boolean':
      return booleanIn(text);
    case 'text':
      return textIn(text);
  }
}

function bit(value: boolean | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
