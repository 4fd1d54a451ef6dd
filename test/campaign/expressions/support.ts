import {
  compileExpression,
  ExpressionError,
  type Value,
  type ValueType,
} from '../../../src/campaign/expressions/index.ts';

export const values: Record<string, Value> = {
  'Contact rate': 8,
  'Recovery rate': 1.005,
  Days: 14,
  Policy: 'fifo',
  Start: '2026-01-31T08:30:00',
  Open: true,
  '{RANDOM_SEED}': 42,
};
export const types = new Map(
  Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? 'text' : (typeof value as ValueType),
  ]),
);

export function evaluate(text: string): Value {
  return compileExpression(text, types).evaluate((name) => values[name]!);
}

export function refusal(
  text: string,
  wanted?: ValueType,
  inputs: ReadonlyMap<string, ValueType> = types,
): ExpressionError {
  try {
    compileExpression(text, inputs, wanted);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error(`${text} was compiled`);
}
