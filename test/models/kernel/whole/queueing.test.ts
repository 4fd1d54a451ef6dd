import { describe, expect, test } from '@jest/globals';
import {
  erlang,
  exponential,
  lognormal,
  type Random,
  randomStream,
  Resource,
  Simulation,
  Tally,
  TimeWeighted,
  uniform,
} from '../../../../models/kernel/index.ts';
import { erlangB, erlangC, expectMeans, moments, simulated } from '../support.ts';

const REPLICATIONS = 12;

/**
 * The number of customers in the warm-up. It is ten times the relaxation time of a queue with one server, because this
 * queue settles the slowest.
 */
function warmUpOf(utilization: number): number {
  return 10 / (1 - Math.sqrt(utilization)) ** 2;
}

function replications<T>(run: (replication: number) => T): T[] {
  return Array.from({ length: REPLICATIONS }, (_, i) => run(i + 1));
}

/** The statistics of a system with Poisson arrivals, service times with a mean of 1, and a number of servers. */
function figures(
  servers: number,
  utilization: number,
  service: (random: Random) => number,
  replication: number,
) {
  const rate = servers * utilization;
  const arrivals = randomStream(1n, replication, 'arrivals');
  const services = randomStream(1n, replication, 'services');
  const warmUp = warmUpOf(utilization) / rate;
  const { desk, inSystem } = simulated({
    servers,
    interarrival: () => exponential(arrivals, 1 / rate),
    service: () => service(services),
    warmUp,
    stop: warmUp + Math.max(10_000, 10 * warmUpOf(utilization)) / rate,
  });
  return {
    utilization: desk.busy.mean! / servers,
    queue: desk.waiting.mean!,
    wait: desk.waits.mean!,
    inSystem: inSystem.mean!,
  };
}

describe('M/M/c agrees with Erlang C', () => {
  const cells = [1, 2, 5, 20].flatMap((servers) =>
    [0.5, 0.7, 0.9].map((utilization) => ({ servers, utilization })),
  );

  test.each(cells)('for $servers servers at the utilization $utilization', ({ servers, utilization }) => {
    const queue = (erlangC(servers, servers * utilization) * utilization) / (1 - utilization);
    const wait = queue / (servers * utilization);
    expectMeans(
      { utilization, queue, wait, inSystem: wait + 1 },
      replications((replication) =>
        figures(servers, utilization, (random) => exponential(random, 1), replication),
      ),
    );
  });
});

describe('M/G/1 agrees with Pollaczek and Khinchine', () => {
  const services: [name: string, service: (random: Random) => number, secondMoment: number][] = [
    ['constant', () => 1, 1],
    ['uniform', (random) => uniform(random, 0, 2), 4 / 3],
    ['Erlang', (random) => erlang(random, 3, 1), 4 / 3],
    ['lognormal', (random) => lognormal(random, -0.5, 1), Math.E],
  ];

  test.each(services)('for %s service times', (_name, service, secondMoment) => {
    const utilization = 0.8;
    const wait = (utilization * secondMoment) / (2 * (1 - utilization));
    expectMeans(
      { utilization, wait, queue: utilization * wait, inSystem: wait + 1 },
      replications((replication) => figures(1, utilization, service, replication)),
    );
  });
});

describe('M/G/c/c agrees with Erlang B', () => {
  const services: [name: string, service: (random: Random) => number][] = [
    ['exponential', (random) => exponential(random, 1)],
    // only the mean of the service time matters
    ['lognormal', (random) => lognormal(random, -0.5, 1)],
  ];

  test.each(services)('for %s service times', (_name, service) => {
    const [servers, load] = [5, 4];
    const run = (replication: number) => {
      const [arrivals, times] = ['arrivals', 'services'].map((name) => randomStream(2n, replication, name));
      const simulation = new Simulation();
      const desk = new Resource(simulation, servers);
      let [arrived, lost] = [0, 0];
      const arrive = (): void => {
        simulation.schedule(exponential(arrivals!, 1 / load), arrive);
        arrived++;
        if (desk.busy.value < servers) desk.seize(serve, undefined);
        else lost++;
      };
      const serve = (): void => void simulation.schedule(service(times!), () => desk.release());
      arrive();
      simulation.run(100);
      desk.reset();
      arrived = lost = 0;
      simulation.run(5_000);
      return { blocked: lost / arrived, busy: desk.busy.mean! };
    };
    const blocked = erlangB(servers, load);
    expectMeans({ blocked, busy: load * (1 - blocked) }, replications(run));
  });
});

describe('laws that hold for each run', () => {
  test("Little's law: the mean number in the system is the arrival rate times the mean time in the system", () => {
    for (const replication of [1, 2, 3, 4, 5]) {
      const random = randomStream(3n, replication, 'all');
      const simulation = new Simulation();
      const desk = new Resource(simulation, 3);
      const inSystem = new TimeWeighted(simulation);
      const times = new Tally();
      const arrive = (left: number): void => {
        if (left > 1) simulation.schedule(exponential(random, 1), arrive, left - 1);
        inSystem.set(inSystem.value + 1);
        desk.seize(serve, simulation.now);
      };
      const serve = (arrived: number): void =>
        void simulation.schedule(exponential(random, 2.8), leave, arrived);
      const leave = (arrived: number): void => {
        times.add(simulation.now - arrived);
        inSystem.set(inSystem.value - 1);
        desk.release();
      };
      // the system is empty at the start and at the end, so all customers have left and the law holds exactly
      simulation.schedule(0, arrive, 2_000);
      simulation.run();
      const rate = 2_000 / simulation.now;
      expect(times.count).toBe(2_000);
      expect(inSystem.mean! / (rate * times.mean!)).toBeCloseTo(1, 11);
      expect(desk.waiting.mean! / (rate * desk.waits.mean!)).toBeCloseTo(1, 11);
      expect(inSystem.mean! / (desk.busy.mean! + desk.waiting.mean!)).toBeCloseTo(1, 11);
    }
  });

  test('conservation: each arrival was served, is in service or waits', () => {
    const random = randomStream(4n, 1, 'all');
    const simulation = new Simulation();
    const desk = new Resource(simulation, 4);
    let [arrived, served] = [0, 0];
    const arrive = (): void => {
      simulation.schedule(exponential(random, 1), arrive);
      arrived++;
      desk.seize(serve, undefined);
    };
    const serve = (): void => void simulation.schedule(exponential(random, 3.9), leave);
    const leave = (): void => {
      served++;
      desk.release();
    };
    arrive();
    for (let time = 1; time <= 5_000; time++) {
      simulation.run(time);
      expect(served + desk.busy.value + desk.waiting.value).toBe(arrived);
      expect(desk.waiting.value === 0 || desk.busy.value === 4).toBe(true);
    }
    expect(served).toBeGreaterThan(4_000);
  });
});

test('common random numbers lower the variance of a difference', () => {
  const wait = (meanServiceTime: number, seed: bigint, replication: number): number => {
    const arrivals = randomStream(seed, replication, 'arrivals');
    const services = randomStream(seed, replication, 'services');
    const { desk } = simulated({
      servers: 8,
      interarrival: () => exponential(arrivals, 1 / 7),
      service: () => exponential(services, meanServiceTime),
      warmUp: 50,
      stop: 500,
    });
    return desk.waits.mean!;
  };
  const differences = (otherSeed: bigint) =>
    Array.from({ length: 40 }, (_, i) => wait(1, 5n, i) - wait(0.95, otherSeed, i));
  const [common, independent] = [moments(differences(5n)), moments(differences(6n))];
  expect(common.variance).toBeLessThan(independent.variance / 3);
});
