import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import type { Order } from '../../../models/inventory/system.ts';
import { expectOutputsOfDrawn } from '../drawing.ts';
import { expectMeans, moments } from '../kernel/support.ts';
import { inTheLongRun } from './chain.ts';
import { type Inputs, type Outputs, outputsOf, replications, sceneOf, systemOf } from './support.ts';

const costs = { setup: 32, item: 3, holding: 1, shortage: 5 };

describe('long-run outputs', () => {
  test.each([
    { s: 5, S: 15, period: 1, rate: 4, weights: [1], lag: { min: 0, max: 0 } },
    { s: 8, S: 20, period: 1, rate: 4, weights: [1], lag: { min: 1, max: 1 } },
    { s: 20, S: 40, period: 1, rate: 10, weights: [1, 2, 2, 1], lag: { min: 0.5, max: 1 } },
    { s: 40, S: 80, period: 1, rate: 10, weights: [1, 2, 2, 1], lag: { min: 0.5, max: 1 } },
    { s: 30, S: 30, period: 0.5, rate: 7, weights: [3, 0, 1], lag: { min: 2, max: 2.4 } },
    { s: -3, S: 12, period: 2, rate: 2.5, weights: [1, 1], lag: { min: 0.25, max: 1.75 } },
  ])('agree with the Markov chain for the policy ($s, $S) and the demand rate $rate a month', (system) => {
    const { s, S, period, rate, weights, lag } = system;
    const runs = replications(
      {
        'Reorder point': s,
        'Order-up-to level': S,
        'Review period': period,
        'Demand rate': rate,
        'Demand size weights': weights.join(),
        'Minimum delivery lag': lag.min,
        'Maximum delivery lag': lag.max,
        '{STOP_TIME}': 1_050,
        'Warm-up time': 50,
      },
      40,
    );
    const expected = inTheLongRun({
      reorderPoint: s,
      orderUpToLevel: S,
      reviewPeriod: period,
      demandRate: rate,
      weights,
      lag,
      costs,
    });
    expectMeans(expected, runs as unknown as Record<string, number>[]);
    const level = runs.map((run) => ({ level: run['Inventory level'].mean! }));
    expectMeans({ level: expected['Mean inventory'] - expected['Mean backorders'] }, level);
  });

  test('of the Markov chain equal the values in the documentation', () => {
    const page = readFileSync(
      path.join(import.meta.dirname, '../../../docs/reference/models/inventory.md'),
      'utf8',
    );
    const rows = [...page.matchAll(/^\| \((\d+), (\d+)\) +\|([^\n]+)\|$/gm)];
    expect(rows).toHaveLength(9);
    for (const [, s, S, figures] of rows) {
      const [total, ordering, holding, shortage, serviceLevel] = figures!.split('|').map(Number);
      const expected = inTheLongRun({
        reorderPoint: Number(s),
        orderUpToLevel: Number(S),
        reviewPeriod: 1,
        demandRate: 10,
        weights: [1, 2, 2, 1],
        lag: { min: 0.5, max: 1 },
        costs,
      });
      expect(expected['Mean total cost']).toBeCloseTo(total!, 2);
      expect(expected['Mean ordering cost']).toBeCloseTo(ordering!, 2);
      expect(expected['Mean holding cost']).toBeCloseTo(holding!, 2);
      expect(expected['Mean shortage cost']).toBeCloseTo(shortage!, 2);
      expect(expected['Service level']).toBeCloseTo(serviceLevel!, 3);
    }
  });

  // the book's values from one run of 120 months for each policy: total, ordering, holding and shortage cost
  test.each([
    [20, 40, 126.61, 99.26, 9.25, 18.1],
    [20, 60, 122.74, 90.52, 17.39, 14.83],
    [20, 80, 123.86, 87.36, 26.24, 10.26],
    [20, 100, 125.32, 81.37, 36.0, 7.95],
    [40, 60, 126.37, 98.43, 25.99, 1.95],
    [40, 80, 125.46, 88.4, 35.92, 1.14],
    [40, 100, 132.34, 84.62, 46.42, 1.3],
    [60, 80, 150.02, 105.69, 44.02, 0.31],
    [60, 100, 143.2, 89.05, 53.91, 0.24],
  ])(
    'of one run by Law and Kelton are within 4 standard deviations of the mean: policy (%d, %d)',
    (s, S, ...printed) => {
      const runs = replications({ 'Reorder point': s, 'Order-up-to level': S }, 60);
      const names = [
        'Mean total cost',
        'Mean ordering cost',
        'Mean holding cost',
        'Mean shortage cost',
      ] as const;
      for (const [i, name] of names.entries()) {
        const { mean, variance } = moments(runs.map((run) => run[name]));
        expect(Math.abs(printed[i]! - mean) / Math.sqrt(variance)).toBeLessThan(4);
      }
    },
  );
});

