import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import type { InputItem, RequestInputItem } from '../../src/api/resources.ts';
import { identityOf } from '../../src/service/runs/identity.ts';
import { readSettings } from '../../src/service/runs/parse-run-request.ts';

describe('identity of a parameter variation', () => {
  const template: InputItem[] = [
    { name: '{RANDOM_SEED}', type: 'LONG', units: null, value: '1' },
    { name: 'Rate', type: 'DOUBLE', units: 'PER_DAY', value: '0.5' },
    { name: 'Size', type: 'INTEGER', units: null, value: '10' },
    { name: 'Open', type: 'BOOLEAN', units: null, value: 'false' },
  ];
  const identity = (inputs: RequestInputItem[]) =>
    identityOf('version', readSettings(template, { experimentType: 'PARAMETER_VARIATION', inputs }));

  /** Different spellings of one range. */
  const spelled = (name: string, type: RequestInputItem['type'], bounds: [string, number][]) =>
    fc
      .tuple(
        fc.constantFrom(name, name.toUpperCase(), ` ${name.toLowerCase()} `),
        fc.shuffledSubarray(bounds, { minLength: bounds.length }),
        fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
        fc.boolean(),
      )
      .map(([name, order, quoted, isObject]): RequestInputItem => {
        const value = Object.fromEntries(
          order.map(([key, bound], at) => [key, quoted[at] ? ` ${bound} ` : bound]),
        );
        return { name, type, value: isObject ? value : JSON.stringify(value) };
      });

  const settings = fc.record({
    rate: fc.tuple(
      fc.integer({ min: -9, max: 9 }),
      fc.integer({ min: 0, max: 9 }),
      fc.integer({ min: 1, max: 9 }),
    ),
    size: fc.tuple(fc.integer(), fc.integer({ min: 0, max: 5 })),
    open: fc.boolean(),
  });

  const requestFor = ({
    rate: [min, length, step],
    size: [from, count],
    open,
  }: {
    rate: [number, number, number];
    size: [number, number];
    open: boolean;
  }) => {
    const last = Math.min(2 ** 31 - 1, from + count);
    const items = fc.tuple(
      spelled('Rate', 'FIXED_RANGE_DOUBLE', [
        ['min', min / 10],
        ['max', (min + length) / 10],
        ['step', step / 10],
      ]),
      spelled('Size', 'FIXED_RANGE_INTEGER', [
        ['min', from],
        ['max', last],
        ['step', 1],
      ]),
      fc.constantFrom<RequestInputItem>(
        open ? { name: 'Open', type: 'FULL_RANGE_BOOLEAN', value: 'any' } : { name: 'open', value: false },
        open ? { name: 'OPEN', type: 'FULL_RANGE_BOOLEAN', value: '' } : { name: 'Open', value: 'FALSE' },
      ),
      fc.constantFrom<RequestInputItem>(
        { name: '{RANDOM_SEED}', value: '1' },
        { name: '{random_seed}', type: 'LONG', value: 1 },
      ),
    );
    return items.chain((given) => fc.shuffledSubarray(given, { minLength: given.length }));
  };

  test('does not depend on the order, the spelling or repetitions of inputs', () => {
    fc.assert(
      fc.property(
        settings.chain((values) => fc.tuple(requestFor(values), requestFor(values))),
        ([one, other]) => {
          const repeated = [...other, ...other.map((item) => ({ ...item, value: 'other' }))];
          expect(identity(repeated)).toBe(identity(one));
        },
      ),
    );
  });

  test('differs exactly if the range or the type of an input differs', () => {
    fc.assert(
      fc.property(
        fc.tuple(settings, settings).chain(([a, b]) => fc.tuple(requestFor(a), requestFor(b))),
        ([one, other]) => {
          const [a, b] = [one, other].map((inputs) =>
            JSON.stringify(readSettings(template, { experimentType: 'PARAMETER_VARIATION', inputs })),
          );
          expect(identity(one) === identity(other)).toBe(a === b);
        },
      ),
    );
    const single = { experimentType: 'SIMULATION', inputs: { Open: '' }, types: {} } as const;
    expect(identityOf('v', { ...single, types: { Open: 'RANDOM_BOOLEAN' } })).not.toBe(
      identityOf('v', single),
    );
  });
});
