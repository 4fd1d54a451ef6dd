import { pointKey } from '../support/definition.ts';
import type { Campaign, CampaignOutput } from '../../src/campaign/types.ts';
import { compareCampaigns, type Compared } from '../../src/report/comparison/compare.ts';
import type { ResultRow } from '../../src/store/index.ts';
import { doubles, gridOf, sampleRecord, SEED, stream } from './support.ts';

export const policy = (value: string) => ({ name: 'Policy', type: 'STRING', units: null, value }) as const;

export const rate = { name: 'Rate', type: 'DOUBLE', units: 'PER_DAY', value: '0' } as const;

export const wait: CampaignOutput = { name: 'Wait', type: 'DOUBLE', units: 'MINUTE' };

/** The fields of a row that the tests of comparisons do not need. */
export const EMPTY = {
  reason: null,
  runId: null,
  origin: 'new',
  requestedAt: null,
  finishedAt: null,
  version: null,
} as const;

/** A campaign that varies Rate. `waits` has the output Wait of each run by rate. It is null for a failed run. */
export function side(
  id: string,
  waits: Record<string, (number | null)[]>,
  changes: Partial<Campaign> = {},
  fixed = [policy('fifo')],
): Compared {
  const { campaign } = sampleRecord({
    id,
    base: [...fixed, rate, SEED],
    ...gridOf([doubles('Rate', Object.keys(waits).map(Number))]),
    replications: 3,
    seed: 42,
    outputs: [wait],
    ...changes,
  });
  const rows = Object.entries(waits).flatMap(([value, numbers]) =>
    numbers.map((number, at): ResultRow => {
      const point = pointKey([...fixed, { name: 'Rate', value }]);
      const outputs: Record<string, string> = number === null ? {} : { Wait: JSON.stringify(number) };
      const status = number === null ? 'failed' : 'done';
      return { ...EMPTY, point, replication: at + 1, status, values: [value], outputs };
    }),
  );
  return { campaign, rows: () => stream(rows) };
}

export const pointsIn = (a: Compared, b: Compared) => Array.fromAsync(compareCampaigns(a, b).points);
