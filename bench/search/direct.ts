import { direct } from '../../src/search/methods/direct/direct.ts';
import { evaluationsTo } from './evaluations.ts';
import { branin, flu, hartmann6, withinOnePercent } from './functions.ts';

/** How many evaluations scipy 1.17's `direct` with `locally_biased=True` needs to come within 1 % of the optimum. */
const REFERENCES = [
  { tested: branin, scipy: 48 },
  { tested: flu, scipy: 23 },
  { tested: hartmann6, scipy: 124 },
];

/** DIRECT uses no random numbers, so every seed gives the same result. */
const ANY_SEED = 1;

/** Counts the evaluations until a value is within 1 % of the optimum, at most 4,000. */
export function directRows() {
  return REFERENCES.map(({ tested, scipy }) => ({
    name: tested.name,
    evaluations: evaluationsTo(withinOnePercent(tested), 4000, direct, tested, ANY_SEED),
    reference: scipy,
  }));
}
