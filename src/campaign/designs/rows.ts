import { canonicalValue, type RawValue, ValueError } from '../../api/index.ts';
import { ForayError, isForayError } from '../../errors.ts';
import { compileExpression, type Expression } from '../expressions/index.ts';
import { pointKeys } from '../keys.ts';
import { roundedDerived } from '../rounding.ts';
import { choose, quantile, wholeQuantile } from '../sampling/distributions.ts';
import { morrisLevels } from '../sampling/morris.ts';
import { saltelliUnit } from '../sampling/saltelli.ts';
import { unitPoints } from '../sampling/unit-points.ts';
import type { BaseInput } from '../types.ts';
import { type Derivation, type Design, hasDraws, inputsOf, type SpreadInput } from './resolved-design.ts';
import { factorialRows } from './factorial.ts';
import { expressionNames, operandOf } from './input-types.ts';
import { rulesOf } from '../search/rules.ts';
import { sampleWithin } from './sample-within.ts';
import { readRows } from './table.ts';

/** The data that determine the rows of a design, besides the design itself. */
export interface RowContext {
  /** The inputs of the version. Each input has the value that it takes when the design does not vary it. */
  base: readonly BaseInput[];
  /** The contents of point files, by the hash of the file. */
  contents: ReadonlyMap<string, Uint8Array>;
}

/** The error for a derived value that is invalid for its input. */
export class DeriveError extends Error {
  override readonly name = 'DeriveError';
  readonly input: string;

  /** @param message words that can follow "The value of X" */
  constructor(input: string, message: string) {
    super(message);
    this.input = input;
  }
}

/** The error for a value that is too large for an expression. */
export class OperandError extends ForayError {
  /** The text of the expression. */
  readonly expression: string;

  constructor(expression: string, { code, message, hint }: ForayError) {
    super(code, message, { hint });
    this.expression = expression;
  }
}

/**
 * The rows of a design, in its order: the canonical values of its inputs, in the order of `inputsOf`. Rows may repeat
 * in designs for which {@link sizeOf} is undefined.
 *
 * @throws DeriveError
 * @throws OperandError
 */
export function* rowsOf(design: Design, context: RowContext): Generator<readonly string[]> {
  switch (design.kind) {
    case 'grid':
      yield* combinations(design.values);
      return;
    case 'zip':
      for (const at of design.values[0]!.keys()) yield design.values.map((values) => values[at]!);
      return;
    case 'oneAtATime':
    case 'onePerInput':
      yield* oneAtATime(design.inputs, design.values, context);
      return;
    case 'list':
      yield* design.rows;
      return;
    case 'file':
      yield* readRows(context.contents.get(design.hash)!);
      return;
    case 'sample': {
      const { method, points, seed, scramble } = design;
      for (const point of unitPoints(method, { points, seed, scramble, names: inputsOf(design) }))
        yield drawnRow(design.inputs, point);
      return;
    }
    case 'morris':
      for (const { unit } of morrisLevels(design)) yield drawnRow(design.inputs, unit);
      return;
    case 'saltelli':
      for (const { unit } of saltelliUnit(design)) yield drawnRow(design.inputs, unit);
      return;
    case 'factorial':
      yield* factorialRows(design);
      return;
    case 'product':
      for (const rows of combinations(design.designs.map((member) => [...rowsOf(member, context)])))
        yield rows.flat();
      return;
    case 'union':
      yield* union(design.designs, inputsOf(design), context);
      return;
    case 'refined':
      yield* refined(design, context);
      return;
  }
}

/** Every combination of the items of lists; the last list varies fastest. */
function* combinations<T>(lists: readonly (readonly T[])[]): Generator<T[]> {
  const total = lists.reduce((product, { length }) => product * length, 1);
  for (let ordinal = 0; ordinal < total; ordinal += 1) {
    let rest = ordinal;
    const items = new Array<T>(lists.length);
    for (let at = lists.length - 1; at >= 0; at -= 1) {
      const list = lists[at]!;
      items[at] = list[rest % list.length]!;
      rest = Math.floor(rest / list.length);
    }
    yield items;
  }
}

function* oneAtATime(inputs: string[], values: string[][], { base }: RowContext): Generator<string[]> {
  const unchanged = baseValues(inputs, base);
  yield unchanged;
  for (const [at, list] of values.entries()) {
    for (const value of list) if (value !== unchanged[at]) yield unchanged.with(at, value);
  }
}

/**
 * The rows of several designs. A row that is not drawn appears only if no member before gave it. A drawn row appears as
 * often as it was drawn, in all members together.
 */
