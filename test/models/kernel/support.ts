import { expect } from '@jest/globals';
import { type Random, resetAt, Resource, Simulation, Tally } from '../../../models/kernel/index.ts';

/** How far the mean of independent values is from the expected value, in standard errors. */
export function zOf(values: readonly number[], expected: number): number {
  const { mean, variance } = moments(values);
  return (mean - expected) / Math.sqrt(variance / values.length);
}

export function moments(values: readonly number[]): { mean: number; variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, variance };
}

/** Expects the means of replications to be within 4 standard errors of the expected value. */
export function expectMeans(expected: Record<string, number>, replications: Record<string, number>[]): void {
  const z = Object.fromEntries(
    Object.entries(expected).map(([name, value]) => [
      name,
      zOf(
        replications.map((replication) => replication[name]!),
        value,
      ),
    ]),
  );
  for (const [name, value] of Object.entries(z)) {
    if (!(Math.abs(value) <= 4)) throw new Error(`z of ${name} is ${value}, among ${JSON.stringify(z)}`);
  }
  expect(Object.keys(z)).toEqual(Object.keys(expected));
}

export interface System {
  servers: number;
  interarrival: () => number;
  service: () => number;
  warmUp: number;
  stop: number;
}

/** Simulates a queueing system of the kernel up to its stop. */
export function simulated({ servers, interarrival, service, warmUp, stop }: System) {
  const simulation = new Simulation();
  const desk = new Resource(simulation, servers);
  const inSystem = new Tally();
  const arrive = (): void => {
    simulation.schedule(interarrival(), arrive);
    desk.seize(serve, simulation.now);
  };
  const serve = (arrived: number): void => void simulation.schedule(service(), leave, arrived);
  const leave = (arrived: number): void => {
    inSystem.add(simulation.now - arrived);
    desk.release();
  };
  simulation.schedule(interarrival(), arrive);
  resetAt(simulation, warmUp, [desk, inSystem]);
  simulation.run(stop);
  return { desk, inSystem };
}

/**
 * The probability that a customer finds all servers busy, in a system that loses such customers. The load is arrival
 * rate × mean service time.
 */
export function erlangB(servers: number, load: number): number {
  let blocked = 1;
  for (let n = 1; n <= servers; n++) blocked = (load * blocked) / (n + load * blocked);
  return blocked;
}

/** The probability that a customer finds all servers busy, in a system where such customers wait. */
export function erlangC(servers: number, load: number): number {
  const blocked = erlangB(servers, load);
  return blocked / (1 - (load / servers) * (1 - blocked));
}

/** A source of random numbers that gives the passed numbers. */
export function given(...numbers: number[]): Random {
  return { next: () => numbers.shift()! };
}
