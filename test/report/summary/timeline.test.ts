import { describe, expect, test } from '@jest/globals';
import { timelinePicture } from '../../../src/report/pictures/timeline.ts';
import fc from '../../support/fast-check.ts';
import { runKinds, Timeline } from '../../../src/report/summary/timeline.ts';
import type { ResultRow } from '../../../src/store/index.ts';
import { sampleRow } from '../support.ts';

const START = Date.UTC(2026, 0, 31, 8, 30);
type Run = { from: number; length: number; kind: (typeof runKinds)[number] };

function rowOf({ from, length, kind }: Run): ResultRow {
  return {
    ...sampleRow(0, ['1']),
    status: kind === 'failed' ? 'failed' : 'done',
    origin: kind === 'failed' ? null : kind,
    requestedAt: START + from,
    finishedAt: START + from + length,
  };
}

function timelineOf(runs: readonly Run[]): Timeline {
  const timeline = new Timeline();
  for (const run of runs) timeline.add(rowOf(run));
  return timeline;
}

const run = fc.record({
  from: fc.oneof(fc.nat(2_000), fc.nat(90 * 86_400_000)),
  length: fc.oneof(fc.nat(300), fc.nat(86_400_000)),
  kind: fc.constantFrom(...runKinds),
});

describe('the timeline', () => {
  test('has for each interval the average number of outstanding runs and the number of finished runs', () => {
    fc.assert(
      fc.property(
        fc.array(run, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 2, max: 300 }),
        (runs, most) => {
          const moments = timelineOf(runs).moments(most);
          expect(moments.length).toBeLessThanOrEqual(most);
          const asked = runs.filter(({ kind }) => kind !== 'reused');
          for (const { from, to, outstanding, finished } of moments) {
            const time = asked.reduce((sum, one) => {
              const [begin, end] = [START + one.from, START + one.from + one.length];
              return sum + Math.max(0, Math.min(end, to) - Math.max(begin, from));
            }, 0);
            expect(outstanding).toBeCloseTo(time / (to - from), 9);
            for (const kind of runKinds) {
              const ends = runs
                .filter((one) => one.kind === kind)
                .map((one) => START + one.from + one.length);
              expect(finished[kind]).toBe(ends.filter((end) => from <= end && end < to).length);
            }
          }
        },
      ),
    );
  });

  test('counts all runs and all of their time, in adjacent intervals', () => {
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 30 }), (runs) => {
        const timeline = timelineOf(runs);
        const moments = timeline.moments();
        for (const [i, { from }] of moments.entries()) if (i > 0) expect(from).toBe(moments[i - 1]!.to);
        const time = moments.reduce((sum, { from, to, outstanding }) => sum + outstanding * (to - from), 0);
        const asked = runs.filter(({ kind }) => kind !== 'reused');
        expect(timeline.outstandingTime).toBe(asked.reduce((sum, { length }) => sum + length, 0));
        expect(Math.abs(time - timeline.outstandingTime)).toBeLessThanOrEqual(
          1e-9 * timeline.outstandingTime,
        );
        const ended = moments.flatMap(({ finished }) => runKinds.map((kind) => finished[kind]));
        expect(ended.reduce((sum, count) => sum + count, 0)).toBe(runs.length);
      }),
    );
  });

  test('does not depend on the order of the runs', () => {
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 20 }), (runs) => {
        expect(timelineOf(runs.toReversed()).moments()).toEqual(timelineOf(runs).moments());
      }),
    );
  });

  test('shows no more finished runs per second than there are in a campaign that is shorter than a second', () => {
    const runs = [0, 20, 40].map((from): Run => ({ from, length: 4, kind: 'new' }));
    const texts = [runs.slice(0, 1), runs].map((all) =>
      JSON.stringify(timelinePicture(timelineOf(all).moments())),
    );
    const heights = texts.map((text) =>
      [...text.matchAll(/"high":([\d.]+)/g)].map(([, high]) => Number(high)),
    );
    expect(heights).toEqual([[1], [3]]);
  });

  test('leaves out a run with an unknown time, and counts no time for a run that ends before its request', () => {
    const timeline = new Timeline();
    const row = rowOf({ from: 10, length: 0, kind: 'new' });
    timeline.add({ ...row, requestedAt: null });
    expect(timeline.moments()).toEqual([]);
    timeline.add({ ...row, requestedAt: START + 99 });
    expect(timeline.outstandingTime).toBe(0);
    expect(timeline.moments()).toMatchObject([{ outstanding: 0, finished: { new: 1 } }]);
  });
});
