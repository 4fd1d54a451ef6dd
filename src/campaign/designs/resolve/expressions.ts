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
  const own = Object.keys(written.derive ?? {}).find((name) => nameKey(name) === nameKey(input));
  if (own !== undefined) return ['derive', own];
  for (const kind of ['product', 'union'] as const) {
    for (const [at, member] of (written[kind] ?? []).entries()) {
      const path = derivePath(member, input);
      if (path.length > 0) return [kind, at, ...path];
    }
  }
  return [];
}
