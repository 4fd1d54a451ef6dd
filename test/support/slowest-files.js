import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { CPU_OF_FILES } from './cpu-of-files.js';

const SHOWN = 20;

/**
 * A reporter that prints the test files that took the most CPU time, with their seconds. If tests are slow, look at these
 * files first. The duration of a file says less, because several files run at the same time.
 */
export default class SlowestFiles {
  onRunStart() {
    mkdirSync(dirname(CPU_OF_FILES), { recursive: true });
    rmSync(CPU_OF_FILES, { force: true });
  }

  onRunComplete(_contexts, { testResults }) {
    if (testResults.length < 2) return;
    const rows = readFileSync(CPU_OF_FILES, 'utf8').trimEnd().split('\n').map(JSON.parse);
    const all = rows.reduce((sum, { seconds }) => sum + seconds, 0);
    console.error(`CPU seconds: ${all.toFixed(0)} in all. The most:`);
    for (const { file, seconds } of rows.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN)) {
      console.error(`${seconds.toFixed(1).padStart(7)}  ${file.replace(/^.*\/test\//, 'test/')}`);
    }
  }
}
