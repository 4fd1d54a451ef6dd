import { isNumericType, isWholeType, RANDOM_SEED } from '../../api/index.ts';
import { ForayError } from '../../errors.ts';
import { type BaseInput, checkNumeric } from '../designs/input-types.ts';
import { pointsOver } from '../designs/index.ts';
import { checkExpression } from '../designs/expressions.ts';
import { type DesignFacts, inputsIn } from '../designs/kind.ts';
import { distinctValuesOf } from '../designs/value-lists.ts';
import { MOST_INPUTS } from '../sampling/unit-points.ts';
import { type Measure, measureOf } from '../measures.ts';
import type { ReadDefinition } from '../read.ts';
import { quoted } from '../../text/suggest.ts';
import type { Strategy } from '../strategy.ts';
import type { Begun, CampaignOutput, Goal } from '../types.ts';
import { canonical, checkUnits, type ModelInput } from '../input-values.ts';
import { goalIn, requirementsIn, WRONG_GOAL } from './goal.ts';
import { resolveComputed } from './resolve-computed.ts';
import { type Bounds, DEFAULT_POINTS, type Searched, type WrittenSearch } from './schema.ts';
import type { Search, SearchedInput, StopRule } from './search.ts';
import { checkExpressions } from './rules.ts';
import { spaceOf } from './space.ts';

/** With more points than this, a Gaussian process becomes slow, and CMA-ES is the better method. */
const MOST_GP_POINTS = 300;
/** With more inputs than this, CMA-ES is the better method too. */
const MOST_GP_INPUTS = 12;

/** Checks a search and the inputs that it varies. Mistakes are collected. */
export function beginSearch(read: ReadDefinition, facts: DesignFacts): Begun {
  const written = read.definition.search!;
  const inputs = resolveSearchedInputs(written, facts);
  const derive = resolveComputed(written.derive, facts, ['search'], inputs);
  facts.mistakes.attempt(() => checkSettings(read));
  return {
    design: pointsOver([...inputs, ...derive]),
    finish: ({ outputs }) => resolveSearch(read, { inputs, derive }, facts.base, outputs),
  };
}

/**
 * Checks the names and values of the inputs that a search varies, and resolves them. Mistakes are added to
 * `facts.mistakes`; the inputs are valid only without mistakes.
 */
function resolveSearchedInputs(written: WrittenSearch, facts: DesignFacts): SearchedInput[] {
  const path = ['search', 'over'];
  const given = inputsIn(written.over, facts, path, facts.fixed);
  if (given.length > MOST_INPUTS)
    facts.mistakes.add(
      new ForayError('INVALID_VALUE', `The search varies ${given.length} inputs.`, {
        place: facts.locate(path, 'key'),
        hint: `At most ${MOST_INPUTS} are allowed.`,
      }),
    );
  return given.flatMap(({ input, value, path: at }) => {
    const resolved = facts.mistakes.attempt(() => searchedInput(input, value, facts, at));
    return resolved ? [resolved] : [];
  });
}

function searchedInput(
  input: ModelInput,
  written: Searched,
  facts: DesignFacts,
  path: PropertyKey[],
): SearchedInput {
  const { name, type } = input;
  const { locate } = facts;
  if (name === RANDOM_SEED)
    throw new ForayError('INVALID_VALUE', `A search cannot vary ${RANDOM_SEED}.`, {
      place: locate(path, 'key'),
      hint: 'The best seed is only the luckiest one. Use replications.',
    });
  if (Array.isArray(written) || 'values' in written) {
    const listed = distinctValuesOf(input, written, facts, path);
    const isOrdered = isNumericType(type);
    const values = isOrdered ? listed.toSorted((a, b) => Number(a) - Number(b)) : listed;
    return { name, type, kind: 'choice', values, isOrdered };
  }
  return rangeOf(input, written, facts, path);
}

