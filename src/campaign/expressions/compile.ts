import type {
  BinaryExpression,
  CallExpression,
  ConditionalExpression,
  Expression as Tree,
  Identifier,
  Literal,
  LogicalExpression,
  ParenthesizedExpression,
  UnaryExpression,
} from 'acorn';
import { quoted } from '../../text/suggest.ts';
import { compare, negative, type Quantity, quantity } from './decimals.ts';
import { ExpressionError } from './error.ts';
import { arithmetic, type Comparison, comparisons, orderOf } from './operators.ts';
import type { Scope } from './scope.ts';
import type { BooleanPart, NumberPart, Part, TextPart, ValueType, ValueOf } from './types.ts';

/** A part of an expression with its position. */
type Operand = Part & { tree: Tree };

/** The kinds of acorn's nodes that an expression may contain. */
type Known =
  | BinaryExpression
  | CallExpression
  | ConditionalExpression
  | Identifier
  | Literal
  | LogicalExpression
  | ParenthesizedExpression
  | UnaryExpression;

/** The names of operators in messages, where they differ from JavaScript's operators. */
const OPERATOR_NAMES = new Map([
  ['!', 'not'],
  ['&&', 'and'],
  ['||', 'or'],
]);

/**
 * Checks a tree and compiles it to closures, which do not need the tree again. Only a fixed set of nodes is allowed.
 *
 * @throws ExpressionError
 */
export function compile(tree: Tree, scope: Scope): Part {
  const known = tree as Known;
  switch (known.type) {
    case 'ParenthesizedExpression':
      return compile(known.expression, scope);
    case 'Literal':
      return literal(known, scope);
    case 'Identifier':
      return scope.read(known);
    case 'UnaryExpression':
      return unary(known, scope);
    case 'BinaryExpression':
      return binary(known, scope);
    case 'LogicalExpression':
      return logical(known, scope);
    case 'ConditionalExpression':
      return conditional(known, scope);
    case 'CallExpression':
      return call(known, scope);
  }
  throw notPart(tree, scope);
}

function notPart(tree: Tree, scope: Scope): ExpressionError {
  const isList = tree.type === 'SequenceExpression';
  return new ExpressionError(`${scope.source(tree)} is not part of an expression.`, tree.start, {
    hint: isList ? 'Write decimals after a point, such as 0.5.' : undefined,
  });
}

function literal(tree: Literal, scope: Scope): Part {
  const text = scope.textAt(tree.start);
  if (text !== undefined) return { type: 'text', run: () => text };
  const { value } = tree;
  if (typeof value !== 'number') throw notPart(tree, scope);
  if (value === Infinity) throw new ExpressionError(`${scope.source(tree)} is too large.`, tree.start);
  const number = quantity(value);
  return { type: 'number', run: () => number, follows: [] };
}

function operand(tree: Tree, scope: Scope): Operand {
  return { ...compile(tree, scope), tree };
}

/** Compiles an operand. Throws an error if the operand does not have the type that the operator takes. */
function operandOfType<T extends ValueType>(
  type: T,
  tree: Tree,
  operator: string,
  scope: Scope,
  hint?: string,
): Extract<Part, { type: T }> {
  const part = compile(tree, scope);
  if (part.type === type) return part as Extract<Part, { type: T }>;
  const takes = `${quoted(OPERATOR_NAMES.get(operator) ?? operator)} takes ${spoken(type)}`;
  throw new ExpressionError(`${scope.source(tree)} is ${spoken(part.type)}, but ${takes}.`, tree.start, {
    hint,
  });
}

/** The name of a type in messages. */
export function spoken(type: ValueType): string {
  return type === 'boolean' ? 'true or false' : `a ${type}`;
}

function unary({ operator, argument }: UnaryExpression, scope: Scope): Part {
  if (operator === '!') {
    const hint = 'Put brackets around everything that "not" negates, such as not (Days > 3).';
    const { run, lack } = operandOfType('boolean', argument, operator, scope, hint);
    return {
      type: 'boolean',
      run: (values) => !run(values),
      lack: (values, wanted) => lack(values, !wanted),
      equations: [],
    };
  }
  const part = operandOfType('number', argument, operator, scope);
  const { run, follows } = part;
  return operator === '-' ? { type: 'number', run: (values) => negative(run(values)), follows } : part;
}

function binary(tree: BinaryExpression, scope: Scope): Part {
  const { operator } = tree;
  const calculate = arithmetic.get(operator);
  if (calculate) {
    const left = operandOfType('number', tree.left as Tree, operator, scope);
    const right = operandOfType('number', tree.right, operator, scope);
    return {
      type: 'number',
      run: (values) => calculate(left.run(values), right.run(values)),
      follows: operator === '%' ? [] : [...left.follows, ...right.follows],
    };
  }
  const left = operand(tree.left as Tree, scope);
  const right = operand(tree.right, scope);
  // scan allows no other operators
  const comparison = comparisons.get(operator)!;
  if (comparison.isOrder) for (const side of [left, right]) checkOrdered(side, operator, scope);
  checkSame(left, right, scope);
  if (left.type === 'number') return comparedNumbers(left, right as NumberPart, operator);
  return left.type === 'text'
    ? comparedOthers(left, right as TextPart, comparison)
    : comparedOthers(left, right as BooleanPart, comparison);
}

