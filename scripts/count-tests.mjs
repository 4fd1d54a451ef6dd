// Prints `N passed, N failed` over Jest's JSON reports, the last line of .ci/run. Suites that could not run at all count
// as a failure each; so does a report that is missing or holds no passed test.
import { readFileSync } from 'node:fs';

let passed = 0;
let failed = 0;
const files = process.argv.slice(2);
for (const file of files) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    const { numPassedTests = 0, numFailedTests = 0, numRuntimeErrorTestSuites = 0 } = report;
    passed += numPassedTests;
    failed += numFailedTests + numRuntimeErrorTestSuites;
    if (numPassedTests === 0) throw new Error('it holds no passed test');
  } catch (error) {
    console.error(`${file} does not count: ${error.message}`);
    failed += 1;
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || files.length === 0 ? 1 : 0);
