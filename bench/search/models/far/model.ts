import { defineModel } from '../../../../src/service/models/model.ts';

const names = Array.from({ length: 10 }, (_, at) => `x${at + 1}`);

/** The squared distance of a point from a point within the narrow regions of the bench. A run takes no time. */
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
