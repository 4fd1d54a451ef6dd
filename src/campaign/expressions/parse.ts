import { type Expression as Tree, parseExpressionAt } from 'acorn';
import { ExpressionError, shown } from './error.ts';
import { scan, type Scanned } from './scan.ts';

/**
 * The tree of an expression. Its nodes have start and end offsets. Each identifier stands for a name, and each string
 * literal stands for a text. `scanned` has the name or the text at the same offset.
 */
export interface Parsed {
  tree: Tree;
  scanned: Scanned;
}

/**
 * Parses an expression. Its operators have JavaScript's precedence, because acorn parses them. `scan` has refused
 * everything that could be a statement, a function or a template.
 *
 * @throws ExpressionError
 */
export function parse(text: string): Parsed {
  const scanned = scan(text);
  let tree: Tree;
  try {
    tree = parseExpressionAt(scanned.masked, 0, {
      ecmaVersion: 2016,
      sourceType: 'module',
      preserveParens: true,
    });
  } catch (error) {
    if (!(error instanceof SyntaxError && 'pos' in error && typeof error.pos === 'number')) throw error;
    throw unexpected(text, error.pos);
  }
  const rest = text.slice(tree.end).search(/\S/);
  if (rest >= 0) throw unexpected(text, tree.end + rest);
  return { tree, scanned };
}

/** Matches the part of the text at an offset, for a message: a word, a name, a number, an operator or one character. */
const FOUND = /`[^`]*`|[\p{L}\p{N}_$]+|\*\*|[=!<>]=|&&|\|\||[^]/uy;

function unexpected(text: string, offset: number): ExpressionError {
  FOUND.lastIndex = offset;
  const found = FOUND.exec(text)?.[0];
  if (text.trim() === '') return new ExpressionError('The expression is empty.', 0);
  if (found === undefined) return new ExpressionError('The expression ends too early.', text.length);
  return new ExpressionError(`${shown(found)} is not expected here.`, offset, { hint: hintFor(found) });
}

function hintFor(found: string): string | undefined {
  if (found === '**') return 'Put brackets around the part that the sign belongs to, such as -(2 ** 2).';
  return /^[\p{L}_$]/u.test(found)
    ? 'Put backticks around a name that contains a blank, such as `Contact rate`.'
    : undefined;
}
