import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import { Histogram, Simulation, Tally, TimeSeries, TimeWeighted } from '../../../models/kernel/index.ts';
import { outputText } from '../../../src/service/models/typed-values.ts';
import { moments } from './support.ts';

const numbers = fc.double({ min: -1e6, max: 1e6, noNaN: true });

describe('a tally', () => {
  test('has the moments of its values', () => {
    fc.assert(
      fc.property(fc.array(numbers, { minLength: 2 }), (values) => {
        const tally = new Tally();
        for (const value of values) tally.add(value);
        const { mean, variance } = moments(values);
        const scale = Math.max(...values.map(Math.abs), 1);
        expect(Math.abs(tally.mean! - mean)).toBeLessThan(1e-12 * scale);
        expect(Math.abs(tally.variance! - variance)).toBeLessThan(1e-11 * scale ** 2);
        const { count, min, max, deviation, sum } = tally.statistics();
        expect([count, min, max]).toEqual([values.length, Math.min(...values), Math.max(...values)]);
        expect(deviation).toBe(Math.sqrt(tally.variance!));
        expect(Math.abs((sum as number) - mean * values.length)).toBeLessThan(1e-10 * scale * values.length);
      }),
    );
  });

  test('has the exact variance of large values with small differences', () => {
    const tally = new Tally();
    for (const value of [4, 7, 13, 16]) tally.add(1e9 + value);
    expect(tally.variance).toBe(30);
  });

  test('has no mean, variance or extremes without values or after a reset', () => {
    const tally = new Tally();
    const none = tally.statistics();
    expect(none).toEqual({
      type: 'discrete',
      count: 0,
      min: null,
      max: null,
      mean: null,
      variance: null,
      deviation: null,
      sum: 0,
    });
    tally.add(5);
    expect(tally.statistics()).toMatchObject({ count: 1, min: 5, max: 5, mean: 5, variance: 0, sum: 5 });
    tally.reset();
    expect(tally.statistics()).toEqual(none);
    expect(() => outputText('STATISTICS_DISCRETE', none)).not.toThrow();
  });
});

describe('a time-weighted statistic', () => {
  /** Values and their durations, one after another. */
  const course = fc.array(fc.record({ value: numbers, duration: fc.constantFrom(0, 0.25, 1, 2.5) }), {
    minLength: 1,
  });

  test('weighs each value by its duration', () => {
    fc.assert(
      fc.property(course, (steps) => {
        const simulation = new Simulation(100);
        const statistic = new TimeWeighted(simulation);
        for (const { value, duration } of steps) {
          statistic.set(value);
          simulation.run(simulation.now + duration);
        }
        // `values` has each value once for each quarter of a time unit that the value lasted
        const values = steps.flatMap(({ value, duration }) => new Array<number>(4 * duration).fill(value));
        const { count, min, max, mean, variance, deviation, integral } = statistic.statistics();
        expect(statistic.mean).toBe(mean);
        if (values.length === 0)
          return expect([count, min, max, mean, variance]).toEqual([0, null, null, null, null]);
        const average = values.reduce((sum, value) => sum + value / values.length, 0);
        const spread = values.reduce((sum, value) => sum + (value - average) ** 2 / values.length, 0);
        const scale = Math.max(...values.map(Math.abs), 1);
        expect([min, max]).toEqual([Math.min(...values), Math.max(...values)]);
        expect(count).toBe(steps.filter(({ duration }) => duration > 0).length);
        expect(Math.abs(mean! - average)).toBeLessThan(1e-12 * scale);
        expect(Math.abs(variance! - spread)).toBeLessThan(1e-11 * scale ** 2);
        expect(deviation).toBe(Math.sqrt(variance!));
        expect(Math.abs((integral as number) - average * (values.length / 4))).toBeLessThan(1e-9 * scale);
      }),
    );
  });

  test('has exactly the mean of a constant quantity, and the variance 0', () => {
    const simulation = new Simulation();
    const statistic = new TimeWeighted(simulation, 7);
    for (const time of [9.640877616693038, 9.7, 13.1]) {
      simulation.run(time);
      expect(statistic.statistics()).toMatchObject({ mean: 7, variance: 0, deviation: 0 });
      statistic.set(7);
    }
  });

  test('has no negative variance, despite rounding', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
        numbers,
        numbers,
        (time, first, second) => {
          const simulation = new Simulation();
          const statistic = new TimeWeighted(simulation, first);
          simulation.run(1e-9 * time);
          statistic.set(second);
          simulation.run(time);
          expect(statistic.statistics().deviation).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });

  test('does not change when a program reads it', () => {
    const looked = (looks: boolean): string => {
      const simulation = new Simulation();
      const statistic = new TimeWeighted(simulation, 1);
      for (let i = 1; i < 40; i++) {
        simulation.run(i / 3);
        if (looks) statistic.statistics();
        simulation.run(i / 2.9);
        statistic.set(i % 7);
      }
      return JSON.stringify(statistic.statistics());
    };
    expect(looked(true)).toBe(looked(false));
  });

  test('keeps its value at a reset', () => {
    const simulation = new Simulation();
    const statistic = new TimeWeighted(simulation, 3);
    simulation.run(5);
    statistic.reset();
    expect([statistic.value, statistic.mean]).toEqual([3, null]);
    simulation.run(7);
    expect(statistic.statistics()).toEqual({
      type: 'continuous',
      count: 1,
      min: 3,
      max: 3,
      mean: 3,
      variance: 0,
      deviation: 0,
      integral: 6,
    });
    expect(() => outputText('STATISTICS_CONTINUOUS', statistic.statistics())).not.toThrow();
  });
});

