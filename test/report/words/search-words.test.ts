import { expect, test } from '@jest/globals';
import type { Requirement } from '../../../src/campaign/search/search.ts';
import { bestText } from '../../../src/report/words/search-words.ts';
import type { RequiredOutput } from '../../../src/search/interval.ts';
import type { BestPoint } from '../../../src/search/summary.ts';
import { sampleRecord, SEED } from '../support.ts';

test('the best point has the value and interval of each required output, beside the limit', () => {
  const outputs = [
    { name: 'Cost', type: 'DOUBLE', units: null },
    { name: 'Late', type: 'BOOLEAN', units: null },
    { name: 'Wait', type: 'DOUBLE', units: 'MINUTE' },
  ] as const;
  const { campaign } = sampleRecord({ outputs: [...outputs], goal: { output: 'Cost', wants: 'lowest' } });
  const required = (
    requirement: Partial<Requirement> & Pick<Requirement, 'output'>,
    told: Pick<RequiredOutput, 'value' | 'interval'>,
  ): RequiredOutput => ({
    requirement: { min: null, max: null, chance: null, ...requirement },
    runs: 100,
    isShare: false,
    ...told,
  });
  const best: BestPoint = {
    key: 'k',
    inputs: { Servers: 3 },
    value: 17,
    interval: [16, 18],
    among: 1,
    tied: 0,
    runs: 100,
    failed: 0,
    isEqual: false,
    seen: 16,
    choice: 'alone',
    required: [
      required({ output: 'Late', max: 0.15 }, { value: 0.12, interval: [0.07, 0.2] }),
      required({ output: 'Wait', min: 1, max: 5 }, { value: 4, interval: [3.5, 4.5] }),
      required({ output: 'Wait', max: 9, chance: 0.9 }, { value: 0.95, interval: [0.89, 0.98] }),
    ],
  };
  expect(bestText(campaign, best)).toBe(
    'Servers 3: Cost 17.0 ± 1.0 (100 runs); Late 12.0 % (7.0 % to 20.0 %), required: at most 15 %, which is not certain; ' +
      'Wait 4.00 ± 0.50 minutes, required: at least 1 minute and at most 5 minutes; ' +
      'Wait at most 9 minutes in 95.0 % (89.0 % to 98.0 %) of the runs, required: 90 %, which is not certain',
  );
  const { campaign: selected } = sampleRecord({
    outputs: [...outputs],
    goal: { output: 'Cost', wants: 'lowest' },
    strategy: {
      ...{ by: 'selection', method: 'kn', indifference: 1, confidence: 0.95, report: 100 },
      require: [{ output: 'Late', min: null, max: 0.15, chance: null }],
    },
  });
  expect(bestText(selected, { ...best, choice: 'compared', required: [] })).toContain(
    'no other point that meets the requirements is better by more than 1, with 95 % confidence',
  );
  // without an interval, the number of runs tells how little is known
  const few = [required({ output: 'Wait', max: 5 }, { value: 4, interval: null })];
  const random = { ...campaign, base: [SEED] };
  expect(bestText(random, { ...best, required: few })).toContain(
    'Wait 4 minutes (100 runs), required: at most 5 minutes',
  );
  expect(bestText(campaign, { ...best, required: few })).toContain(
    'Wait 4 minutes, required: at most 5 minutes',
  );
  expect(bestText(campaign, { ...best, failed: 11, required: [] })).toBe(
    'Servers 3: Cost 17.0 ± 1.0 (100 runs); 11 other runs have no value, so the runs with a value may not be a fair sample',
  );
});
