import { exponential, randomStream, Resource, runWithProgress, Simulation, TimeWeighted } from 'foray/kernel';
import { defineModel } from 'foray/model';

/** Machines break down by themselves and wait for one of a few repairers (the machine repair problem, M/M/c//K). */
export default defineModel({
  name: 'Repair shop',
  description: 'Machines break down, wait for one of a few repairers, and work again when they are repaired.',

  inputs: [
    { name: '{RANDOM_SEED}', type: 'LONG', default: 1 },
    { name: '{STOP_TIME}', type: 'DOUBLE', units: 'HOUR', default: 10_000 },
    { name: 'Machines', type: 'INTEGER', default: 20, min: 1, max: 10_000 },
    { name: 'Repairers', type: 'INTEGER', default: 2, min: 1 },
    { name: 'Time to failure', type: 'DOUBLE', units: 'HOUR', default: 30, min: 0.001 },
    { name: 'Time to repair', type: 'DOUBLE', units: 'HOUR', default: 4, min: 0.001 },
  ],

  outputs: [
    { name: 'Machines at work', type: 'DOUBLE' },
    { name: 'Repairers at work', type: 'DOUBLE' },
    { name: 'Mean wait', type: 'DOUBLE', units: 'HOUR' },
    { name: 'At work', type: 'STATISTICS_CONTINUOUS' },
  ],

  experiments: [{ name: 'Baseline', type: 'SIMULATION', inputs: {} }],

  run({ inputs, seed, horizon, progress }) {
    const simulation = new Simulation();
    const repairers = new Resource(simulation, inputs.Repairers);
    const atWork = new TimeWeighted(simulation, inputs.Machines);
    // each purpose has its own stream, so that the random numbers for breakdowns do not depend on the number of repairers
    const failures = randomStream(seed, 1, 'failures');
    const repairs = randomStream(seed, 1, 'repairs');

    const work = (): void =>
      void simulation.schedule(exponential(failures, inputs['Time to failure']), breakDown);
    const breakDown = (): void => {
      atWork.set(atWork.value - 1);
      repairers.seize(repair, undefined);
    };
    const repair = (): void =>
      void simulation.schedule(exponential(repairs, inputs['Time to repair']), mended);
    const mended = (): void => {
      atWork.set(atWork.value + 1);
      repairers.release();
      work();
    };

    for (let machine = 0; machine < inputs.Machines; machine++) work();
    runWithProgress(simulation, horizon.stop, progress);
    return {
      'Machines at work': atWork.mean,
      'Repairers at work': repairers.busy.mean,
      'Mean wait': repairers.waits.mean,
      'At work': atWork.statistics(),
    };
  },
});
