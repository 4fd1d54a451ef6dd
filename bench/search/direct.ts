import { direct } from '../../src/search/methods/direct/direct.ts';
import { evaluationsTo } from './evaluations.ts';
import { branin, flu, hartmann6, withinOnePercent } from './functions.ts';

/** Evaluations of scipy 1.17's `direct` with `locally_biased=True` to 1 %. */
const REFERENCES = [
  { tested: branin, scipy: 48 },
  { tested: flu, scipy: 23 },
  { tested: hartmann6, scipy: 124 },
];

/** Evaluations to 1 %, at most 4,000, and the evaluations of scipy. There are no seeds. */
export function directRows() {
  return REFERENCES.map(({ tested, scipy }) => ({
    name: tested.name,
    evaluations: evaluationsTo(withinOnePercent(tested), 4000, direct, tested, 1),
    reference: scipy,
  }));
}
