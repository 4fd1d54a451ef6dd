import { compileExpression } from '../../src/campaign/expressions/index.ts';
import { drawCondition } from './conditions.ts';
import type { Rate } from './rate.ts';

export const title = 'Conditions over decimals, beside whole-number arithmetic';

const names = new Map(['x1', 'x2', 'x3'].map((name) => [name, 'number' as const]));

/** Two conditions for each campaign. */
export function rates({ campaigns, seed }: { campaigns: number; seed: number }): Rate[] {
  const drawn = Array.from({ length: 2 * campaigns }, (_, at) => drawCondition(seed * 1e6 + at));
  const isRight = drawn.map(({ text, values, isTrue }) => {
    const { evaluate } = compileExpression(text, names);
    return evaluate((name) => values[Number(name.slice(1)) - 1]!) === isTrue;
  });
  const rate = (which: (at: number) => boolean): Pick<Rate, 'of' | 'rate'> => {
    const own = isRight.filter((_, at) => which(at));
    return { of: own.length, rate: own.filter(Boolean).length / own.length };
  };
  return [
    { statement: 'the answer is right', from: 'all conditions', ...rate(() => true), least: 1 },
    {
      statement: 'the answer is right',
      from: 'conditions with equal sides',
      ...rate((at) => drawn[at]!.isTie),
      least: 1,
    },
  ];
}
