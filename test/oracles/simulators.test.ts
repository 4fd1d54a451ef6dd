import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { exponential, lognormal, randomStream } from '../../models/kernel/index.ts';
import { moments, simulated } from '../models/kernel/support.ts';
import { report } from '../support/seeds.ts';
import { PythonProcess } from './python-process.ts';

/** Checks that independent simulators give the same statistics as the kernel. */

interface System {
  servers: number;
  /** The arrival rate; the mean service time is 1. */
  rate: number;
  service: 'exponential' | 'lognormal';
  /** The mean and the standard deviation of the logarithm of a lognormal service time. */
  mu: number;
  sigma: number;
  warmUp: number;
  stop: number;
  replications: number;
}

type Figures = Record<'utilization' | 'queue' | 'wait', number>;

const lengths = { warmUp: 100, stop: 1_100, replications: 20 };
const systems: [name: string, System][] = [
  ['M/M/3', { servers: 3, rate: 2.4, service: 'exponential', mu: 0, sigma: 0, ...lengths }],
  ['M/G/1', { servers: 1, rate: 0.7, service: 'lognormal', mu: -0.32, sigma: 0.8, ...lengths }],
];

let python: PythonProcess;
beforeAll(async () => {
  python = await PythonProcess.start();
});
afterAll(() => python.end());

describe.each(['SimPy', 'Ciw'])('%s', (simulator) => {
  test.each(systems)('agrees with the kernel on %s within 4 joint standard errors', async (name, system) => {
    const script = 'import json, systems\nprint(json.dumps(systems.replications(*given)))';
    const theirs = JSON.parse(await python.run(script, [simulator, system])) as Figures[];
    const ours = Array.from({ length: system.replications }, (_, i) => figures(system, i + 1));
    expect(theirs).toHaveLength(ours.length);
    const z = (['utilization', 'queue', 'wait'] as const).map((figure) => {
      const [a, b] = [ours, theirs].map((runs) => moments(runs.map((run) => run[figure]))) as [
        ReturnType<typeof moments>,
        ReturnType<typeof moments>,
      ];
      return (a.mean - b.mean) / Math.sqrt((a.variance + b.variance) / system.replications);
    });
    report(
      `oracles: ${simulator}, ${name}: z of utilization, queue and wait ${z.map((each) => each.toFixed(2)).join(', ')}`,
    );
    for (const each of z) expect(Math.abs(each)).toBeLessThan(4);
  });
});

function figures({ servers, rate, service, mu, sigma, warmUp, stop }: System, replication: number): Figures {
  const arrivals = randomStream(1n, replication, 'arrivals');
  const services = randomStream(1n, replication, 'services');
  const { desk } = simulated({
    servers,
    interarrival: () => exponential(arrivals, 1 / rate),
    service: () => (service === 'exponential' ? exponential(services, 1) : lognormal(services, mu, sigma)),
    warmUp,
    stop,
  });
  return { utilization: desk.busy.mean! / servers, queue: desk.waiting.mean!, wait: desk.waits.mean! };
}
