import { DatabaseSync } from 'node:sqlite';
import type { Campaign } from '../../src/campaign/types.ts';
import { openStore } from '../../src/store/index.ts';
import { campaignOf } from '../numbers.ts';
import { uniform } from '../uniform.ts';

/** The id of the campaign with the sample. */
export const SAMPLE = 'sample';
const INPUTS = 10;

const names = Array.from({ length: INPUTS }, (_, at) => `Input ${at + 1}`);

/**
 * Fills a store with a finished campaign over a random sample of ten inputs. The output is a linear function of the
 * inputs with some noise.
 */
export async function fillSample(file: string, points: number): Promise<void> {
  const campaign: Campaign = {
    ...campaignOf(1),
    id: SAMPLE,
    name: SAMPLE,
    varied: names.map((name) => ({ name, type: 'DOUBLE', units: null })),
    design: {
      kind: 'sample',
      method: 'random',
      points,
      seed: 1,
      scramble: true,
      inputs: names.map((name) => ({
        name,
        isWhole: false,
        distribution: { kind: 'uniform', min: 0, max: 1 },
      })),
    },
    replications: 1,
    outputs: [{ name: 'Output', type: 'DOUBLE', units: null }],
  };
  const store = await openStore(`sqlite:${file}`);
  await store.addCampaign({ campaign, definition: 'campaign: sample\n', digest: '' }, 1);
  await store.addPoints(SAMPLE, pointsOf(points), 1);
  await store.setPhase(SAMPLE, 'completed', 2);
  await store.close();
  // this code writes the same rows as the store would, but in a minute instead of many minutes
  const database = new DatabaseSync(file);
  database.exec(`
    update runs set state = 'done', origin = 'new', run_id = 'run-' || seq, requested_at = 1, finished_at = 2;
    update run_counts set new = waiting, waiting = 0`);
  const insert = database.prepare('insert into outputs (campaign, seq, outputs) values (1, ?, ?)');
  const noise = uniform(2);
  database.exec('begin');
  let seq = 0;
  for (const { values } of pointsOf(points)) {
    const sum = values.reduce((all, value, at) => all + Number(value) / (at + 1), 0);
    insert.run(seq, JSON.stringify({ Output: String(sum + noise() / 4) }));
    seq += 1;
  }
  database.exec('commit');
  database.close();
}

function* pointsOf(count: number) {
  const next = uniform(1);
  for (let ordinal = 0; ordinal < count; ordinal++) {
    const key = (ordinal * 2_654_435_761).toString(16).padStart(16, '0');
    yield { ordinal, key, values: names.map(() => next().toPrecision(12)) };
  }
}
