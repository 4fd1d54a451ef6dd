import { expect, test } from '@jest/globals';
import fc, { anyCharacter } from '../support/fast-check.ts';
import { toColumns, toOutputs } from '../../src/store/packed.ts';

const anyValue = fc.oneof(
  fc.string(),
  fc.string({ minLength: 900, maxLength: 1_100, unit: anyCharacter }),
  fc.array(fc.double(), { minLength: 200, maxLength: 300 }).map((dataX) => JSON.stringify({ dataX })),
);

test('outputs of any length come back unchanged', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), anyValue), (outputs) => {
      expect(toOutputs(toColumns(outputs))).toEqual({ ...outputs });
    }),
  );
});

test('large outputs are compressed, and small outputs are readable in the database', () => {
  const curve = JSON.stringify({ dataX: Array.from({ length: 500 }, (_, day) => day) });
  const { outputs, packed } = toColumns({ 'Peak day': '7', Infected: curve });
  expect(outputs).toBe('{"Peak day":"7"}');
  expect(packed!.length).toBeLessThan(curve.length / 2);
  expect(toColumns({ 'Peak day': '7' })).toEqual({ outputs: '{"Peak day":"7"}', packed: null });
});

test('a run for which no outputs are stored has no outputs', () => {
  expect(toOutputs({ outputs: null, packed: null })).toEqual({});
});
