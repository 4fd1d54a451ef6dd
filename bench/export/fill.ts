import { DatabaseSync } from 'node:sqlite';
import { openStore } from '../../src/store/index.ts';
import { campaignOf, NUMBERS, outputsOf, pointsOf, REPLICATIONS } from '../numbers.ts';
import { uniform } from '../uniform.ts';

/** Sets the first runs as finished, and leaves the others waiting. */
const finished = (done: number): string => `
  update runs set state = 'done', origin = 'new', run_id = 'run-' || seq, requested_at = 1, finished_at = 2
    where seq < ${done};
  update run_counts set new = ${done}, waiting = waiting - ${done}`;

/** How the campaign differs from the campaign of most benches. */
export interface Filled {
  replications?: number;
  /** Number of runs at the end that have not finished. */
  open?: number;
}

/** Fills a store with a campaign of two inputs, and five numbers per run. All runs except the last `open` are done. */
export async function fill(
  file: string,
  runs: number,
  { replications = REPLICATIONS, open = 0 }: Filled = {},
): Promise<void> {
  await addDesign(`sqlite:${file}`, runs, replications);
  // this code writes the same rows as the store would, but in a minute instead of many minutes
  const database = new DatabaseSync(file);
  database.exec(finished(runs - open));
  const insert = database.prepare('insert into outputs (campaign, seq, outputs) values (1, ?, ?)');
  database.exec('begin');
  const next = uniform(1);
  for (let seq = 0; seq < runs - open; seq++) {
    insert.run(seq, JSON.stringify(outputsOf(next)));
  }
  database.exec('commit');
  database.close();
}

/**
 * Fills an empty PostgreSQL database with the same kind of campaign. PostgreSQL itself makes the numbers of the runs.
 */
export async function fillPostgres(
  address: string,
  runs: number,
  query: (text: string) => Promise<unknown>,
  { replications = REPLICATIONS, open = 0 }: Filled = {},
): Promise<void> {
  await addDesign(address, runs, replications);
  await query(finished(runs - open));
  const outputs = Object.keys(outputsOf(uniform(1))).map((name) => `'${name}', (100 * random())::text`);
  await query(`insert into outputs (campaign, seq, outputs)
    select 1, seq, json_build_object(${outputs.join(', ')})::text from generate_series(0, ${runs - open - 1}) seq`);
  await query('vacuum analyze');
}

async function addDesign(address: string, runs: number, replications: number): Promise<void> {
  const points = runs / replications;
  const store = await openStore(address);
  const campaign = { ...campaignOf(points), replications };
  await store.addCampaign({ campaign, definition: 'campaign: numbers\n', digest: '' }, 1);
  await store.addPoints(NUMBERS, pointsOf(points), replications);
  await store.setPhase(NUMBERS, 'completed', 2);
  await store.close();
}