function* union(designs: Design[], inputs: string[], context: RowContext): Generator<string[]> {
  const unchanged = baseValues(inputs, context.base);
  const keyOf = pointKeys(inputs);
  /** For each row so far: whether it was drawn. */
  const seen = new Map<string, boolean>();
  for (const design of designs) {
    const own = inputsOf(design);
    const places = inputs.map((name) => own.indexOf(name));
    const isDrawn = hasDraws(design);
    for (const row of rowsOf(design, context)) {
      const values = places.map((place, at) => (place < 0 ? unchanged[at]! : row[place]!));
      const key = keyOf(values);
      const wasDrawn = seen.get(key);
      // the row of a grid that was also drawn counts only as a draw, in either order of the members
      const isNew = wasDrawn === undefined || (isDrawn && wasDrawn);
      seen.set(key, isDrawn || (wasDrawn ?? false));
      if (isNew) yield values;
    }
  }
}

function baseValues(inputs: string[], base: readonly BaseInput[]): string[] {
  return inputs.map((name) => base.find((input) => input.name === name)!.value);
}

/** Converts a row of unit coordinates to canonical values, one for each input. */
export function drawnRow(inputs: readonly SpreadInput[], unit: readonly number[]): string[] {
  return inputs.map((input, at) => drawn(input, unit[at]!));
}

function drawn({ isWhole, distribution }: SpreadInput, u: number): string {
  if (distribution.kind === 'choice') return choose(distribution, u);
  return String((isWhole ? wholeQuantile : quantile)(distribution, u));
}

/**
 * Adds the derived values to rows, and leaves out rows that do not meet the condition. A sample gets other rows in place
 * of those that are left out.
 */
function* refined(
  { design, derive, where }: Extract<Design, { kind: 'refined' }>,
  context: RowContext,
): Generator<readonly string[]> {
  const { base } = context;
  const inputs = inputsOf(design);
  const complete = completing({ inputs, derive, where }, base);
  if (design.kind === 'sample' && where !== null) {
    const rules = rulesOf(
      {
        where,
        derive: derive.map(({ name, type, expression }) => ({ name, type, expression, allowed: {} })),
      },
      inputs,
      base,
    );
    yield* sampleWithin(
      design,
      (unit) => complete(drawnRow(design.inputs, unit)),
      (unit) => rules.lackOf(rules.complete(drawnRow(design.inputs, unit))),
    );
    return;
  }
  for (const row of rowsOf(design, context)) {
    const whole = complete(row);
    if (whole) yield whole;
  }
}

/**
 * A function that adds the derived values to a row. It returns undefined for a row that does not meet the condition.
 *
 * @param inputs - the inputs of the row
 */
function completing(
  {
    inputs,
    derive,
    where,
  }: { inputs: readonly string[]; derive: readonly Derivation[]; where: string | null },
  base: readonly BaseInput[],
): (row: readonly string[]) => readonly string[] | undefined {
  const names = expressionNames(base);
  const derived = derive.map((one) => ({ one, expression: compileExpression(one.expression, names) }));
  const condition = where === null ? undefined : compileExpression(where, names);
  const types = new Map(base.map(({ name, type }) => [name, type]));
  const fixed = new Map(base.map(({ name, value }) => [name, value]));
  return (row) => {
    const own = new Map(inputs.map((name, at) => [name, row[at]!]));
    const unusable = new Map<string, RawValue>();
    const textOf = (name: string): string => own.get(name) ?? fixed.get(name)!;
    const written = (name: string): RawValue => unusable.get(name) ?? textOf(name);
    const read = (name: string): RawValue =>
      unusable.get(name) ?? operandOf(name, types.get(name)!, textOf(name));
    const evaluated = (text: string, { evaluate }: Expression): RawValue => {
      try {
        return evaluate(read);
      } catch (error) {
        throw isForayError(error) ? new OperandError(text, error) : error;
      }
    };
    let wrong: DeriveError | undefined;
    for (const { one, expression } of derived) {
      const { copied } = expression;
      // a number would not have all digits of a large LONG
      const isCopy = one.type === 'LONG' && copied !== undefined && types.get(copied) === 'LONG';
      const value = isCopy ? written(copied) : evaluated(one.expression, expression);
      try {
        own.set(
          one.name,
          canonicalValue(one.type, typeof value === 'number' ? roundedDerived(value) : value),
        );
      } catch (error) {
        if (!(error instanceof ValueError)) throw error;
        wrong ??= deriveError(one, error, expression, written);
        unusable.set(one.name, value);
      }
    }
    if (condition && evaluated(where!, condition) !== true) return undefined;
    // an omitted row may have invalid derived values
    if (wrong) throw wrong;
    return derive.length === 0 ? row : [...own.values()];
  };
}

function deriveError(
  { name }: Derivation,
  { message }: ValueError,
  { names }: Expression,
  written: (name: string) => RawValue,
): DeriveError {
  const inputs = names.map((input) => `${input} is ${written(input)}`).join(' and ');
  return new DeriveError(name, `${message}${inputs ? ` where ${inputs}` : ''}`);
}
