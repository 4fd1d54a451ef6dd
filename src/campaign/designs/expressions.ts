import type { InputType } from '../../api/index.ts';
import { ForayError } from '../../errors.ts';
import { quoted } from '../../text/suggest.ts';
import { compileExpression, ExpressionError, type ValueType } from '../expressions/index.ts';
import { expressionNames, valueType } from './input-types.ts';
import { type DesignFacts, newInput, type Path } from './kind.ts';

/** An input that the design computes from other inputs. */
export interface Derivation {
  name: string;
  type: InputType;
  expression: string;
}

/** Maximum number of characters that a message quotes from an expression, starting at the mistake. */
const LONGEST_REST = 20;

/** Checks an expression under "derive", and the input whose value it gives. */
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
