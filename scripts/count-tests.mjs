// Prints `N passed, N failed` from Jest's JSON report, the last line of .ci/run. Suites that could not run at all count
// as a failure each; a report that is missing or holds no passed test is one, too.
import { readFileSync } from 'node:fs';

let passed = 0;
let failed = 1;
try {
  const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
  passed = report.numPassedTests;
  failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
} catch (error) {
  console.error(`no test report: ${error.message}`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
