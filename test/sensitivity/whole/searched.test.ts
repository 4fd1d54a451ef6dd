import { expect, test } from '@jest/globals';
import { analysisSentence } from '../../../src/report/analysis/words.ts';
import { searchedAnalysis } from '../../../src/sensitivity/searched.ts';
import { searched } from '../searches.ts';
import { Stream } from '../../../src/campaign/sampling/stream.ts';
import { report } from '../../support/seeds.ts';
import { ISHIGAMI, ishigami } from '../functions.ts';

test('for a function with interactions, the intervals of total indices contain the exact indices, with a tolerance of 0.05', () => {
  const { campaign, asks } = searched(ishigami, { count: 200, near: 50 });
  const { indices, r2 } = searchedAnalysis(campaign, asks, false);
  expect(r2).toBeGreaterThan(0.8);
  for (const [at, { total, totalInterval }] of indices!.entries()) {
    expect(Math.abs(total! - ISHIGAMI.total[at]!)).toBeLessThan(0.12);
    expect(totalInterval![0] - 0.05).toBeLessThanOrEqual(ISHIGAMI.total[at]!);
    expect(totalInterval![1] + 0.05).toBeGreaterThanOrEqual(ISHIGAMI.total[at]!);
  }
});

test('of models of pure chance that seem to predict, few name an input', () => {
  let [predicting, named] = [0, 0];
  for (let seed = 0; seed < 24; seed += 1) {
    const stream = new Stream(seed, 'chance');
    const { campaign, asks } = searched(() => stream.normal(), { count: 10, near: 0 }, { seed });
    const analysis = searchedAnalysis(campaign, asks, true);
    if (analysis.indices!.length === 0) continue;
    predicting += 1;
    if (!analysisSentence(analysis).startsWith('It is unknown')) named += 1;
  }
  report(`searched: ${predicting} of 24 models of chance seem to predict, ${named} name an input`);
  expect(named).toBeLessThanOrEqual(1);
});