function comparedNumbers(left: NumberPart, right: NumberPart, operator: string): BooleanPart {
  const { holds, opposite } = comparisons.get(operator)!;
  const whenTrue = lackOf(operator);
  const whenFalse = lackOf(opposite);
  return {
    type: 'boolean',
    run: (values) => holds(compare(left.run(values), right.run(values))),
    lack: (values, wanted) => {
      const [a, b] = [left.run(values), right.run(values)];
      if (holds(compare(a, b)) === wanted) return 0;
      return wanted ? whenTrue(a, b) : whenFalse(a, b);
    },
    equations: operator === '==' ? [[...left.follows, ...right.follows]] : [],
  };
}

/** The lack of a strict comparison of equal numbers, relative to their size. */
const TIE = 1e-9;

/** How far two numbers are from a comparison that does not hold; above 0. */
function lackOf(operator: string): (a: Quantity, b: Quantity) => number {
  const isStrict = operator === '<' || operator === '>' || operator === '!=';
  return ({ value: a }, { value: b }) => {
    const lack = Math.abs(a - b) + (isStrict ? TIE * (Math.abs(a) + Math.abs(b)) : 0);
    if (Number.isNaN(lack)) return Infinity;
    // numbers that are 0, or nearly 0, have no size
    return lack > 0 ? lack : TIE;
  };
}

/** Compares two texts or two truth values. They are either as wanted or not, so their lack has one size. */
function comparedOthers<T extends TextPart | BooleanPart>(
  left: T,
  right: T,
  { holds }: Comparison,
): BooleanPart {
  const run = (values: ValueOf): boolean => holds(orderOf(left.run(values), right.run(values)));
  return { type: 'boolean', run, lack: (values, wanted) => Number(run(values) !== wanted), equations: [] };
}

function checkOrdered({ type, tree }: Operand, operator: string, scope: Scope): void {
  if (type !== 'boolean') return;
  const message = `${scope.source(tree)} is true or false, but ${quoted(operator)} takes two numbers or two texts.`;
  throw new ExpressionError(message, tree.start, {
    hint: 'Combine comparisons with "and", such as 3 < Days and Days < 9.',
  });
}

function checkSame(left: Operand, right: Operand, scope: Scope): void {
  if (left.type === right.type) return;
  const { tree, type } = right;
  const message = `${scope.source(tree)} is ${spoken(type)}, but ${scope.source(left.tree)} is ${spoken(left.type)}.`;
  const isAboutText = left.type === 'text' || type === 'text';
  throw new ExpressionError(message, tree.start, {
    hint: isAboutText ? 'Put quotes around texts, and around nothing else.' : undefined,
  });
}

function logical({ operator, left, right }: LogicalExpression, scope: Scope): Part {
  const first = operandOfType('boolean', left, operator, scope);
  const second = operandOfType('boolean', right, operator, scope);
  const isAnd = operator === '&&';
  return {
    type: 'boolean',
    run: isAnd
      ? (values) => first.run(values) && second.run(values)
      : (values) => first.run(values) || second.run(values),
    // "and" is true if both are true, and false if one is false
    lack: (values, wanted) => {
      const [one, other] = [first.lack(values, wanted), second.lack(values, wanted)];
      return wanted === isAnd ? one + other : Math.min(one, other);
    },
    equations: isAnd ? [...first.equations, ...second.equations] : [],
  };
}

function conditional({ test, consequent, alternate }: ConditionalExpression, scope: Scope): Part {
  const choose = operandOfType('boolean', test, '?', scope);
  const first = operand(consequent, scope);
  const second = operand(alternate, scope);
  checkSame(first, second, scope);
  const chosen = (values: ValueOf): Operand => (choose.run(values) ? first : second);
  if (first.type === 'number')
    return { type: 'number', run: (values) => (chosen(values) as NumberPart).run(values), follows: [] };
  if (first.type === 'text')
    return { type: 'text', run: (values) => (chosen(values) as TextPart).run(values) };
  return {
    type: 'boolean',
    run: (values) => (chosen(values) as BooleanPart).run(values),
    lack: (values, wanted) =>
      Math.min(
        choose.lack(values, true) + first.lack(values, wanted),
        choose.lack(values, false) + (second as BooleanPart).lack(values, wanted),
      ),
    equations: [],
  };
}

function call(tree: CallExpression, scope: Scope): Part {
  const { name, apply, arguments: counts, hasSteps } = scope.functionOf(tree);
  const [fewest, most] = counts;
  const given = tree.arguments.length;
  if (given < fewest || given > most) {
    const takes = countText(fewest, most);
    throw new ExpressionError(`"${name}" takes ${takes}, not ${given}.`, tree.start);
  }
  const parts = tree.arguments.map((argument) => operandOfType('number', argument as Tree, name, scope));
  return {
    type: 'number',
    run: (values) => apply(...parts.map(({ run }) => run(values))),
    follows: hasSteps ? [] : parts.flatMap(({ follows }) => follows),
  };
}

/** The number of arguments that a function takes, in words. */
function countText(fewest: number, most: number): string {
  if (most === Infinity) return `at least ${fewest} ${fewest === 1 ? 'number' : 'numbers'}`;
  if (most > fewest) return `${fewest} or ${most} numbers`;
  return fewest === 1 ? '1 number' : `${fewest} numbers`;
}
