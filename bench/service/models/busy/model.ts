import { defineModel } from '../../../../src/service/models/model.ts';

/** Keeps a core busy, like a simulation, and returns the usual outputs. */
export default defineModel({
  name: 'Busy',
  description: 'Computes for some seconds without a pause.',
  published: true,
  inputs: [
    { name: 'Seconds', type: 'DOUBLE', units: 'SECOND', default: 0 },
    { name: 'Arrival rate', type: 'DOUBLE', units: 'PER_MINUTE', default: 7 },
    { name: 'Server capacity', type: 'INTEGER', default: 8 },
    { name: 'Number', type: 'INTEGER', default: 0 },
  ],
  outputs: [
    { name: 'Server utilization', type: 'DOUBLE' },
    { name: 'Mean queue size', type: 'DOUBLE' },
  ],

  run({ inputs, progress }) {
    const end = performance.now() + inputs.Seconds * 1000;
    let steps = 0;
    while (performance.now() < end) {
      steps += 1;
      if (steps % 1_000 === 0) progress(1 - (end - performance.now()) / (inputs.Seconds * 1000));
    }
    return { 'Server utilization': 0.875, 'Mean queue size': inputs.Number };
  },
});
