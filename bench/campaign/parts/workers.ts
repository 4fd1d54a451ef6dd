import { costs, pace } from '../columns.ts';
import { ForayWay } from '../foray.ts';
import { type Lab, progress } from '../lab.ts';
import type { Measured } from '../measure.ts';
import type { Part } from '../../report.ts';

const RUNS = 6_000;
const EXECUTORS = 50;
/** The latency of the service. It is so high that a worker mostly waits for answers. */
const LATENCY_MS = 150;

/** Measures a campaign whose speed depends on the latency of the service, with one worker process and with two. */
export async function workers(lab: Lab): Promise<Part<Measured>> {
  const rows: Measured[] = [];
  for (const count of [1, 2]) {
    const name = `${count} ${count === 1 ? 'worker' : 'workers'}`;
    progress(`workers: ${RUNS} runs with ${name}`);
    await lab.stub.reset({ executors: EXECUTORS, latencyMs: LATENCY_MS });
    const way = await ForayWay.start(lab, { workers: count });
    rows.push(await way.runOnce({ values: RUNS }, { way: `foray, ${name}` }));
  }
  const [one, two] = rows as [Measured, Measured];
  return {
    name: 'workers',
    title: `workers: every answer takes ${LATENCY_MS} ms, runs take no time`,
    rows,
    columns: [...pace, ...costs],
    goals: [
      { what: 'runs a second: two workers / one worker', figure: one.seconds / two.seconds, least: 1.3 },
    ],
  };
}
