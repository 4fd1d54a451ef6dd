import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineModel } from '../../../../src/service/models/model.ts';

/** A model whose runs end when a test opens their gate: when it creates the file that the input Gate names. */
export default defineModel({
  name: 'Gated',
  description: 'Waits for a file.',
  inputs: [
    { name: '{RANDOM_SEED}', type: 'LONG', default: 1 },
    { name: 'Gate', type: 'STRING', default: '' },
  ],
  outputs: [{ name: 'Seed', type: 'LONG' }],
  async run({ inputs, seed }) {
    while (!existsSync(inputs.Gate)) await sleep(50);
    return { Seed: seed };
  },
});