describe('a run', () => {
  const month = fc.double({ min: 0.2, max: 2, noNaN: true });

  test('loses no item: each ordered item is delivered or on order, and all demand is filled or backordered', () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 1000n),
        fc.integer({ min: -5, max: 40 }),
        month,
        month,
        (seed, s, lag, period) => {
          const system = systemOf({
            '{RANDOM_SEED}': seed,
            'Reorder point': s,
            'Order-up-to level': s + 25,
            'Review period': period,
            'Minimum delivery lag': lag,
            'Maximum delivery lag': lag + 1,
          });
          const seen = new Set<Order>();
          let before = { ...system.counts, onHand: 60, backorders: 0, delivered: 0 };
          // each delivery lag is longer than the time between two of these checks
          for (let time = 0; time <= 36; time += 0.1) {
            system.simulation.run(time);
            for (const order of system.orders) seen.add(order);
            const { ordered, demanded, filled, orders } = system.counts;
            const all = [...seen].reduce((sum, { items }) => sum + items, 0);
            expect([seen.size, all]).toEqual([orders, ordered]);
            const delivered = ordered - system.onOrder;
            expect(60 + delivered - demanded).toBe(system.level.value);
            const [onHand, backorders] = [system.onHand.value, system.backorders.value];
            expect([onHand - backorders, Math.min(onHand, backorders)]).toEqual([system.level.value, 0]);
            if (delivered === before.delivered) {
              expect(filled - before.filled).toBe(before.onHand - onHand);
              expect(demanded - filled - (before.demanded - before.filled)).toBe(
                backorders - before.backorders,
              );
            }
            before = { ...system.counts, onHand, backorders, delivered };
          }
        },
      ),
      { numRuns: 12 },
    );
  });

  test('reviews the inventory at its start but not at its end, and does not count orders before the end of the warm-up', () => {
    const base = {
      'Initial inventory': 0,
      'Demand rate': 0,
      'Minimum delivery lag': 5,
      'Maximum delivery lag': 5,
    };
    const months = { '{START_TIME}': -2, '{STOP_TIME}': 1 };
    const orders = (inputs: Inputs) => outputsOf({ ...base, ...months, ...inputs });
    expect(orders({})).toMatchObject({
      Orders: 1,
      'Mean ordering cost': (32 + 3 * 60) / 3,
      'Service level': null,
    });
    // the reorder point and the order-up-to level are equal here, so each review after a demand makes an order
    const busy = { 'Demand rate': 100, 'Reorder point': 60, 'Initial inventory': 60 };
    expect(orders(busy).Orders).toBe(2);
    expect(orders({ ...busy, 'Warm-up time': 1 }).Orders).toBe(2);
    expect(orders({ ...busy, 'Warm-up time': 1.5 }).Orders).toBe(1);
  });

  test('has the same demand and lags under another policy, so the difference between two policies varies less than with other seeds', () => {
    const [one, other] = [20, 25].map((s) => replications({ 'Reorder point': s }, 100)) as [
      Outputs[],
      Outputs[],
    ];
    const otherSeeds = replications({ 'Reorder point': 25 }, 100, 1_001);
    for (const [name, most] of [
      ['Mean total cost', 0.2],
      ['Mean ordering cost', 0.1],
      ['Mean holding cost', 0.3],
      ['Mean shortage cost', 0.5],
      ['Service level', 0.5],
    ] as const) {
      const varianceTo = (runs: Outputs[]) =>
        moments(one.map((run, i) => run[name]! - runs[i]![name]!)).variance;
      expect(varianceTo(other)).toBeLessThan(most * varianceTo(otherSeeds));
    }
  });

  test('has the same outputs, byte for byte, for the same seed, and other outputs for another seed', () => {
    const written = (seed: bigint) => JSON.stringify(outputsOf({ '{RANDOM_SEED}': seed }));
    expect(written(2n ** 63n - 1n)).toBe(written(2n ** 63n - 1n));
    expect(new Set([1n, 2n, -1n].map(written)).size).toBe(3);
  });

  test('has a chart of its whole course with 501 points', () => {
    for (const [start, stop] of [
      [0, 12],
      [-50, 3_000],
    ] as const) {
      const run = outputsOf({ '{START_TIME}': start, '{STOP_TIME}': stop });
      const [level, onOrder] = [run['Inventory|Level'], run['Inventory|On order']];
      expect([level.dataX.length, level.dataX[0], level.dataX.at(-1)]).toEqual([501, start, stop]);
      expect(onOrder.dataX).toEqual(level.dataX);
      expect(Math.min(...level.dataY)).toBeGreaterThanOrEqual(run['Inventory level'].min!);
      expect(Math.max(...level.dataY)).toBeLessThanOrEqual(run['Inventory level'].max!);
    }
  });

  test('reports its progress up to the end', () => {
    const told: number[] = [];
    outputsOf({}, (fraction) => told.push(fraction));
    expect(told).toEqual([...told].sort((a, b) => a - b));
    expect([told.length, told.at(-1)]).toEqual([100, 1]);
  });
});