function rangeOf(
  input: ModelInput,
  written: Bounds,
  { locate }: Pick<DesignFacts, 'locate'>,
  path: PropertyKey[],
): SearchedInput {
  const { name, type } = input;
  const { min, max, scale = 'linear', units } = written;
  const [step, digits] = [written.step ?? null, written.digits ?? null];
  checkUnits(input, units, locate([...path, 'units']));
  checkNumeric(input, 'a range of numbers', locate(path));
  // `canonical` also checks what the model allows
  canonical(input, min, locate([...path, 'min']));
  canonical(input, max, locate([...path, 'max']));
  const wrong = (message: string, at: PropertyKey[], hint: string): ForayError =>
    new ForayError('INVALID_VALUE', message, { place: locate([...path, ...at]), hint });
  if (isWholeType(type) && (digits ?? 0) > 0)
    throw wrong(
      `The input "${name}" takes whole numbers, which have no digits after the point.`,
      ['digits'],
      'Leave "digits" out.',
    );
  if (isWholeType(type) && step !== null && !Number.isInteger(step))
    throw wrong(`The input "${name}" takes whole numbers.`, ['step'], 'Give a whole number as the step.');
  if (step !== null && step > max - min)
    throw wrong(
      `The bounds of "${name}" allow only one value.`,
      [],
      'Give the value under "inputs", or give a smaller step.',
    );
  const bounds = digits === null ? { min, max } : inward(min, max, digits);
  if (bounds.min >= bounds.max)
    throw wrong(
      `The bounds of "${name}" allow at most one value with "digits: ${digits}".`,
      [],
      'Give the value under "inputs", or give more digits.',
    );
  return { name, type, kind: 'range', ...bounds, scale, step, digits };
}

/** Rounds bounds to digits after the decimal point, so that no value between them is outside the written bounds. */
function inward(min: number, max: number, digits: number): { min: number; max: number } {
  const rounded = (value: number): number => Number(value.toFixed(digits));
  const step = 10 ** -digits;
  const [low, high] = [rounded(min), rounded(max)];
  return {
    min: low < min ? rounded(low + step) : low,
    max: high > max ? rounded(high - step) : high,
  };
}

/** @throws ForayError INVALID_VALUE if other settings contradict `search` */
function checkSettings({ definition, locate }: ReadDefinition): void {
  const { goal, replications } = definition;
  const wrong = (message: string, path: string[], hint: string): ForayError =>
    new ForayError('INVALID_VALUE', message, { place: locate(path, 'key'), hint });
  if (goal)
    throw wrong('The goal of a search is what it minimizes or maximizes.', ['goal'], 'Leave "goal" out.');
  if (typeof replications === 'object' && 'output' in replications)
    throw wrong(
      'A search does not replicate points until they are precise.',
      ['replications'],
      'Write a number, or {min, max} to replicate a point until it can be distinguished from the best point.',
    );
}

/** Resolves the rest of a search when the outputs of the campaign are known. */
function resolveSearch(
  { definition, locate, mistakes }: ReadDefinition,
  { inputs, derive }: Required<Pick<Search, 'inputs' | 'derive'>>,
  base: readonly BaseInput[],
  outputs: readonly CampaignOutput[],
): { strategy: Strategy; goal: Goal } {
  const written = definition.search!;
  const { where = null } = written;
  const before = mistakes.count;
  if (where !== null)
    mistakes.attempt(() => checkExpression(where, 'boolean', { inputs: base, locate }, ['search', 'where']));
  const goal = mistakes.attempt(() => goalIn(written, outputs, locate, 'search'));
  if (goal) mistakes.attempt(() => checkQuantile({ definition, locate }, measureOf(outputs, goal.output)));
  const require = requirementsIn(written, outputs, { locate, mistakes }, 'search');
  const method = mistakes.attempt(() => methodOf(written, inputs, locate));
  if (method) mistakes.attempt(() => checkGain(written.stop, method, locate));
  const search: Search = {
    inputs,
    where,
    ...(derive.length > 0 && { derive }),
    require,
    // in place of a method with a mistake, any method
    method: method ?? 'gp',
    parallel: written.parallel,
    ...(written.order === 'free' && { order: 'free' }),
    stop: stopRuleOf(written),
    ...(written.start && { start: written.start }),
    confirm: written.confirm ?? null,
    most: mostReplications(definition.replications),
  };
  if (mistakes.count === before)
    mistakes.attempt(() => checkRules(search, definition.seed ?? 0, base, locate));
  return { strategy: { by: 'search', ...search }, goal: goal ?? WRONG_GOAL };
}

/**
 * The method. `auto` is cma for many points or inputs, if all inputs have an order; otherwise it is gp. The folder of
 * an outside optimiser is found later.
 */
