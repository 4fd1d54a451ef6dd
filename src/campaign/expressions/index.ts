import { compile, spoken } from './compile.ts';
import { ExpressionError } from './error.ts';
import { parse } from './parse.ts';
import { Scope } from './scope.ts';
import type { Value, Values, ValueType } from './types.ts';

export { ExpressionError };
export type { Value, Values, ValueType };

/** A checked expression over inputs that can be evaluated for each point. */
export interface Expression {
  /** What it gives. */
  type: ValueType;
  /** The inputs that it reads, with the model's spelling, each once. */
  names: readonly string[];
  /**
   * Never throws an error of its own. Each value must have the declared type of its input. An operation without a
   * finite result (a division by 0, the root of a negative number) gives Infinity or NaN. The caller reports it,
   * because the caller knows the point.
   * `exp`, `log`, `log10`, `pow` and `**` may differ in the last bit between machines and versions of Node, so a number
   * that becomes part of a point must be rounded to 12 significant digits.
   */
  evaluate: (values: Values) => Value;
}

/**
 * Compiles an expression such as "`Contact rate` > 2 * `Recovery rate` and Days <= 14".
 *
 * It has numbers, 'texts' in either quotes, true and false; names of inputs, in backticks where they are not one plain word (a
 * quote or backtick inside is doubled, a backslash means itself); + - * / % **, == != < <= > >=, and or not (also && || !), ? : and brackets, in JavaScript's
 * order; abs, min, max, round(x, digits), floor, ceil, sqrt, exp, log, log10, pow. % has the sign of its left side. Types are
 * checked here: only numbers are calculated with, only equal types compared, texts by their UTF-16 code units (so ISO dates
 * by time). An expression can do nothing else, and can reach nothing outside of it.
 *
 * @param inputs types by name, as the model spells them
 * @param wanted the type that it must give
 * @param noun the word for a named thing in messages
 * @throws ExpressionError with the offset in the text
 */
export function compileExpression(
  text: string,
  inputs: ReadonlyMap<string, ValueType>,
  wanted?: ValueType,
  noun = 'input',
): Expression {
  const { tree, scanned } = parse(text);
  const scope = new Scope(text, scanned, inputs, noun);
  const { type, run } = compile(tree, scope);
  if (wanted !== undefined && type !== wanted) {
    throw new ExpressionError(`The expression gives ${spoken(type)}, not ${spoken(wanted)}.`, tree.start, {
      hint: wanted === 'boolean' ? 'Compare it with something, such as Days > 3.' : undefined,
    });
  }
  return { type, names: [...scope.inputsRead], evaluate: run };
}
