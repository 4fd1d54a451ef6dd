import { defineModel } from '../../../../src/service/models/model.ts';

const names = Array.from({ length: 10 }, (_, at) => `x${at + 1}`);

/**
 * The squared distance from the point (1/11, 2/11, …, 10/11), whose inputs are in the order that the region "10 ordered
 * inputs" (bench/search/regions.ts) demands. A run takes no time.
 */
export default defineModel({
  name: 'Far',
  description: 'A smooth function of ten inputs.',
  published: true,
  inputs: names.map((name) => ({ name, type: 'DOUBLE', default: 0 })),
  outputs: [{ name: 'f', type: 'DOUBLE' }],
  run: ({ inputs }) => ({
    f: names.reduce((sum, name, at) => sum + (Number(inputs[name]) - (at + 1) / 11) ** 2, 0),
  }),
});