describe('the animation', () => {
  test('has the same outputs as a run, for any steps and any number of pictures', () => {
    const more = { 'Warm-up time': 6 };
    expectOutputsOfDrawn(24, {
      sceneOf: (horizon) => sceneOf({ ...horizon, ...more }),
      outputsOf: (horizon) => outputsOf({ ...horizon, ...more }),
    });
  });

  test('shows stock, orders and backorders, even if they are many', () => {
    for (const [inputs, shown] of [
      [{}, ['On hand', 'warming up', 'S 60', 's 20']],
      [
        { 'Demand rate': 500, 'Order-up-to level': 1_500 },
        ['a box is 13 items', 'S 1,500', /and [\d,]+ more/],
      ],
      [{ 'Order-up-to level': 0, 'Reorder point': 0, 'Initial inventory': 0 }, ['S 0', 's 0']],
      [{ 'Order-up-to level': -8, 'Reorder point': -9 }, ['S -8', 's -9']],
      [{ 'Demand rate': 0, 'Setup cost': 0, 'Item cost': 0, 'Holding cost': 0 }, ['0.00', '–']],
      [{ 'Minimum delivery lag': 0, 'Maximum delivery lag': 0 }, ['On order']],
    ] as const) {
      const scene = sceneOf({ ...inputs, '{STOP_TIME}': 24, 'Warm-up time': 23 });
      const pictures = [scene.draw()];
      for (let time = 0.75; time < scene.end; time += 1.55) {
        scene.advance(time);
        pictures.push(scene.draw());
      }
      for (const text of shown) expect(pictures.join()).toMatch(text);
      for (const picture of pictures) expect(picture).not.toMatch(/NaN|undefined|Infinity/);
    }
  });
});
