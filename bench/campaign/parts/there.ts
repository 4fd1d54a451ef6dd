import { columns, costs } from '../columns.ts';
import { ForayWay } from '../foray.ts';
import { type Lab, progress } from '../lab.ts';
import type { Measured } from '../measure.ts';
import { loopRacer, raceOnce } from '../race.ts';
import type { Part } from '../../report.ts';

const RUNS = 2_000;
const WINDOW = 50;

/** Measures the time for the results of runs that the service has already finished. */
export async function there(lab: Lab): Promise<Part<Measured>> {
  progress(`there: ${RUNS} runs by foray and by the loop`);
  await lab.stub.reset({ there: true });
  const way = await ForayWay.start(lab);
  const foray = await way.runOnce({ values: RUNS });
  await lab.stub.reset({ there: true });
  const plain = await raceOnce(loopRacer(lab, { runs: RUNS, window: WINDOW, firstMs: 0, everyMs: 250 }));
  return {
    name: 'there',
    title: 'there: runs that the service has already finished',
    rows: [foray, plain],
    columns: [columns.way, columns.runs, columns.rate, columns.seconds, ...costs],
    goals: [{ what: 'requests per run', figure: foray.requests, most: 1.05 }],
  };
}
