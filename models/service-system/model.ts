import { defineModel, type InputDeclaration, type RunContext } from '../../src/service/models/model.ts';
import { runWithProgress, TimeSeries } from '../kernel/index.ts';
import { draw, HEIGHT, viewAreas, WIDTH } from './picture.ts';
import { ServiceSystem, type Settings } from './system.ts';

const inputs = [
  {
    name: '{STOP_MODE}',
    type: 'STRING',
    default: 'STOP_MODE_AT_TIME',
    // customers keep arriving, so a run without a stop time has no end
    values: ['STOP_MODE_AT_TIME', 'STOP_MODE_AT_DATE'],
  },
  { name: '{START_TIME}', type: 'DOUBLE', units: 'MINUTE', default: 0 },
  { name: '{STOP_TIME}', type: 'DOUBLE', units: 'MINUTE', default: 1_000 },
  { name: '{START_DATE}', type: 'DATE_TIME', default: '2026-01-01T00:00:00' },
  { name: '{STOP_DATE}', type: 'DATE_TIME', default: '2026-01-01T16:40:00' },
  { name: '{MAX_MEMORY_MB}', type: 'INTEGER', default: 1_024 },
  { name: '{RANDOM_SEED}', type: 'LONG', default: 1 },
  { name: 'Server capacity', type: 'INTEGER', default: 8 },
  { name: 'Arrival rate', type: 'DOUBLE', units: 'PER_MINUTE', default: 7 },
  { name: 'Mean service time', type: 'DOUBLE', units: 'MINUTE', default: 1 },
  { name: 'Warm-up time', type: 'DOUBLE', units: 'MINUTE', default: 100 },
] as const satisfies InputDeclaration[];

/** The model "Service System Demo" (docs/reference/models/service-system.md). */
export default defineModel({
  name: 'Service System Demo',
  description:
    'Customers arrive at random, wait in one line for one of several servers, and are served for a random time (M/M/c). Tells how busy the servers are and how long customers wait, from the end of the warm-up on.',
  published: true,
  inputs,
  outputs: [
    { name: 'Server utilization', type: 'DOUBLE' },
    { name: 'Mean queue size', type: 'DOUBLE' },
    { name: 'Mean waiting time', type: 'DOUBLE', units: 'MINUTE' },
    { name: 'Customers served', type: 'INTEGER' },
    { name: 'Time in system', type: 'HISTOGRAM_DATA', units: 'MINUTE' },
    { name: 'Queue size', type: 'STATISTICS_CONTINUOUS' },
    { name: 'Queue|Waiting', type: 'DATA_SET' },
    { name: 'Queue|In service', type: 'DATA_SET' },
  ],
  experiments: [
    { name: 'Baseline', type: 'SIMULATION', inputs: {} },
    {
      name: 'Capacity variation',
      type: 'PARAMETER_VARIATION',
      inputs: { 'Server capacity': { type: 'FIXED_RANGE_INTEGER', min: 6, max: 12, step: 1 } },
    },
  ],

  run(context) {
    const settings = read(context);
    const system = new ServiceSystem(settings);
    runWithProgress(system.simulation, settings.stop, context.progress);
    return outputsOf(system);
  },

  animation: {
    width: WIDTH,
    height: HEIGHT,
    units: 'MINUTE',
    viewAreas,
    values: [
      { name: 'Customers waiting', type: 'INTEGER' },
      { name: 'Busy servers', type: 'INTEGER' },
      { name: 'Server utilization', type: 'DOUBLE' },
      { name: 'Mean service time', type: 'DOUBLE', units: 'MINUTE', settable: true },
    ],
    functions: [{ name: 'Customers arrive', parameters: ['Customers'] }],
    start(context) {
      const settings = read(context);
      const { start, stop } = settings;
      const system = new ServiceSystem(settings);
      const { simulation, desk } = system;
      const waiting = new TimeSeries(simulation, stop, PICTURED, () => desk.waiting.value);
      const inService = new TimeSeries(simulation, stop, PICTURED, () => desk.busy.value);
      // so that the first picture has the first samples
      simulation.run(start);
      return {
        end: stop - start,
        advance: (time) => simulation.run(time < stop - start ? start + time : stop),
        draw: () => draw({ settings, system, waiting, inService, span: SPAN * (stop - start) }),
        outputs: () => outputsOf(system),
        values: {
          'Customers waiting': { get: () => desk.waiting.value },
          'Busy servers': { get: () => desk.busy.value },
          'Server utilization': { get: () => system.utilization },
          'Mean service time': {
            get: () => system.meanServiceTime,
            set(minutes: number) {
              checkServiceTime(minutes);
              system.meanServiceTime = minutes;
            },
          },
        },
        functions: {
          'Customers arrive'(customers: unknown) {
            if (!isCrowd(customers)) {
              throw new Error(
                `Customers is ${JSON.stringify(customers)}: it must be a whole number from 1 to ${LARGEST_CROWD}`,
              );
            }
            for (let n = 0; n < customers; n += 1) system.admit();
            return desk.waiting.value;
          },
        },
      };
    },
  },
});

/** Number of drawn moments of the curves. */
const PICTURED = 10_001;
/** Share of the run that is visible at once. */
const SPAN = 0.06;
/** Maximum number of customers that one call adds. */
const LARGEST_CROWD = 10_000;

function isCrowd(customers: unknown): customers is number {
  return Number.isInteger(customers) && (customers as number) >= 1 && (customers as number) <= LARGEST_CROWD;
}

type Context = RunContext<typeof inputs>;

function read({ inputs, seed, horizon: { start, stop } }: Context): Settings {
  const servers = inputs['Server capacity'];
  const arrivalRate = inputs['Arrival rate'];
  const meanServiceTime = inputs['Mean service time'];
  const warmUp = inputs['Warm-up time'];
  if (servers < 1) throw new Error(`Server capacity is ${servers}: it must be at least 1`);
  if (arrivalRate < 0) throw new Error(`Arrival rate is ${arrivalRate}: it must not be negative`);
  checkServiceTime(meanServiceTime);
  if (warmUp < 0) throw new Error(`Warm-up time is ${warmUp}: it must not be negative`);
  if (warmUp >= stop - start) {
    throw new Error(
      `Warm-up time is ${warmUp}: it must be less than the time from the start of the run to its stop, which is ${stop - start}`,
    );
  }
  return { servers, arrivalRate, meanServiceTime, warmUp, start, stop, seed };
}

function checkServiceTime(minutes: number): void {
  if (minutes <= 0) throw new Error(`Mean service time is ${minutes}: it must be positive`);
}

function outputsOf({ desk, served, utilization, timeInSystem, waiting, inService }: ServiceSystem) {
  return {
    'Server utilization': utilization,
    'Mean queue size': desk.waiting.mean,
    'Mean waiting time': desk.waits.mean,
    'Customers served': served,
    'Time in system': timeInSystem.data(),
    'Queue size': desk.waiting.statistics(),
    'Queue|Waiting': waiting.data(),
    'Queue|In service': inService.data(),
  };
}
