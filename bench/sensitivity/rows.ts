import { Foray } from '../../src/client/index.ts';
import { SAMPLE } from './fill.ts';

/** `node rows.ts STORE` analyzes the sample in a store, and prints the time and the memory. */
const [store] = process.argv.slice(2) as [string];
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
const [analysis] = await foray.analyze(SAMPLE);
const { user, system } = process.cpuUsage(before);
console.log(
  JSON.stringify({
    seconds: (performance.now() - from) / 1_000,
    cpuSeconds: (user + system) / 1e6,
    peakMb: process.resourceUsage().maxRSS / 1_024,
    runs: analysis!.runs,
    r2: analysis!.r2,
  }),
);
await foray.close();
