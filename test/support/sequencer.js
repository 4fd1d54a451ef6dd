import TestSequencer from '@jest/test-sequencer';

/** Groups of test files, in the order in which they start. All others come last. */
const GROUPS = [
  // files that take more than a minute
  /\/test\/(packed|postgres\/store|store\/sqlite|search\/whole\/kills|e2e)/,
  // others that run whole campaigns
  /\/test\/(browser|postgres|faults)\/|\/whole\//,
  // files that wait for a program or for packages of Python, which `.ci/run` makes in the first minutes
  /\/test\/(fuzz|python|oracles|s3|fleet)\//,
  /\/test\/(search|server|service|workflows|cli)\//,
];

const rank = ({ path }) => {
  const found = GROUPS.findIndex((group) => group.test(path));
  return found === -1 ? GROUPS.length : found;
};

/** Starts the slow files first, so that no slow file runs alone at the end. Jest orders the files within each group. */
export default class SlowFirst extends TestSequencer {
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}
