import TestSequencer from '@jest/test-sequencer';

/** The folders whose files take the longest, because they install programs or run whole campaigns. */
const SLOW = /\/test\/(oracles|python|packed|browser|fuzz|e2e|postgres|search|workflows|faults|cli)\//;

/** Starts the slow folders first, so that no long file is left running alone at the end. Jest orders the rest. */
export default class SlowFirst extends TestSequencer {
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => Number(SLOW.test(b.path)) - Number(SLOW.test(a.path)));
  }
}
