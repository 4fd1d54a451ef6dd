import { exponential, randomStream, Tally } from 'foray/kernel';
import { defineModel } from 'foray/model';

/** A model: its inputs, its outputs, and a function that runs it once. docs/guides/models.md describes all settings. */
export default defineModel({
  name: 'NAME',
  description: 'Customers arrive at random. One server serves them in the order of arrival.',

  inputs: [
    // the seed: the same seed must give the same outputs
    { name: '{RANDOM_SEED}', type: 'LONG', default: 1 },
    { name: 'Arrival rate', type: 'DOUBLE', units: 'PER_MINUTE', default: 0.8, min: 0.001 },
    { name: 'Service rate', type: 'DOUBLE', units: 'PER_MINUTE', default: 1, min: 0.001 },
    { name: 'Customers', type: 'INTEGER', default: 10_000, min: 1 },
  ],

  outputs: [
    { name: 'Mean waiting time', type: 'DOUBLE', units: 'MINUTE' },
    { name: 'Waiting time', type: 'STATISTICS_DISCRETE', units: 'MINUTE' },
  ],

  experiments: [{ name: 'Baseline', type: 'SIMULATION', inputs: {} }],

  run({ inputs, seed, progress }) {
    const arrivals = randomStream(seed, 1, 'arrivals');
    const services = randomStream(seed, 1, 'services');
    const times = new Tally();
    // Lindley's recursion: a customer waits for the rest of the previous customer's wait and service
    let waiting = 0;
    for (let number = 0; number < inputs.Customers; number++) {
      times.add(waiting);
      const service = exponential(services, 1 / inputs['Service rate']);
      const untilNext = exponential(arrivals, 1 / inputs['Arrival rate']);
      waiting = Math.max(0, waiting + service - untilNext);
      if (number % 1_000 === 0) progress(number / inputs.Customers);
    }
    return { 'Mean waiting time': times.mean, 'Waiting time': times.statistics() };
  },
});
