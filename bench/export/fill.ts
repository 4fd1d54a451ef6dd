import { DatabaseSync } from 'node:sqlite';
import { openStore } from '../../src/store/index.ts';
import { campaignOf, NUMBERS, outputsOf, pointsOf, REPLICATIONS } from '../numbers.ts';
import { uniform } from '../uniform.ts';

/** Fills a store with a finished campaign: two inputs, ten replications per point, five numbers per run. */
export async function fill(file: string, runs: number): Promise<void> {
  const points = runs / REPLICATIONS;
  const store = await openStore(`sqlite:${file}`);
  await store.addCampaign({ campaign: campaignOf(points), definition: 'campaign: numbers\n', digest: '' }, 1);
  await store.addPoints(NUMBERS, pointsOf(points), REPLICATIONS);
  await store.setPhase(NUMBERS, 'completed', 2);
  await store.close();
  // writes the same rows as the store, in a minute instead of many
  const database = new DatabaseSync(file);
  database.exec(`
    update runs set state = 'done', origin = 'new', run_id = 'run-' || seq, requested_at = 1, finished_at = 2;
    update run_counts set new = waiting, waiting = 0`);
  const insert = database.prepare('insert into outputs (campaign, seq, outputs) values (1, ?, ?)');
  database.exec('begin');
  const next = uniform(1);
  for (let seq = 0; seq < runs; seq++) {
    insert.run(seq, JSON.stringify(outputsOf(next)));
  }
  database.exec('commit');
  database.close();
}
