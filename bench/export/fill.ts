import { DatabaseSync } from 'node:sqlite';
import { type Campaign, ONE_ATTEMPT } from '../../src/campaign/types.ts';
import { openStore } from '../../src/store/index.ts';
import { uniform } from './uniform.ts';

const REPLICATIONS = 10;
const OUTPUTS = 5;
const ID = 'export';

const names = Array.from({ length: OUTPUTS }, (_, at) => `Output ${at + 1}`);

/** A campaign of which every run is done: two inputs, ten replications a point, five numbers a run. */
export async function fill(file: string, runs: number): Promise<void> {
  const points = runs / REPLICATIONS;
  const store = await openStore(`sqlite:${file}`);
  await store.addCampaign({ campaign: campaignOf(points), definition: 'campaign: export\n', digest: '' }, 1);
  await store.addPoints(ID, pointsOf(points), REPLICATIONS);
  await store.setPhase(ID, 'completed', 2);
  await store.close();
  // as the store would write them, in a minute instead of many
  const database = new DatabaseSync(file);
  database.exec(
    "update runs set state = 'done', origin = 'new', run_id = 'run-' || seq, requested_at = 1, finished_at = 2",
  );
  const insert = database.prepare('insert into outputs (campaign, seq, outputs) values (1, ?, ?)');
  database.exec('begin');
  const next = uniform(1);
  for (let seq = 0; seq < runs; seq++) {
    insert.run(seq, JSON.stringify(Object.fromEntries(names.map((name) => [name, String(100 * next())]))));
  }
  database.exec('commit');
  database.close();
}

function campaignOf(points: number): Campaign {
  const values = Array.from({ length: points }, (_, at) => String(at));
  return {
    id: ID,
    name: ID,
    service: 'http://127.0.0.1:8090/api/open/8.5.0',
    model: { id: 'm', name: 'Export', versionId: 'v', version: 1 },
    base: [],
    varied: [
      { name: 'Rate', type: 'DOUBLE', units: 'PER_DAY' },
      { name: 'Size', type: 'INTEGER', units: null },
    ],
    design: { kind: 'grid', inputs: ['Size'], values: [values.slice(0, 1)] },
    files: [],
    replications: REPLICATIONS,
    precision: null,
    seed: null,
    commonRandomNumbers: false,
    outputs: names.map((name) => ({ name, type: 'DOUBLE', units: 'DAY' })),
    concurrency: 'auto',
    failures: null,
    attempts: ONE_ATTEMPT,
    timeouts: { run: null, campaign: null },
    fresh: null,
    priority: 3,
  };
}

function* pointsOf(count: number) {
  for (let ordinal = 0; ordinal < count; ordinal++) {
    const key = (ordinal * 2_654_435_761).toString(16).padStart(16, '0');
    yield { ordinal, key, values: [String((ordinal % 1_000) / 8), String(Math.floor(ordinal / 1_000))] };
  }
}
