import type { Part } from '../../report.ts';
import { columns, HEARTBEAT, type Lab, type Row, until } from '../lab.ts';

/** The sleep time of runs, in seconds. It is longer than this part of the bench. */
const LONG = 3_600;

/**
 * Kills the executor of a run while another executor is free, and measures how long the run waits for the other
 * executor. It does this `kills` times.
 */
export async function takenOver(lab: Lab, kills: number): Promise<Part<Row>> {
  const took: number[] = [];
  while (lab.executors.length > 1) await lab.executors.pop()!.end();
  if (lab.executors.length === 0) await lab.startExecutor('first');
  for (let kill = 1; kill <= kills; kill += 1) {
    const [id] = await lab.request(1, LONG);
    const state = async (sql: string) =>
      (await lab.ask(`SELECT count(*) FROM runs WHERE id = '${id}' AND ${sql}`)) === 1;
    await until(() => state(`status = 'RUNNING'`));
    const holder = lab.executors.pop()!;
    await lab.startExecutor(`heir-${kill}`);
    process.kill(holder.pid, 'SIGKILL');
    const start = performance.now();
    await until(() => state(`losses = 1 AND status = 'RUNNING'`));
    took.push((performance.now() - start) / 1_000);
    await lab.stopLastRun(LONG);
  }
  const worst = Math.max(...took);
  return {
    name: 'takeover',
    title: `takeover: from SIGKILL of an executor until another executor executes its run; an executor may be silent for ${HEARTBEAT / 1_000} s`,
    rows: [
      { what: 'kills', figure: took.length, unit: '' },
      { what: 'mean', figure: took.reduce((sum, s) => sum + s, 0) / took.length, unit: 's' },
      { what: 'longest', figure: worst, unit: 's' },
    ],
    columns,
    goals: [{ what: 'longest, s', figure: worst, most: HEARTBEAT / 1_000 + 2 }],
  };
}