function methodOf(
  { method, stop, order }: WrittenSearch,
  inputs: readonly SearchedInput[],
  locate: ReadDefinition['locate'],
): Search['method'] {
  if (typeof method === 'object') {
    if (order === 'fixed') return { ...method, folder: '', files: {} };
    throw new ForayError('INVALID_VALUE', 'An outside optimiser takes results in a fixed order.', {
      place: locate(['search', 'order']),
      hint: 'Leave "order" out, or use a built-in method.',
    });
  }
  const unordered = inputs.find((input) => input.kind === 'choice' && !input.isOrdered);
  if ((method === 'cma' || method === 'direct') && unordered)
    throw new ForayError(
      'INVALID_VALUE',
      `The method ${method} takes only numbers, and "${unordered.name}" takes other values.`,
      {
        place: locate(['search', 'method']),
        hint: 'Use the method gp, or submit one search for each value of the input.',
      },
    );
  if (method !== 'auto') return method;
  const isLarge = (stop.points ?? 0) > MOST_GP_POINTS || inputs.length > MOST_GP_INPUTS;
  return isLarge && !unordered ? 'cma' : 'gp';
}

/** @throws ForayError INVALID_VALUE if the search should end by the expected improvement, which only gp computes */
function checkGain(
  { gain }: WrittenSearch['stop'],
  method: Search['method'],
  locate: ReadDefinition['locate'],
): void {
  if (gain === undefined || method === 'gp') return;
  const used = typeof method === 'string' ? `the method ${method}` : 'an outside optimiser';
  throw new ForayError('INVALID_VALUE', `The rule "gain" needs the method gp, and the search uses ${used}.`, {
    place: locate(['search', 'stop', 'gain'], 'key'),
    hint: 'Use "stall" or "points" in its place, or the method gp.',
  });
}

/** Without `points`, `runs` and `stall`, a search ends after the default number of points: other rules may never hold. */
function stopRuleOf({ stop }: WrittenSearch): StopRule {
  const { points, runs, value, gain, stall } = stop;
  const hasEnd = [points, runs, stall].some((limit) => limit !== undefined);
  return {
    points: points ?? (hasEnd ? null : DEFAULT_POINTS),
    runs: runs ?? null,
    value: value ?? null,
    gain: gain ?? null,
    stall: stall ?? null,
  };
}

/** @throws ForayError INVALID_VALUE if the goal is a quantile, but points should be compared by their means */
function checkQuantile(
  { definition, locate }: Pick<ReadDefinition, 'definition' | 'locate'>,
  { name, statistic }: Measure,
): void {
  const { minimize, confirm } = definition.search!;
  const isRaced = mostReplications(definition.replications) !== null;
  if (statistic !== 'quantile' || (!confirm && !isRaced)) return;
  throw new ForayError('INVALID_VALUE', `${quoted(name)} is a quantile.`, {
    place: locate(['search', minimize === undefined ? 'maximize' : 'minimize']),
    hint: `Points are compared by their means or shares: name an output, or P(…), or ${confirm ? 'leave "confirm" out' : 'write a number of "replications"'}.`,
  });
}

/** The most replications of a point that is raced; null if each point gets the same number. */
function mostReplications(replications: ReadDefinition['definition']['replications']): number | null {
  return typeof replications === 'object' && !('output' in replications) ? replications.max : null;
}

/**
 * @throws ForayError INVALID_VALUE if an expression reads a value that is too large; EMPTY_DESIGN if no point is found
 *   that may be run
 */
function checkRules(
  search: Search,
  seed: number,
  base: readonly BaseInput[],
  locate: ReadDefinition['locate'],
): void {
  const { inputs, where, derive = [] } = search;
  if (where === null && derive.length === 0) return;
  const varied = inputs.map((input) => ({
    name: input.name,
    values: input.kind === 'choice' ? input.values : [String(input.min), String(input.max)],
    isReal: isReal(input),
  }));
  checkExpressions(search, varied, base, (path) => locate(['search', ...path]));
  const allowed = spaceOf(search, base).allowed(seed);
  if (!allowed.isEmpty) return;
  const rules = where === null ? 'what the model allows for the inputs under "derive"' : '"where"';
  const what = allowed.list()
    ? 'no point meets'
    : `none of ${allowed.tried.toLocaleString('en')} tried points meets`;
  throw new ForayError('EMPTY_DESIGN', `The search has no points: ${what} ${rules}.`, {
    place: locate(['search', where === null ? 'derive' : 'where']),
    hint: 'Widen the bounds under "over", change the condition, or compute an input from others with "derive".',
  });
}

/** Whether an input takes every number between its bounds. */
function isReal(input: SearchedInput): boolean {
  return input.kind === 'range' && !isWholeType(input.type) && input.step === null && input.digits === null;
}
