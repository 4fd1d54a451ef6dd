import {
  exponential,
  Histogram,
  randomStream,
  resetAt,
  Resource,
  Simulation,
  TimeSeries,
} from '../kernel/index.ts';

/** Times are in minutes, the rate is per minute. */
export interface Settings {
  servers: number;
  arrivalRate: number;
  meanServiceTime: number;
  warmUp: number;
  start: number;
  stop: number;
  seed: bigint;
}

/** Number of samples in the chart. The first is at the start of the run, and the last at its end. */
const SAMPLES = 501;
/** All random streams have this replication number, because the service gives each replication its own seed. */
const REPLICATION = 1;

/** M/M/c: customers arrive one by one, wait for a server in the order of arrival, and leave after their service. */
export class ServiceSystem {
  readonly simulation: Simulation;
  readonly desk: Resource;
  readonly timeInSystem: Histogram;
  readonly waiting: TimeSeries;
  readonly inService: TimeSeries;
  /** The mean service time of customers whose service begins from now on. */
  meanServiceTime: number;
  readonly #serve: (arrived: number) => void;

  constructor({ servers, arrivalRate, meanServiceTime, warmUp, start, stop, seed }: Settings) {
    const simulation = new Simulation(start);
    const desk = new Resource(simulation, servers);
    const timeInSystem = new Histogram(0, meanServiceTime / 4, 40);
    const arrivals = randomStream(seed, REPLICATION, 'arrivals');
    const services = randomStream(seed, REPLICATION, 'services');

    const arrive = (): void => {
      simulation.schedule(exponential(arrivals, 1 / arrivalRate), arrive);
      desk.seize(serve, simulation.now);
    };
    const serve = (arrived: number): void =>
      void simulation.schedule(exponential(services, this.meanServiceTime), leave, arrived);
    const leave = (arrived: number): void => {
      timeInSystem.add(simulation.now - arrived);
      desk.release();
    };

    if (arrivalRate > 0) simulation.schedule(exponential(arrivals, 1 / arrivalRate), arrive);
    resetAt(simulation, start + warmUp, [desk, timeInSystem]);
    this.simulation = simulation;
    this.meanServiceTime = meanServiceTime;
    this.#serve = serve;
    this.desk = desk;
    this.timeInSystem = timeInSystem;
    this.waiting = new TimeSeries(simulation, stop, SAMPLES, () => desk.waiting.value);
    this.inService = new TimeSeries(simulation, stop, SAMPLES, () => desk.busy.value);
  }

  /** Adds an arrival of a customer now. */
  admit(): void {
    this.desk.seize(this.#serve, this.simulation.now);
  }

  /** Number of customers that were served after the warm-up. The other figures also count only from then on. */
  get served(): number {
    return this.timeInSystem.tally.count;
  }

  /** The mean share of busy servers so far; null while no time has passed. */
  get utilization(): number | null {
    const { mean } = this.desk.busy;
    return mean === null ? null : mean / this.desk.servers;
  }
}
