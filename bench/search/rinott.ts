import { rinottConstant } from './rinott-constant.ts';

/** Rinott's constants for 20 first runs and a probability of 0.95, to three decimal places, from PyPRS. */
const TABLE = [
  { systems: 2, reference: 2.452 },
  { systems: 3, reference: 2.937 },
  { systems: 5, reference: 3.385 },
  { systems: 10, reference: 3.875 },
  { systems: 20, reference: 4.302 },
  { systems: 50, reference: 4.816 },
  { systems: 100, reference: 5.184 },
];

/** Compares the computed constants with the table. */
export function rinottRows() {
  return TABLE.map(({ systems, reference }) => ({
    systems,
    constant: rinottConstant(systems, 20, 0.95),
    reference,
  }));
}
