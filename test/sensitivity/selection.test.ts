import { expect, test } from '@jest/globals';
import { measureOf } from '../../src/campaign/measures.ts';
import type { Design } from '../../src/campaign/designs/index.ts';
import { expand } from '../../src/campaign/points.ts';
import { Stream } from '../../src/campaign/sampling/stream.ts';
import type { Selection } from '../../src/campaign/search/search.ts';
import type { Analysis } from '../../src/sensitivity/analysis.ts';
import { analysesOf } from '../../src/sensitivity/analyze.ts';
import { PointGatherer } from '../../src/sensitivity/gather.ts';
import { campaignOf, OUTPUTS } from './campaigns.ts';

const selection: Selection = { method: 'ocba', runs: 500, require: [], report: 5 };
const FIRST = 3;
const FURTHER_RUNS =
  'Only the first 3 runs of each point count here, because the selection gave further runs to points by their results.';

const FACTORIAL: Design = {
  kind: 'factorial',
  inputs: ['A', 'B'],
  values: [
    ['0', '1'],
    ['0', '1'],
  ],
  generators: [null, null],
};

/** The analysis of a selection: each point has some runs of its own. */
function analysisOf(runsOf: (point: number) => readonly number[], design = FACTORIAL): Analysis {
  const campaign = {
    ...campaignOf({ design, replications: FIRST, seed: 1 }),
    strategy: { by: 'selection' as const, ...selection },
  };
  const gatherer = new PointGatherer(campaign, [measureOf(OUTPUTS, 'Y')], {
    dataSets: [],
    points: 4,
    keepsRuns: true,
  });
  const points = [...expand(campaign)].map((point, at) => ({ ...point, runs: runsOf(at) }));
  for (const { key, values, draws, runs } of points)
    for (const [at, value] of runs.entries())
      gatherer.add({
        point: key,
        replication: at + 1,
        status: 'done',
        values,
        draws,
        outputs: { Y: String(value) },
      });
  const done = points.reduce((sum, { runs }) => sum + runs.length, 0);
  return analysesOf(campaign, gatherer.result(), { total: done, done, failed: 0 })[0]!;
}

test('only the first runs of a selection count, because results decide which points get more', () => {
  const stream = new Stream(1, 'selection');
  const runs = [0, 1, 2, 3].map((at) => Array.from({ length: 3 + 40 * at }, () => stream.normal() + at));
  const { warnings, ...all } = analysisOf((at) => runs[at]!);
  const { warnings: plain, ...first } = analysisOf((at) => runs[at]!.slice(0, FIRST));
  expect(all).toEqual(first);
  expect(all.runs).toBe(4 * FIRST);
  expect(warnings.filter((one) => !plain.includes(one))).toEqual([FURTHER_RUNS]);
});

test('further runs are noticed however often a sample has drawn the points', () => {
  const design: Design = {
    kind: 'sample',
    method: 'random',
    points: 30,
    seed: 1,
    scramble: true,
    inputs: [{ name: 'A', isWhole: false, distribution: { kind: 'choice', values: ['0', '1', '2'] } }],
  };
  expect(analysisOf((at) => [at, at, at, at, at + 1], design).warnings).toContain(FURTHER_RUNS);
  expect(analysisOf((at) => [at, at, at], design).warnings).not.toContain(FURTHER_RUNS);
});
