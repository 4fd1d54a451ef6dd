import { resolve } from 'node:path';

/** The cases of a flu in a boarding school, to which searches fit the model Epidemic. */
export const OBSERVED = resolve(import.meta.dirname, '../../examples/boarding-school-flu/observed.csv');
