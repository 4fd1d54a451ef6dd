import { defineModel } from 'foray/model';

export default defineModel({
  name: 'Module no-op',
  description: '',
  inputs: [{ name: '{RANDOM_SEED}', type: 'LONG', default: 1 }],
  outputs: [{ name: 'Y', type: 'DOUBLE' }],
  run: ({ seed }) => ({ Y: Number(seed % 1000n) }),
});
