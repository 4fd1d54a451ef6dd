import type { Part } from '../../report.ts';
import { columns, type Lab, type Row, SLOTS, unfinished, until } from '../lab.ts';

/** Ends one of two executors by SIGTERM, while runs of two seconds execute and more runs wait. */
export async function drained(lab: Lab): Promise<Part<Row>> {
  while (lab.executors.length < 2) await lab.startExecutor(`drained-${lab.executors.length}`);
  const executions = () => lab.ask('SELECT sum(executions) FROM runs');
  const before = await executions();
  const runs = 6 * SLOTS;
  await lab.request(runs, 2);
  await until(async () => (await lab.ask(`SELECT count(*) FROM runs WHERE status = 'RUNNING'`)) >= 2 * SLOTS);
  const start = performance.now();
  await lab.executors.pop()!.end();
  const seconds = (performance.now() - start) / 1_000;
  await until(async () => (await lab.ask(unfinished)) === 0);
  const repeated = (await executions()) - before - runs;
  return {
    name: 'drain',
    title: `drain: SIGTERM to one of two executors, ${runs} runs of 2 s`,
    rows: [
      { what: 'until the executor has ended', figure: seconds, unit: 's' },
      { what: 'runs executed again', figure: repeated, unit: '' },
    ],
    columns,
    goals: [{ what: 'runs executed again', figure: repeated, most: 0 }],
  };
}
