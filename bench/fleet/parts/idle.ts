import { setTimeout as delay } from 'node:timers/promises';
import type { Part } from '../../report.ts';
import { columns, type Lab, type Row, type Who } from '../lab.ts';

/**
 * Measures requests, CPU time and transactions of two executors, the services, Temporal and PostgreSQL while there are
 * no runs.
 */
export async function idle(lab: Lab, seconds: number): Promise<Part<Row>> {
  while (lab.executors.length < 2) await lab.startExecutor(`idle-${lab.executors.length}`);
  // a lane (a workflow in which an executor works) ends after five seconds without work
  await delay(10_000);
  const requests = await lab.requests();
  const transactions = await lab.transactions();
  const before = lab.cpu();
  await delay(seconds * 1_000);
  const after = lab.cpu();
  // the CPU time in ms over the time in ms, in percent
  const share = (who: Who, processes = 1): number => (after[who] - before[who]) / (10 * seconds * processes);
  const asked = ((await lab.requests()) - requests) * (60 / seconds);
  const committed = ((await lab.transactions()) - transactions) * (60 / seconds);
  return {
    name: 'idle',
    title: `idle: ${seconds} s without a run, two executors`,
    rows: [
      { what: 'requests of both executors', figure: asked, unit: 'a minute' },
      { what: 'CPU of a service', figure: share('services', lab.services.length), unit: '% of a core' },
      { what: 'CPU of an executor', figure: share('executors', lab.executors.length), unit: '% of a core' },
      { what: 'CPU of Temporal', figure: share('Temporal'), unit: '% of a core' },
      { what: 'CPU of PostgreSQL', figure: share('PostgreSQL'), unit: '% of a core' },
      { what: 'transactions in PostgreSQL', figure: committed, unit: 'a minute' },
    ],
    columns,
    goals: [
      // each executor reports every ten seconds
      { what: 'requests a minute', figure: asked, most: 14 },
      // each of the two replicas reads every second whether the other one is alive
      { what: 'transactions a minute', figure: committed, most: 400 },
    ],
  };
}
