import { expect, test } from '@jest/globals';
import type { SearchLog } from '../../src/campaign/search/log.ts';
import type { StrategyBy } from '../../src/campaign/strategy.ts';
import { storyOf } from '../../src/search/story.ts';
import { summaryOf } from '../../src/search/summary.ts';
import { sampleRecord } from '../report/support.ts';

/**
 * Tests the summary of a search during its final comparison. The summary must say whether the value of the best point
 * is unbiased.
 */

const { campaign } = sampleRecord({
  varied: [{ name: 'Rate', type: 'DOUBLE', units: null }],
  base: [{ name: 'Rate', type: 'DOUBLE', units: null, value: '0' }],
  goal: { output: 'Fit error', wants: 'highest' },
  design: { kind: 'list', inputs: ['Rate'], rows: [] },
  strategy: {
    by: 'search',
    inputs: [
      { name: 'Rate', type: 'DOUBLE', kind: 'range', min: 0, max: 9, scale: 'linear', step: 1, digits: null },
    ],
    where: null,
    require: [],
    method: 'cma',
    parallel: 1,
    stop: { points: 2, runs: null, value: null, gain: null, stall: null },
    confirm: { best: 2, replications: 2, indifference: 1, confidence: 0.95, report: 2 },
    most: null,
  } as StrategyBy<'search'>,
});

/** A log of a search that maximizes, so the values in the log have the opposite sign. */
const log: SearchLog = {
  asks: [20, 19].map((value, ordinal) => ({
    ordinal,
    values: [String(ordinal)],
    by: 'start',
    seen: 0,
    told: { value: -value, variance: null, runs: 1, excess: [] },
  })),
  events: [
    { kind: 'stopped', by: 'points' },
    { kind: 'finalists', ordinals: [0, 1], after: 1 },
    { kind: 'winner', ordinal: 1, isSure: true, after: 3 },
  ],
};

function runs(...values: number[]) {
  return values.map((value, at) => ({ replication: at + 1, outputs: { 'Fit error': String(value) } }));
}

const compared = runs(20, 12, 14);

test('the best point is shown with the runs from which its value was computed, also if some runs failed', () => {
  const failed = { replication: 2, outputs: {} };
  const [first, , third] = runs(20, 0, 14);
  const ask = { ...log.asks[0]!, told: { value: -17, variance: 9, runs: 2, excess: [] } };
  const later = { replication: 4, outputs: { 'Fit error': '100' } };
  const finished = new Map([[0, [first!, failed, third!, later]]]);
  const { best } = summaryOf({ ...campaign, goal: campaign.goal }, { asks: [ask], events: [] }, finished);
  expect(best).toMatchObject({ ordinal: 0, value: 17, runs: 2 });
});

test("before the winner's further runs exist, the summary has no value that is independent of the choice", () => {
  const { best } = summaryOf(campaign, log, new Map([[0, compared]]));
  expect(best).toMatchObject({ ordinal: 1, runs: 1, value: 19, choice: 'alone' });
});

test("after the winner's further runs, its value comes from these runs, and the finalists have the compared means", () => {
  const over: SearchLog = { ...log, events: [...log.events, { kind: 'over' }] };
  const finished = new Map([
    [0, compared],
    [1, runs(19, 15, 17, 11, 13)],
  ]);
  const { summary, finalists } = storyOf(campaign, over, finished);
  expect(summary.best).toMatchObject({ ordinal: 1, runs: 2, value: 12, seen: 20, choice: 'compared' });
  expect(finalists).toMatchObject([
    { ordinal: 1, mean: 16, runs: 2, seen: 19, isWinner: true },
    { ordinal: 0, mean: 13, runs: 2, seen: 20, isWinner: false },
  ]);
});

test('a finalist has no mean until its new runs exist, and a rejected finalist is not the winner', () => {
  const rejected: SearchLog = { ...log, events: [...log.events, { kind: 'rejected', ordinal: 1 }] };
  const { finalists } = storyOf(campaign, rejected, new Map([[1, runs(19, 15, 17, 11, 13)]]));
  expect(finalists).toMatchObject([
    { ordinal: 1, mean: 16, isFeasible: false, isWinner: false },
    { ordinal: 0, mean: null, runs: 0, isFeasible: false, isWinner: false },
  ]);
});

test('points whose means differ only by rounding are tied, and the first one is the best', () => {
  const means = [(0.1 + 0.5) / 2, (0.2 + 0.4) / 2];
  const asks = log.asks.map((ask, at) => ({ ...ask, told: { ...ask.told!, value: -means[at]! } }));
  expect(means[1]).toBeGreaterThan(means[0]!);
  expect(summaryOf(campaign, { asks, events: [] }, new Map()).best).toMatchObject({ ordinal: 0, tied: 1 });
});
