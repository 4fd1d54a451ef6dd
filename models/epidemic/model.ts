import { defineModel, type InputDeclaration, type RunContext } from '../../src/service/models/model.ts';
import { Mrg32k3a } from '../kernel/index.ts';
import { simulate } from './gillespie.ts';
import { type Observation, readObservations, rootMeanSquareError } from './observations.ts';
import { draw, HEIGHT, WIDTH } from './picture.ts';
import { type Course, type Parameters, solve, type State } from './sir.ts';

const inputs = [
  { name: '{RANDOM_SEED}', type: 'LONG', default: 1 },
  { name: 'Population', type: 'INTEGER', default: 763 },
  { name: 'Initially infected', type: 'INTEGER', default: 1 },
  { name: 'Contact rate', type: 'DOUBLE', units: 'PER_DAY', default: 1.66 },
  { name: 'Recovery rate', type: 'DOUBLE', units: 'PER_DAY', default: 0.44 },
  { name: 'Days', type: 'INTEGER', units: 'DAY', default: 14 },
  { name: 'Stochastic', type: 'BOOLEAN', default: false },
  { name: 'Observed cases', type: 'INPUT_FILE', default: '' },
] as const satisfies InputDeclaration[];

/**
 * The model "Epidemic". Without observed cases the output Fit error has no value; with them, each observed day must
 * lie within Days.
 */
export default defineModel({
  name: 'Epidemic',
  description:
    'An epidemic in a closed population: susceptible persons are infected by contact, infected ones recover (Kermack and McKendrick, 1927). Deterministic, or stochastic by Gillespie’s direct method. Compares the infected with observed cases.',
  published: true,
  inputs,
  outputs: [
    { name: 'Fit error', type: 'DOUBLE' },
    { name: 'Peak infected', type: 'DOUBLE' },
    { name: 'Peak day', type: 'DOUBLE', units: 'DAY' },
    { name: 'Attack rate', type: 'DOUBLE' },
    { name: 'Infected', type: 'DATA_SET', axis: { name: 'Time', units: 'DAY' } },
    { name: 'Trajectory', type: 'OUTPUT_FILE' },
  ],
  experiments: [
    { name: 'Baseline', type: 'SIMULATION', inputs: {} },
    { name: 'Stochastic', type: 'SIMULATION', inputs: { Stochastic: true } },
  ],

  run: computed,

  animation: {
    width: WIDTH,
    height: HEIGHT,
    units: 'DAY',
    start(context) {
      const settings = read(context);
      const { population, days } = settings.parameters;
      const times = Array.from({ length: PICTURED + 1 }, (_, i) => (days * i) / PICTURED);
      const { states } = courseOf(settings, times);
      let now = 0;
      return {
        end: days,
        advance(time) {
          // because of rounding, the last moment may be just before the last time
          while (now < PICTURED && times[now + 1]! <= time * (1 + 1e-12)) now++;
        },
        draw: () =>
          draw({
            population,
            days,
            observed: settings.observed,
            times: times.slice(0, now + 1),
            states: states.slice(0, now + 1),
          }),
        outputs: () => computed(context),
      };
    },
  },
});

/** Number of drawn moments of a course, without its start. */
const PICTURED = 500;

type Context = RunContext<typeof inputs>;

interface Settings {
  parameters: Parameters;
  observed: Observation[];
  stochastic: boolean;
  seed: bigint;
}

function read({ inputs, seed, readFile }: Context): Settings {
  const parameters = checked({
    population: inputs.Population,
    initiallyInfected: inputs['Initially infected'],
    contactRate: inputs['Contact rate'],
    recoveryRate: inputs['Recovery rate'],
    days: inputs.Days,
  });
  const file = readFile('Observed cases');
  const observed = file ? readObservations(file) : [];
  const beyond = observed.find(({ day }) => day > parameters.days);
  if (beyond) throw new Error(`Observed cases has day ${beyond.day}, but Days is ${parameters.days}`);
  return { parameters, observed, stochastic: inputs.Stochastic, seed };
}

/** Computes the course of the epidemic. The course does not depend on the requested times. */
function courseOf({ parameters, stochastic, seed }: Settings, times: readonly number[]): Course {
  if (!stochastic) return solve(parameters, times);
  const random = Mrg32k3a.fromSeed(seed);
  return simulate(parameters, times, () => random.next());
}

function computed(context: Context) {
  const settings = read(context);
  const { parameters, observed } = settings;
  const days = Array.from({ length: parameters.days + 1 }, (_, day) => day);
  const times = [...new Set([...days, ...observed.map(({ day }) => day)])].sort((a, b) => a - b);
  const course = courseOf(settings, times);

  const stateAt = new Map(times.map((time, i) => [time, course.states[i]!]));
  return {
    'Fit error': observed.length > 0 ? fitError(observed, stateAt) : null,
    'Peak infected': course.peakInfected,
    'Peak day': course.peakDay,
    'Attack rate': attackRate(parameters, course),
    Infected: { dataX: days, dataY: days.map((day) => stateAt.get(day)!.infected) },
    Trajectory: context.writeFile('trajectory.csv', trajectory(days, stateAt)),
  };
}

function checked(parameters: Parameters): Parameters {
  const { population, initiallyInfected, contactRate, recoveryRate, days } = parameters;
  if (population < 1) throw new Error(`Population is ${population}: it must be at least 1`);
  if (initiallyInfected < 0 || initiallyInfected > population) {
    throw new Error(`Initially infected is ${initiallyInfected}: it must be from 0 to Population`);
  }
  for (const [name, rate] of [
    ['Contact rate', contactRate],
    ['Recovery rate', recoveryRate],
  ] as const) {
    if (!(rate >= 0 && rate <= MAX_RATE))
      throw new Error(`${name} is ${rate}: it must be from 0 to ${MAX_RATE}`);
  }
  if (days < 1 || days > MAX_DAYS) throw new Error(`Days is ${days}: it must be from 1 to ${MAX_DAYS}`);
  return parameters;
}

/** Limits the number of steps, which grows with the rates. Products of larger rates could also be infinite. */
const MAX_RATE = 1_000_000;

/** Limits the size of the outputs, which have one point per day. */
const MAX_DAYS = 100_000;

function fitError(observed: readonly Observation[], stateAt: ReadonlyMap<number, State>): number {
  return rootMeanSquareError(
    observed,
    observed.map(({ day }) => stateAt.get(day)!.infected),
  );
}

/** Share of the population that was ever infected, including those at the start. */
function attackRate({ population }: Parameters, { last }: Course): number {
  return (population - last.susceptible) / population;
}

function trajectory(days: readonly number[], stateAt: ReadonlyMap<number, State>): string {
  const rows = days.map((day) => {
    const { susceptible, infected, recovered } = stateAt.get(day)!;
    return `${day},${susceptible},${infected},${recovered}\n`;
  });
  return `day,susceptible,infected,recovered\n${rows.join('')}`;
}
