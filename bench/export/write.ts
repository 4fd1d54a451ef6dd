import { Foray } from '../../src/client/index.ts';
import { formatResults, tableOf, type TextFormat } from '../../src/report/index.ts';
import { parquet } from '../../src/report/formats/parquet.ts';
import { writeOut } from '../../src/cli/output.ts';
import { NUMBERS } from '../numbers.ts';

/**
 * `node write.ts STORE FORMAT FILE` writes the results of a stored campaign to a file, and prints the time and the
 * memory.
 */
const [store, format, file] = process.argv.slice(2) as [string, TextFormat | 'parquet' | 'nothing', string];
const foray = await Foray.open({
  service: { url: 'http://127.0.0.1:9/api/open/8.5.0', key: 'none' },
  store: `sqlite:${store}`,
  taskQueue: 'none',
  owner: 'bench',
  temporal: { connectionOptions: {} },
  webUi: 'http://127.0.0.1:9',
});
const from = performance.now();
const before = process.cpuUsage();
const { record, rows } = await foray.results(NUMBERS);
if (format === 'nothing') {
  for await (const row of rows) if (row.point === '') throw new Error('a point without a key');
} else {
  const pieces =
    format === 'parquet'
      ? parquet(tableOf(record.campaign, rows), { record, version: 'bench' })
      : formatResults(format, record.campaign, rows, { limit: Infinity });
  await writeOut(pieces, file);
}
const seconds = (performance.now() - from) / 1_000;
const { user, system } = process.cpuUsage(before);
const cpuSeconds = (user + system) / 1e6;
console.log(JSON.stringify({ seconds, cpuSeconds, peakMb: process.resourceUsage().maxRSS / 1_024 }));
await foray.close();
