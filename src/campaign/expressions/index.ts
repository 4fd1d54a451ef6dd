import { compile, spoken } from './compile.ts';
import { difference } from './decimals.ts';
import { ExpressionError } from './error.ts';
import { parse } from './parse.ts';
import { Scope } from './scope.ts';
import type { NamedTypes, Value, ValueOf, ValueType } from './types.ts';

export { difference, ExpressionError };
export type { NamedTypes, Value, ValueOf, ValueType };

/** A checked expression over inputs or outputs. It can be evaluated for each point or run. */
export interface Expression {
  type: ValueType;
  /** The inputs or outputs that the expression reads, with the model's spelling, each once. */
  names: readonly string[];
  /** The input whose name is the whole expression, if there is one. */
  copied: string | undefined;
  /**
   * Computes the value, and never throws an error of its own. Each value must have the declared type of its input. An
   * operation without a finite result (a division by 0, the root of a negative number) gives Infinity or NaN. The
   * caller reports such a result, because the caller knows the point. `exp`, `log`, `log10`, `pow` and `**` may differ
   * in the last bit between machines and versions of Node, so a number that becomes part of a point must be rounded to
   * 12 significant digits.
   */
  evaluate: (values: ValueOf) => Value;
  /**
   * How far the values are from making the expression true: 0 if it is true, otherwise the branch distance of B. Korel,
   * "Automated software test data generation", IEEE Transactions on Software Engineering 16 (1990) 870-879. Infinity if
   * the expression is not a condition.
   */
  lack: (values: ValueOf) => number;
  /**
   * For each equality of numbers that must hold where the expression is true: the inputs that it ties to each other. A
   * real input among them has almost no value that meets the equality.
   */
  equations: readonly (readonly string[])[];
  /** The inputs with which a number changes at almost every step, however small. Rounded inputs are not among them. */
  follows: readonly string[];
}

/**
 * Compiles an expression such as "`Contact rate` > 2 * `Recovery rate` and Days <= 14".
 *
 * An expression consists of numbers, 'texts' in single or double quotes, true and false; names of inputs, in backticks
 * if they are not one plain word (a quote or backtick inside is doubled, a backslash has no special meaning); the
 * operators + - * / % **, == != < <= > >=, and or not (also && || !), ? : and brackets, with JavaScript's precedence;
 * and the functions abs, min, max, round(x, digits), floor, ceil, sqrt, exp, log, log10, pow. The result of % has the
 * sign of its left side.
 *
 * Numbers are computed and compared as decimals (decimals.ts), so 0.1 + 0.2 == 0.3 is true.
 *
 * Types are checked here: arithmetic takes only numbers, and a comparison takes two values of the same type. Texts are
 * compared by their UTF-16 code units, which orders ISO dates by time. An expression can do nothing else, and has no
 * access to anything outside of it.
 *
 * @param inputs types by name, as the model spells them
 * @param wanted the type that the value of the expression must have
 * @param noun what messages call a thing that has a name, such as "input"
 * @throws ExpressionError with the offset in the text
 */
export function compileExpression(
  text: string,
  inputs: NamedTypes,
  wanted?: ValueType,
  noun = 'input',
): Expression {
  const { tree, scanned } = parse(text);
  const scope = new Scope(text, scanned, inputs, noun);
  const part = compile(tree, scope);
  const { type } = part;
  if (wanted !== undefined && type !== wanted) {
    throw new ExpressionError(`The expression gives ${spoken(type)}, not ${spoken(wanted)}.`, tree.start, {
      hint: wanted === 'boolean' ? 'Compare it with something, such as Days > 3.' : undefined,
    });
  }
  const names = [...scope.inputsRead];
  return {
    type,
    names,
    copied: tree.type === 'Identifier' ? names[0] : undefined,
    evaluate: part.type === 'number' ? (values) => part.run(values).value : part.run,
    lack: part.type === 'boolean' ? (values) => part.lack(values, true) : () => Infinity,
    equations: part.type === 'boolean' ? part.equations : [],
    follows: part.type === 'number' ? part.follows : [],
  };
}
