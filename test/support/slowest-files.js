const SHOWN = 20;

/** A reporter that prints the slowest test files with their seconds. If tests are slow, look at these files first. */
export default class SlowestFiles {
  onRunComplete(_contexts, { testResults }) {
    const files = testResults
      .map(({ testFilePath, perfStats }) => ({ testFilePath, seconds: perfStats.runtime / 1_000 }))
      .toSorted((a, b) => b.seconds - a.seconds)
      .slice(0, SHOWN);
    if (files.length < 2) return;
    console.error('Slowest files, in seconds:');
    for (const { testFilePath, seconds } of files) {
      console.error(`${seconds.toFixed(1).padStart(7)}  ${testFilePath.replace(/^.*\/test\//, 'test/')}`);
    }
  }
}
