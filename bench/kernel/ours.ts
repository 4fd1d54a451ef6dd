/** The models of the bench on foray's kernel. They are the same models as in simpy_models.py. */
import { exponential, randomStream, Resource, Simulation } from '../../models/kernel/index.ts';

const MEAN_SERVICE = 0.91;
const [model, size, warmUp, duration] = [process.argv[2], ...process.argv.slice(3).map(Number)] as [
  string,
  number,
  number,
  number,
];
const simulation = new Simulation();
let counted = 0;

const models: Record<string, () => void> = { queue, hold };
models[model]!();
simulation.run(warmUp);
counted = 0;
const begun = performance.now();
simulation.run(warmUp + duration);
console.log(JSON.stringify({ count: counted, seconds: (performance.now() - begun) / 1000 }));

/** M/M/1. The resource records utilization, queue length over time, and waiting times of customers. */
function queue(): void {
  const arrivals = randomStream(1n, 1, 'arrivals');
  const services = randomStream(1n, 1, 'services');
  const server = new Resource(simulation, 1);
  const arrive = (): void => {
    counted++;
    simulation.schedule(exponential(arrivals, 1), arrive);
    server.seize(serve, undefined);
  };
  const serve = (): void => void simulation.schedule(exponential(services, MEAN_SERVICE), leave);
  const leave = (): void => server.release();
  simulation.schedule(exponential(arrivals, 1), arrive);
}

function hold(): void {
  const times = randomStream(1n, 1, 'times');
  const wait = (entity: object): void => {
    counted++;
    simulation.schedule(exponential(times, 1), wait, entity);
  };
  for (let i = 0; i < size; i++) simulation.schedule(exponential(times, 1), wait, {});
}
