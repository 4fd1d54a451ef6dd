import { expect, test } from '@jest/globals';
import fc, { anyCharacter } from '../support/fast-check.ts';
import { toColumns, toOutputs } from '../../src/store/results/packed.ts';

const anyValue = fc.oneof(
  fc.string(),
  fc.string({ minLength: 900, maxLength: 1_100, unit: anyCharacter }),
  fc.array(fc.double(), { minLength: 200, maxLength: 300 }).map((dataX) => JSON.stringify({ dataX })),
);

const anyName = fc.oneof(fc.string(), fc.constantFrom(...Object.getOwnPropertyNames(Object.prototype)));

test('outputs of any length come back unchanged', () => {
  fc.assert(
    fc.property(fc.dictionary(anyName, anyValue), anyName, (outputs, name) => {
      const stored = toOutputs(toColumns(outputs));
      expect(new Map(Object.entries(stored))).toEqual(new Map(Object.entries(outputs)));
      expect(stored[name]).toBe(Object.hasOwn(outputs, name) ? outputs[name] : undefined);
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
  const none = toOutputs({ outputs: null, packed: null });
  expect([Object.keys(none), none.constructor]).toEqual([[], undefined]);
});
