import type { Part } from '../../report.ts';
import { columns, type Lab, type Row, SLOTS, unfinished, until, type Who } from '../lab.ts';

/** Delay between checks, ms. It is long, because each check uses CPU time of the machine that is measured. */
const LOOK_EVERY = 100;
/** The share of the runs that are executed before the measurement, while processes start and V8 optimizes code. */
const WARM_UP = 0.2;

/** Requests runs of no duration before it starts two executors. Then the executors execute these runs. */
export async function throughput(lab: Lab, runs: number): Promise<Part<Row>> {
  const left = () => lab.ask(unfinished);
  const requests = await measured(lab, () => lab.request(runs, 0));
  await Promise.all(['one', 'two'].map((name) => lab.startExecutor(name)));
  await until(async () => (await left()) < (1 - WARM_UP) * runs, LOOK_EVERY);
  const first = await left();
  const executions = await measured(lab, () => until(async () => (await left()) === 0, LOOK_EVERY));
  const each = (who: Who): number => executions.cpu[who] / first;
  const cpu = (['executors', 'services', 'Temporal', 'PostgreSQL'] as const).filter((who) => each(who) > 0);
  const goals = [
    { what: 'runs a second', figure: first / executions.seconds, least: 3_000 },
    { what: 'CPU of Temporal, ms a run', figure: each('Temporal'), most: 0.05 },
    { what: 'CPU of PostgreSQL, ms a run', figure: each('PostgreSQL'), most: 0.3 },
  ];
  return {
    name: 'throughput',
    title: `throughput: ${runs} runs that do nothing; ${lab.services.length} service(s), two executors with ${SLOTS} slots each`,
    rows: [
      { what: 'requests before the first execution', figure: runs / requests.seconds, unit: '/s' },
      { what: 'CPU of the services', figure: requests.cpu.services / runs, unit: 'ms a request' },
      { what: 'CPU of PostgreSQL', figure: requests.cpu.PostgreSQL / runs, unit: 'ms a request' },
      { what: 'executions', figure: first / executions.seconds, unit: '/s' },
      ...cpu.map((who) => ({ what: `CPU of ${who}`, figure: each(who), unit: 'ms an execution' })),
    ],
    columns,
    goals: goals.filter(({ what }) => !what.includes('PostgreSQL') || each('PostgreSQL') > 0),
  };
}

/** The duration of an action, in seconds, and the CPU time of all measured processes during it, in ms. */
async function measured(
  lab: Lab,
  act: () => Promise<unknown>,
): Promise<{ seconds: number; cpu: Record<Who, number> }> {
  const before = lab.cpu();
  const start = performance.now();
  await act();
  const seconds = (performance.now() - start) / 1_000;
  const cpu = lab.cpu();
  for (const who of Object.keys(cpu) as Who[]) cpu[who] -= before[who];
  return { seconds, cpu };
}
