import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import {
  exponential,
  randomStream,
  resetAt,
  runWithProgress,
  Simulation,
  Tally,
} from '../../../models/kernel/index.ts';

describe('a simulation', () => {
  test('moves its clock from event to event, and passes each event its subject', () => {
    const simulation = new Simulation(10);
    const seen: [number, string][] = [];
    const note = (what: string): void => void seen.push([simulation.now, what]);
    simulation.schedule(2, note, 'later');
    simulation.schedule(0, note, 'now');
    simulation.scheduleAt(11.5, note, 'between');
    expect(simulation.pending).toBe(3);
    simulation.run();
    expect(seen).toEqual([
      [10, 'now'],
      [11.5, 'between'],
      [12, 'later'],
    ]);
    expect([simulation.now, simulation.pending]).toEqual([12, 0]);
  });

  test('runs all events up to the given time, and sets its clock to this time; an earlier time changes nothing', () => {
    const simulation = new Simulation();
    let count = 0;
    for (const delay of [1, 2, 2, 3]) simulation.schedule(delay, () => count++);
    simulation.run(2);
    expect([count, simulation.now]).toEqual([3, 2]);
    simulation.run(2.5);
    expect([count, simulation.now]).toEqual([3, 2.5]);
    simulation.run(1);
    expect([count, simulation.now]).toEqual([3, 2.5]);
  });

  test('orders events at the same time by priority and then in the order in which they were scheduled, even if an event at this time schedules another', () => {
    const simulation = new Simulation();
    const seen: string[] = [];
    const note = (what: string): void => void seen.push(what);
    simulation.schedule(1, note, 'last', 5);
    simulation.schedule(1, note, 'second');
    simulation.schedule(1, note, 'third');
    simulation.schedule(1, note, 'first', -5);
    simulation.schedule(1, () => simulation.schedule(0, note, 'fourth'));
    simulation.run();
    expect(seen).toEqual(['first', 'second', 'third', 'fourth', 'last']);
  });

  test('does not execute a cancelled event', () => {
    const simulation = new Simulation();
    const seen: number[] = [];
    const note = (n: number): void => void seen.push(n);
    const events = [1, 2, 3].map((n) => simulation.schedule(n, note, n));
    simulation.schedule(1, () => expect(simulation.cancel(events[1]!)).toBe(true));
    simulation.run();
    expect(seen).toEqual([1, 3]);
    expect(simulation.cancel(events[0]!)).toBe(false);
  });

  test('gives the same results for any number of steps', () => {
    const course = (stops: readonly number[]): number[] => {
      const simulation = new Simulation();
      const random = randomStream(1n, 1, 'gaps');
      const times: number[] = [];
      const arrive = (): void => {
        times.push(simulation.now);
        simulation.schedule(exponential(random, 1), arrive);
      };
      simulation.schedule(0, arrive);
      for (const stop of stops) simulation.run(stop);
      simulation.run(100);
      return times;
    };
    const whole = course([]);
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 100, noNaN: true })), (stops) => {
        expect(course(stops.sort((a, b) => a - b))).toEqual(whole);
      }),
      { numRuns: 50 },
    );
  });

  test.each([-1, NaN, Infinity])('does not schedule an event with the delay or the time %d', (delay) => {
    const simulation = new Simulation(5);
    expect(() => simulation.schedule(delay, () => undefined)).toThrow(`cannot happen ${delay} from now`);
    expect(() => simulation.scheduleAt(delay, () => undefined)).toThrow(`cannot happen at ${delay}`);
    expect(simulation.pending).toBe(0);
  });

  test.each([0.9, 2 ** 31, -(2 ** 31) - 1, NaN, Infinity])('refuses the priority %d', (priority) => {
    const simulation = new Simulation();
    expect(() => simulation.schedule(1, () => undefined, undefined, priority)).toThrow(
      `A priority cannot be ${priority}`,
    );
    expect(simulation.pending).toBe(0);
  });

  test('refuses an action that is not a function, such as the result of a call', () => {
    const simulation = new Simulation();
    const arrive = (): void => undefined;
    const result = arrive() as unknown as () => void;
    expect(() => simulation.schedule(1, result)).toThrow('An action must be a function, and not undefined');
    expect(() => simulation.scheduleAt(1, result)).toThrow('An action must be a function');
    expect(simulation.pending).toBe(0);
  });

  test('refuses to run until NaN, instead of running without an end, and to start at NaN', () => {
    const simulation = new Simulation();
    const again = (): void => void simulation.schedule(1, again);
    again();
    expect(() => simulation.run(NaN)).toThrow('cannot run until NaN');
    expect(() => runWithProgress(simulation, NaN, () => undefined)).toThrow('cannot run until NaN');
    expect(simulation.now).toBe(0);
    expect(() => new Simulation(NaN)).toThrow('cannot start at NaN');
  });
});

test('the end of a warm-up resets statistics before other events at the same time', () => {
  const simulation = new Simulation();
  const tally = new Tally();
  for (const time of [1, 2, 3, 4]) simulation.schedule(time, (n: number) => tally.add(n), time);
  resetAt(simulation, 3, [tally]);
  simulation.run();
  expect(tally.statistics()).toMatchObject({ count: 2, min: 3, max: 4, mean: 3.5 });
});
