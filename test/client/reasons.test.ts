import { expect, test } from '@jest/globals';
import { explained } from '../../src/client/explain.ts';
import { retryReason } from '../../src/client/changes.ts';
import type { CampaignRecord, PointStory } from '../../src/store/index.ts';

test.each([
  [3, 2, null, 'retry of 3 failed and 2 waiting runs'],
  [0, 1, null, 'retry of 1 waiting run'],
  [1, 0, { to: 4 }, 'retry of 1 failed run with version 4'],
  [0, 0, null, 'retry'],
])(
  'the reason of a retry of %i failed and %i waiting runs says which runs it requests',
  (failed, missing, version, reason) => {
    expect(retryReason({ failed, missing, version })).toBe(reason);
  },
);

test.each([
  [0, 5, 'Before that at least 5 attempts failed: no licence.'],
  [0, 4, 'Before that 4 attempts failed: no licence.'],
  [5, 5, 'Before that 5 attempts failed: no licence.'],
  [6, 5, 'Before that 6 attempts failed: no licence.'],
])(
  'a run with %i failures since a retry and %i stored attempts says how many failed',
  (failures, kept, says) => {
    const model = { id: 'm', name: 'M', version: 1, versionId: 'v' };
    const campaign = { id: 'c', model, base: [], varied: [], files: [], outputs: [], replications: 1 };
    const earlier = Array.from({ length: kept }, () => ({
      failedAt: 1,
      version: null,
      reason: 'no licence',
    }));
    const run = {
      replication: 1,
      state: 'done',
      origin: 'new',
      outputs: {},
      version: null,
      failures,
      earlier,
      requestedAt: null,
      finishedAt: null,
    };
    const story = { key: 'k', values: [], position: 0, runs: [run] };
    const { runs } = explained(
      { campaign, phase: 'completed' } as unknown as CampaignRecord,
      story as unknown as PointStory,
      { before: null, after: null },
      new Map(),
    );
    expect(runs[0]!.why).toBe(`This campaign started the run. ${says}`);
  },
);
