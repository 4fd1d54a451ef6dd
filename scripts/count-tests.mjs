// Prints the last line of .ci/run, `N passed, N failed`, from Jest's JSON report. A suite that could not run counts as
// one failure. A report that is missing or has no passed test also counts as one failure.
import { readFileSync } from 'node:fs';

const file = process.argv[2];
let passed = 0;
let failed = 0;
try {
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  passed = numPassedTests;
  failed = numFailedTests + numRuntimeErrorTestSuites;
  if (passed === 0) throw new Error('the report has no passed test');
} catch (error) {
  console.error(`${file} counts as one failure: ${error.message}`);
  failed += 1;
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
