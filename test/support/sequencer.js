import TestSequencer from '@jest/test-sequencer';

/** Files that take more than a minute. */
const LONGEST =
  /\/test\/(packed|fuzz|python\/gallery|postgres\/store|store\/sqlite|search\/whole\/kills|e2e)/;
/** Folders whose files take longer than others: they install programs or run whole campaigns. */
const SLOW =
  /\/test\/(oracles|python|browser|fleet|postgres|s3|search|server|service|workflows|faults|cli)\/|\/whole\//;

const rank = ({ path }) => (LONGEST.test(path) ? 0 : SLOW.test(path) ? 1 : 2);

/** Starts the slow files first, so that no slow file runs alone at the end. Jest orders the files within each group. */
export default class SlowFirst extends TestSequencer {
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}
