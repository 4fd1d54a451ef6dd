import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { printedResults, toTheEnd, untilSomeAreDone } from '../support/campaigns.ts';
import { PASSWORD, type Postgres, startPostgres } from '../support/postgres.ts';
import { leaksIn } from '../support/spellings.ts';
import { startWorkerProcess, type WorkerProcess } from '../support/worker.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';
import { EPIDEMIC, REHEARSAL } from '../service/fixed.ts';

/** Runs the same campaign with both kinds of stores. Two workers share the store in PostgreSQL. */

let server: Postgres;
let embedded: World;
let shared: World;
let workers: WorkerProcess[] = [];

beforeAll(async () => {
  server = await startPostgres();
  embedded = await startWorld({ models: [EPIDEMIC, REHEARSAL] });
  shared = await startWorld({ models: [EPIDEMIC], beside: embedded, store: await server.database() });
  await embedded.startWorker();
  workers = [startWorkerProcess(shared.settings), startWorkerProcess(shared.settings)];
  await Promise.all(workers.map(({ ready }) => ready));
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.kill()));
  await shared.close();
  await embedded.close();
  await server.remove();
});

const definition = {
  file: 'flu.yaml',
  text: `
campaign: flu
model: {name: Epidemic}
inputs: {Stochastic: true}
design:
  where: "\`Contact rate\` > 3 * \`Recovery rate\`"
  grid: {Contact rate: {from: 1.4, to: 2.2, step: 0.2}, Recovery rate: [0.4, 0.5]}
replications: {min: 3, max: 5, output: Peak day, relative: 0.05}
seed: 7
concurrency: 4
`,
};

test('a campaign gives the same bytes with SQLite and with PostgreSQL, even if PostgreSQL stops for a while', async () => {
  await embedded.foray.submit(definition, { id: 'embedded' });
  await shared.foray.submit(definition, { id: 'shared' });
  await untilSomeAreDone(shared, 'shared');
  await server.stop();
  await server.start();
  expect((await toTheEnd(embedded, 'embedded')).phase).toBe('completed');
  expect((await toTheEnd(shared, 'shared')).phase).toBe('completed');
  for (const flags of [[], ['--format', 'csv'], ['--format', 'csv', '--points']]) {
    const expected = await printedResults(embedded, 'embedded', flags);
    expect(expected.split('\n').length).toBeGreaterThan(8);
    expect(await printedResults(shared, 'shared', flags)).toBe(expected);
  }
  // both workers still run, and neither printed the password
  for (const worker of workers) {
    expect(worker.hasEnded()).toBe(false);
    expect(worker.said()).not.toContain(PASSWORD);
  }
  const history = await shared.environment.client.workflow.getHandle('shared').fetchHistory();
  expect(leaksIn(JSON.stringify(history), PASSWORD)).toEqual([]);
});

test('a store refuses the id of a campaign of another store on the same Temporal server', async () => {
  await embedded.foray.submit(rehearsal({ count: 1, seconds: 600 }), { id: 'taken' });
  const second = shared.foray.submit(definition, { id: 'taken' });
  await expect(second).rejects.toThrow('A campaign "taken" of another store exists on this Temporal server.');
  // nothing of the second campaign stays: only the campaign of the other store exists
  expect((await shared.foray.list()).map(({ id }) => id)).not.toContain('taken');
  await embedded.foray.cancel('taken');
  expect((await toTheEnd(embedded, 'taken')).phase).toBe('cancelled');
});
