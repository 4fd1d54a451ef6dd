import { canonicalValue, type RawValue, ValueError } from '../../api/index.ts';
import { ForayError, isForayError } from '../../errors.ts';
import { compileExpression, type Expression } from '../expressions/index.ts';
import { roundedDerived } from '../rounding.ts';
import { rulesOf } from '../search/rules.ts';
import type { Derivation } from './expressions.ts';
import { type BaseInput, expressionNames, operandOf } from './input-types.ts';
import type { AnyDesign, ResolvedKind, Row, RowContext } from './kind.ts';
import type { Sample } from './sample.ts';
import { sampleWithin } from './sample-within.ts';
import { drawnRow } from './spread-input.ts';

/** A design with computed inputs ("derive") or a condition ("where"). */
export interface Refined<D> {
  kind: 'refined';
  design: D;
  derive: Derivation[];
  where: string | null;
}

export function refined<D extends { kind: string }>(all: AnyDesign<D>): ResolvedKind<Refined<D>> {
  const inputs = ({ design, derive }: Refined<D>): string[] => [
    ...all.inputsOf(design),
    ...derive.map(({ name }) => name),
  ];
  return {
    inputs,
    rows: (design, context) => refinedRows(design, context, all),
    size: ({ design, where }) => (where === null ? all.sizeOf(design) : undefined),
    mostRows: ({ design }) => all.mostRows(design),
    levels: ({ design }) => all.levelsOf(design),
  };
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
  readonly expression: string;

  constructor(expression: string, { code, message, hint }: ForayError) {
    super(code, message, { hint });
    this.expression = expression;
  }
}

/**
 * Adds the derived values to rows, and leaves out rows that do not meet the condition. A sample draws other rows in their
 * place.
 */
function* refinedRows<D extends { kind: string }>(
  { design, derive, where }: Refined<D>,
  context: RowContext,
  { inputsOf, rowsWithPauses }: Pick<AnyDesign<D>, 'inputsOf' | 'rowsWithPauses'>,
): Generator<Row | undefined> {
  const { base } = context;
  const inputs = inputsOf(design);
  const complete = completing({ inputs, derive, where }, base);
  if (isSample(design) && where !== null) {
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
  for (const row of rowsWithPauses(design, context)) yield row && complete(row);
}

function isSample(design: { kind: string }): design is Sample {
  return design.kind === 'sample';
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
): (row: Row) => Row | undefined {
  const names = expressionNames(base);
  const derivations = derive.map((derivation) => ({
    derivation,
    expression: compileExpression(derivation.expression, names),
  }));
  const condition = where === null ? undefined : compileExpression(where, names);
  const types = new Map(base.map(({ name, type }) => [name, type]));
  const fixed = new Map(base.map(({ name, value }) => [name, value]));
  return (row) => {
    const varied = new Map(inputs.map((name, at) => [name, row[at]!]));
    // derived values that their inputs do not take: the condition may read them, and leave the row out
    const unusable = new Map<string, RawValue>();
    const textOf = (name: string): string => varied.get(name) ?? fixed.get(name)!;
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
    for (const { derivation, expression } of derivations) {
      const { name, type } = derivation;
      const { copied } = expression;
      // a number would not have all digits of a large LONG
      const isCopy = type === 'LONG' && copied !== undefined && types.get(copied) === 'LONG';
      const value = isCopy ? written(copied) : evaluated(derivation.expression, expression);
      try {
        varied.set(name, canonicalValue(type, typeof value === 'number' ? roundedDerived(value) : value));
      } catch (error) {
        if (!(error instanceof ValueError)) throw error;
        wrong ??= deriveError(name, error, expression, written);
        unusable.set(name, value);
      }
    }
    if (condition && evaluated(where!, condition) !== true) return undefined;
    // a row that is left out may have invalid derived values
    if (wrong) throw wrong;
    return derive.length === 0 ? row : [...varied.values()];
  };
}

function deriveError(
  name: string,
  { message }: ValueError,
  { names }: Expression,
  written: (name: string) => RawValue,
): DeriveError {
  const inputs = names.map((input) => `${input} is ${written(input)}`).join(' and ');
  return new DeriveError(name, `${message}${inputs ? ` where ${inputs}` : ''}`);
}
