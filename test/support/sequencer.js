import TestSequencer from '@jest/test-sequencer';

/** Files that take more than two minutes. */
const LONGEST = /\/test\/(packed|fuzz|postgres\/store|store\/sqlite)/;
/** Folders whose files take longer than others: they install programs or run whole campaigns. */
const SLOW =
  /\/test\/(oracles|python|browser|e2e|fleet|postgres|s3|search|server|service\/slow|report\/whole|workflows|faults|cli)[/.]/;

const rank = ({ path }) => (LONGEST.test(path) ? 0 : SLOW.test(path) ? 1 : 2);

/** Starts the slow files first, so that no slow file runs alone at the end. Jest orders the files within each group. */
export default class SlowFirst extends TestSequencer {
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}