describe('a histogram', () => {
  test('has decimal bounds', () => {
    const histogram = new Histogram(0, 0.1, 10);
    for (const value of [0, 0.1, 0.2, 0.3, 0.6, 0.7, 0.9, 0.95]) histogram.add(value);
    expect(histogram.data()).toMatchObject({ hits: [1, 1, 1, 1, 0, 0, 1, 1, 0, 2], hitsOutHigh: 0 });
  });

  test('counts each bound as the lower bound of its interval, whatever the decimals of the width are', () => {
    const decimals = fc.integer({ min: 0, max: 6 });
    const width = fc.integer({ min: 1, max: 999 });
    const first = fc.integer({ min: -5_000, max: 5_000 });
    fc.assert(
      fc.property(
        decimals,
        width,
        first,
        fc.integer({ min: 1, max: 40 }),
        (digits, steps, lowest, intervals) => {
          // decimal numbers as a person writes them
          const written = (units: number): number => Number(`${units}e-${digits}`);
          const histogram = new Histogram(written(lowest), written(steps), intervals);
          const bounds = Array.from({ length: intervals + 1 }, (_, n) => written(lowest + n * steps));
          for (const bound of bounds) histogram.add(bound);
          expect(histogram.data()).toMatchObject({ hits: bounds.slice(1).map(() => 1), hitsOutHigh: 1 });
          histogram.reset();
          // the largest number below a bound belongs to the interval before
          for (const bound of bounds)
            histogram.add(bound - Math.max(Number.MIN_VALUE, Math.abs(bound) * 2 ** -52));
          expect(histogram.data()).toMatchObject({ hits: bounds.slice(1).map(() => 1), hitsOutLow: 1 });
        },
      ),
    );
  });

  test('counts each value exactly once in the right interval', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 150 })), (values) => {
        const histogram = new Histogram(-10, 5, 20);
        for (const value of values) histogram.add(value);
        const { hits, hitsOutLow, hitsOutHigh, statistics } = histogram.data();
        const expected = Array.from(
          { length: 20 },
          (_, i) => values.filter((value) => value >= 5 * i - 10 && value < 5 * i - 5).length,
        );
        expect(hits).toEqual(expected);
        expect(hitsOutLow).toBe(values.filter((value) => value < -10).length);
        expect(hitsOutHigh).toBe(values.filter((value) => value >= 90).length);
        expect(statistics.count).toBe(values.length);
      }),
    );
  });

  test('has the form of an output for clients, and is empty after a reset', () => {
    const histogram = new Histogram(0, 0.5, 2);
    const empty = JSON.stringify(histogram.data());
    for (const value of [-1, 0, 0.4, 0.5, 1, Infinity]) histogram.add(value);
    expect(histogram.data()).toMatchObject({
      lowerBound: 0,
      intervalWidth: 0.5,
      hits: [2, 1],
      hitsOutLow: 1,
      hitsOutHigh: 2,
      statistics: { type: 'discrete', count: 6 },
    });
    expect(() => outputText('HISTOGRAM_DATA', histogram.data())).not.toThrow();
    histogram.reset();
    expect(JSON.stringify(histogram.data())).toBe(empty);
  });

  test.each([
    [0, 5],
    [-1, 5],
    [NaN, 5],
    [1, 0],
    [1, 1.5],
  ])('refuses the interval width %d with %d intervals', (width, intervals) => {
    expect(() => new Histogram(0, width, intervals)).toThrow(`${intervals} intervals of the width ${width}`);
  });
});

test.each([NaN, undefined as unknown as number])(
  'each statistic refuses the value %p, and stays as it was',
  (value) => {
    const simulation = new Simulation();
    const [tally, histogram, level] = [new Tally(), new Histogram(0, 1, 3), new TimeWeighted(simulation, 2)];
    const before = JSON.stringify([tally.statistics(), histogram.data(), level.value]);
    for (const add of [tally.add.bind(tally), histogram.add.bind(histogram), level.set.bind(level)]) {
      expect(() => add(value)).toThrow(`A value of a statistic cannot be ${value}`);
    }
    expect(JSON.stringify([tally.statistics(), histogram.data(), level.value])).toBe(before);
    expect(() => new Histogram(value, 1, 3)).toThrow(`cannot begin at ${value}`);
    expect(() => new TimeWeighted(simulation, NaN)).toThrow('cannot be NaN');
  },
);

describe('a time series', () => {
  test.each([
    [Infinity, 5],
    [NaN, 5],
    [9, 5],
    [12, 1],
    [12, 2.5],
  ])('cannot last until %d with %d samples', (until, samples) => {
    expect(() => new TimeSeries(new Simulation(10), until, samples, () => 0)).toThrow(
      `A time series cannot have ${samples} samples from 10 to ${until}`,
    );
  });

  test('has the requested number of samples, and takes each sample after the events at the same time', () => {
    const simulation = new Simulation(10);
    let level = 0;
    const series = new TimeSeries(simulation, 12, 5, () => level);
    for (const time of [10, 11, 11.2, 12]) simulation.scheduleAt(time, () => level++);
    simulation.run(12);
    expect(series.data()).toEqual({ dataX: [10, 10.5, 11, 11.5, 12], dataY: [1, 1, 2, 3, 4] });
    expect(() => outputText('DATA_SET', series.data())).not.toThrow();
  });

  test('has its last sample exactly at the end, despite rounding', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
        fc.integer({ min: 2, max: 300 }),
        (from, length, samples) => {
          const simulation = new Simulation(from);
          const series = new TimeSeries(simulation, from + length, samples, () => 0);
          simulation.run(from + length);
          expect(series.times).toHaveLength(samples);
          expect([series.times[0], series.times.at(-1)]).toEqual([from + 0, from + length]);
        },
      ),
    );
  });
});
