import { expect, test } from '@jest/globals';
import type { Precision } from '../../src/campaign/precision.ts';
import { foreseen } from '../../src/client/foresee.ts';
import type { CloudClient } from '../../src/cloud/index.ts';
import { campaign } from '../store/fixtures.ts';

const precision: Precision = {
  min: 2,
  max: 10,
  outputs: ['Out'],
  relative: 0.1,
  absolute: null,
  confidence: 0.95,
};
const outputs = [{ name: 'Out', type: 'DOUBLE' as const, units: null }];

test.each([20, 39, 200])(
  'the estimate uses 20 of %i points, spread evenly over the design; the order of the answers does not matter',
  async (points) => {
    const read = new Set<number>();
    const cloud = {
      getRunResults(_version: string, id: string) {
        read.add(Number(id.split(' ')[0]));
        return Promise.resolve([{ outputs, value: '1' }]);
      },
    } as unknown as CloudClient;
    // the last point was answered first
    const completed = new Map(
      Array.from({ length: points }, (_, at): [number, string[]] => {
        const ordinal = points - 1 - at;
        return [ordinal, [`${ordinal} a`, `${ordinal} b`]];
      }),
    );
    const flu = { ...campaign('flu'), precision, outputs, replications: 2 };
    const found = await foreseen(cloud, flu, points, completed, undefined);
    expect(found?.points).toBe(20);
    const ordinals = [...read, points].sort((one, other) => one - other);
    const gaps = ordinals.slice(1).map((ordinal, at) => ordinal - ordinals[at]!);
    expect(ordinals[0]).toBe(0);
    expect(Math.max(...gaps)).toBe(Math.ceil(points / 20));
  },
);
