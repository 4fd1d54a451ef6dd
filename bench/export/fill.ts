import { DatabaseSync } from 'node:sqlite';
import { openStore } from '../../src/store/index.ts';
import { campaignOf, NUMBERS, outputsOf, pointsOf, REPLICATIONS } from '../numbers.ts';
import { uniform } from '../uniform.ts';

/** Sets all runs as finished. */
const FINISHED = `
  update runs set state = 'done', origin = 'new', run_id = 'run-' || seq, requested_at = 1, finished_at = 2;
  update run_counts set new = waiting, waiting = 0`;

/** Fills a store with a finished campaign: two inputs, ten replications per point, five numbers per run. */
export async function fill(file: string, runs: number): Promise<void> {
  await addDesign(`sqlite:${file}`, runs);
  // this writes the same rows as the store, in a minute instead of many minutes
  const database = new DatabaseSync(file);
  database.exec(FINISHED);
  const insert = database.prepare('insert into outputs (campaign, seq, outputs) values (1, ?, ?)');
  database.exec('begin');
  const next = uniform(1);
  for (let seq = 0; seq < runs; seq++) {
    insert.run(seq, JSON.stringify(outputsOf(next)));
  }
  database.exec('commit');
  database.close();
}

/** The same in an empty PostgreSQL database. PostgreSQL makes the numbers itself. */
export async function fillPostgres(
  address: string,
  runs: number,
  query: (text: string) => Promise<unknown>,
): Promise<void> {
  await addDesign(address, runs);
  await query(FINISHED);
  const outputs = Object.keys(outputsOf(uniform(1))).map((name) => `'${name}', (100 * random())::text`);
  await query(`insert into outputs (campaign, seq, outputs)
    select 1, seq, json_build_object(${outputs.join(', ')})::text from generate_series(0, ${runs - 1}) seq`);
  await query('vacuum analyze');
}

async function addDesign(address: string, runs: number): Promise<void> {
  const points = runs / REPLICATIONS;
  const store = await openStore(address);
  await store.addCampaign({ campaign: campaignOf(points), definition: 'campaign: numbers\n', digest: '' }, 1);
  await store.addPoints(NUMBERS, pointsOf(points), REPLICATIONS);
  await store.setPhase(NUMBERS, 'completed', 2);
  await store.close();
}
