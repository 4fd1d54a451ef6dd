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
import { ExpressionError } from './error.ts';
import { arithmetic, equalities, orders } from './operators.ts';
import type { Scope } from './scope.ts';
import type { Part, Value, ValueType, Values } from './types.ts';

/** A part of an expression with its position. */
interface Operand extends Part {
  tree: Tree;
}

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
const SPOKEN = new Map([
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
  return { type: 'number', run: () => value };
}

function operand(tree: Tree, scope: Scope): Operand {
  return { ...compile(tree, scope), tree };
}

/** Compiles an operand. Throws an error if the operand does not have the type that the operator takes. */
function taken(type: ValueType, tree: Tree, operator: string, scope: Scope, hint?: string): Operand['run'] {
  const part = compile(tree, scope);
  if (part.type === type) return part.run;
  const takes = `${quoted(SPOKEN.get(operator) ?? operator)} takes ${spoken(type)}`;
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
    const run = taken('boolean', argument, operator, scope, hint);
    return { type: 'boolean', run: (values) => !run(values) };
  }
  const run = taken('number', argument, operator, scope) as (values: Values) => number;
  return { type: 'number', run: operator === '-' ? (values) => -run(values) : run };
}

function binary(tree: BinaryExpression, scope: Scope): Part {
  const { operator } = tree;
  const calculate = arithmetic.get(operator);
  if (calculate) {
    const left = taken('number', tree.left as Tree, operator, scope) as (values: Values) => number;
    const right = taken('number', tree.right, operator, scope) as (values: Values) => number;
    return { type: 'number', run: (values) => calculate(left(values), right(values)) };
  }
  const left = operand(tree.left as Tree, scope);
  const right = operand(tree.right, scope);
  const order = orders.get(operator);
  // scan allows no other operators
  const compare = order ?? equalities.get(operator)!;
  if (order) for (const side of [left, right]) checkOrdered(side, operator, scope);
  checkSame(left, right, scope);
  return { type: 'boolean', run: (values) => compare(left.run(values), right.run(values)) };
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
  const first = taken('boolean', left, operator, scope);
  const second = taken('boolean', right, operator, scope);
  const run =
    operator === '&&'
      ? (values: Values): Value => first(values) && second(values)
      : (values: Values): Value => first(values) || second(values);
  return { type: 'boolean', run };
}

function conditional({ test, consequent, alternate }: ConditionalExpression, scope: Scope): Part {
  const choose = taken('boolean', test, '?', scope);
  const first = operand(consequent, scope);
  const second = operand(alternate, scope);
  checkSame(first, second, scope);
  return { type: first.type, run: (values) => (choose(values) ? first.run(values) : second.run(values)) };
}

function call(tree: CallExpression, scope: Scope): Part {
  const { name, apply, arguments: counts } = scope.functionOf(tree);
  const [fewest, most] = counts;
  const given = tree.arguments.length;
  if (given < fewest || given > most) {
    const takes =
      most === fewest ? `${fewest}` : most === Infinity ? `at least ${fewest}` : `${fewest} or ${most}`;
    throw new ExpressionError(
      `"${name}" takes ${takes} ${fewest === 1 && most !== 2 ? 'number' : 'numbers'}, not ${given}.`,
      tree.start,
    );
  }
  const runs = tree.arguments.map(
    (argument) => taken('number', argument as Tree, name, scope) as (values: Values) => number,
  );
  const [first, second] = runs;
  const run =
    given === 1
      ? (values: Values): Value => apply(first!(values))
      : given === 2
        ? (values: Values): Value => apply(first!(values), second!(values))
        : (values: Values): Value => apply(...runs.map((one) => one(values)));
  return { type: 'number', run };
}
