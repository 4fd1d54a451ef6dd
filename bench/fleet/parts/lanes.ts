import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Part } from '../../report.ts';
import { Process } from '../../process.ts';
import { columns, type Lab, type Row, unfinished, until, type Who } from '../lab.ts';
import type { SleeperOptions, Slept } from '../sleepers.ts';

const PROCESSES = 4;
/** The sleep time of each run, in seconds. */
const SLEEP = 10;
/** The number of runs that the bench requests for each executor before the measurement. */
const WAITING = 4;

/**
 * Measures executors with one slot each. A process has several of them. Each second, the bench requests as many runs as
 * all executors can finish in a second.
 */
export async function lanes(lab: Lab, count: number, seconds: number): Promise<Part<Row>> {
  while (lab.executors.length > 0) await lab.executors.pop()!.end();
  const sleepers = Array.from({ length: PROCESSES }, (_, at) => {
    const options: SleeperOptions = {
      url: lab.urls[at % lab.urls.length]!,
      key: lab.key,
      address: lab.temporal.address,
      name: `sleeper-${at}`,
      executors: count / PROCESSES,
      cache: join(lab.folder, `sleeper-${at}`),
    };
    const args = [resolve(import.meta.dirname, '../sleepers.ts'), JSON.stringify(options)];
    return lab.own(new Process({ name: 'sleepers', args }));
  });
  await Promise.all(sleepers.map((each) => each.says(/^ready/)));
  lab.executors.push(...sleepers);
  await lab.request(WAITING * count, SLEEP);
  // wait until each executor executes a run in its lane (a workflow in which an executor works)
  await until(
    async () => (await lab.ask(`SELECT count(*) FROM runs WHERE status = 'RUNNING'`)) >= count,
    500,
  );
  const slept = async () => {
    const all = await Promise.all(sleepers.map((each) => each.ask<Slept>('slept')));
    return all.reduce((sum, { sleptMs }) => sum + sleptMs, 0);
  };
  const completed = () => lab.ask(`SELECT count(*) FROM runs WHERE status = 'COMPLETED'`);
  const [sleptBefore, before, cpu] = [await slept(), await completed(), lab.cpu()];
  const start = performance.now();
  const took: number[] = [];
  const rate = count / SLEEP;
  const answers: Promise<unknown>[] = [];
  for (let sent = 0; performance.now() - start < seconds * 1_000; sent += 1) {
    await delay(Math.max(0, start + (sent * 1_000) / rate - performance.now()));
    const asked = performance.now();
    answers.push(lab.request(1, SLEEP).then(() => took.push(performance.now() - asked)));
  }
  await Promise.all(answers);
  const passed = (performance.now() - start) / 1_000;
  const [busy, ended, cpuAfter] = [
    ((await slept()) - sleptBefore) / (10 * passed * count),
    ((await completed()) - before) / passed,
    lab.cpu(),
  ];
  const p99 = took.sort((one, other) => one - other)[Math.floor(0.99 * took.length)]!;
  const share = (who: Who): number => (cpuAfter[who] - cpu[who]) / (10 * passed);
  while (lab.executors.length > 0) await lab.executors.pop()!.end();
  return {
    name: 'lanes',
    title: `lanes: ${count} executors in ${PROCESSES} processes, ${seconds} s of runs that sleep ${SLEEP} s, ${rate} requests a second`,
    rows: [
      { what: 'runs', figure: ended, unit: '/s' },
      { what: 'slots busy', figure: busy, unit: '%' },
      { what: 'POST /runs, p99', figure: p99, unit: 'ms' },
      { what: 'runs that still wait or execute', figure: await lab.ask(unfinished), unit: '' },
      ...(['services', 'Temporal', 'PostgreSQL', 'executors'] as const).map((who) => ({
        what: `CPU of ${who}`,
        figure: share(who),
        unit: '% of a core',
      })),
    ],
    columns,
    goals: [
      { what: 'slots busy, %', figure: busy, least: 95 },
      { what: 'POST /runs, p99, ms', figure: p99, most: 50 },
    ],
  };
}
