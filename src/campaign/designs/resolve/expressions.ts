import { nameKey } from '../../../api/index.ts';
import { ForayError } from '../../../errors.ts';
import { quoted } from '../../../text/suggest.ts';
import { compileExpression, ExpressionError, type ValueType } from '../../expressions/index.ts';
import type { Derivation } from '../resolved-design.ts';
import { expressionNames, valueType } from '../input-types.ts';
import type { WrittenDesign } from '../schema.ts';
import { type DesignFacts, newInput, type Path } from './inputs.ts';

/** Maximum number of characters that a message quotes from an expression, starting at the mistake. */
const LONGEST_REST = 20;

/** Resolves an input that an expression gives. */
export function resolveDerivation(
  written: string,
  expression: string,
  facts: DesignFacts,
  path: Path,
  taken: Set<string>,
): Derivation {
  const { name, type } = newInput(written, facts, facts.locate(path, 'key'), taken);
  if (type === 'INPUT_FILE') {
    throw new ForayError('INVALID_VALUE', `An expression cannot give a file, and "${name}" takes one.`, {
      place: facts.locate(path, 'key'),
      hint: 'Name the files in a grid, a zip or a list of points.',
    });
  }
  checkExpression(expression, valueType(type), facts, path);
  return { name, type, expression };
}

/** @throws ForayError INVALID_EXPRESSION */
export function checkExpression(
  text: string,
  wanted: ValueType,
  { inputs, locate }: Pick<DesignFacts, 'inputs' | 'locate'>,
  path: Path,
): void {
  try {
    compileExpression(text, expressionNames(inputs), wanted);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const rest = text.slice(error.offset, error.offset + LONGEST_REST);
    throw new ForayError(
      'INVALID_EXPRESSION',
      `The expression is wrong${rest ? ` at ${quoted(rest)}` : ''}: ${error.message}`,
      { place: locate(path), hint: error.hint },
    );
  }
}

/** The path in a design where an input is first derived. Empty if it is not derived. */
export function derivePath(written: WrittenDesign, input: string): PropertyKey[] {
  return pathIn(written, ({ derive = {} }) => {
    const own = Object.keys(derive).find((name) => nameKey(name) === nameKey(input));
    return own === undefined ? [] : ['derive', own];
  });
}

/** The path in a design where an expression is first used. */
export function expressionPath(written: WrittenDesign, expression: string): PropertyKey[] {
  return pathIn(written, ({ derive = {}, where }) => {
    const own = Object.keys(derive).find((name) => derive[name] === expression);
    if (own !== undefined) return ['derive', own];
    return where === expression ? ['where'] : [];
  });
}

/** The first path that `find` gives for a design or one of its members; empty if there is none. */
function pathIn(written: WrittenDesign, find: (design: WrittenDesign) => PropertyKey[]): PropertyKey[] {
  const own = find(written);
  if (own.length > 0) return own;
  for (const kind of ['product', 'union'] as const) {
    for (const [at, member] of (written[kind] ?? []).entries()) {
      const path = pathIn(member, find);
      if (path.length > 0) return [kind, at, ...path];
    }
  }
  return [];
}
