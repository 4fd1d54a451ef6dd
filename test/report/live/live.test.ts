import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { Batched } from '../../../src/batched.ts';
import { measureOf } from '../../../src/campaign/measures.ts';
import type { Campaign } from '../../../src/campaign/types.ts';
import { LiveSummary } from '../../../src/report/live/live-summary.ts';
import { summarize, type Summary } from '../../../src/report/summary/summary.ts';
import type { FinishedRow } from '../../../src/store/index.ts';
import { uniforms } from '../../support/uniforms.ts';
import { doubles, failedRow, sampleRecord, sampleRow, stream } from '../support.ts';

const REPLICATIONS = 5;
const contact = doubles('Contact rate', [1.2, 1.4, 1.6, 1.8, 2]);
const recovery = doubles('Recovery rate', [0.3, 0.4, 0.5, 0.6]);

/**
 * All runs of a campaign, in the order of the design. Some runs have failed. The other runs have noise of their own.
 */
function runsOf(points: string[][], next: () => number): FinishedRow[] {
  return points.flatMap((values, ordinal) =>
    Array.from({ length: REPLICATIONS }, (_, at): FinishedRow => {
      const seq = at * points.length + ordinal;
      const done = sampleRow(ordinal, values, at + 1);
      const noisy = { ...done.outputs, 'Fit error': String(Number(done.outputs['Fit error']) + next()) };
      const failed = { ...failedRow(ordinal, values, 'Days is 0'), replication: at + 1 };
      return { seq, ordinal, position: ordinal, row: next() < 0.1 ? failed : { ...done, outputs: noisy } };
    }),
  );
}

/** The content of a summary as plain data. */
function said({ agreement: _agreement, timeline, distributions, courses, best, ...rest }: Summary): unknown {
  const plain = {
    ...rest,
    moments: timeline.moments(50),
    outstanding: timeline.outstandingTime,
    distributions: distributions.map(({ output, distribution, without }) => [
      output.name,
      distribution.intervals(30),
      without,
    ]),
    courses: courses.map((one) => ({
      ...one,
      others: one.others.map((curve, at) => JSON.stringify([one.points.others[at], curve])).sort(),
      points: one.points.best,
    })),
    best: best.map(({ samples, ...point }) => ({
      ...point,
      samples: Object.entries(samples).map(([name, { count, mean, variance, min, max }]) => [
        ...[name, count, mean, variance, min, max],
      ]),
    })),
  };
  // the order of the runs may change the last bits of a mean
  return JSON.parse(
    JSON.stringify(plain, (key, value: unknown) =>
      typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(11)) : value,
    ),
  );
}

describe('a summary of runs in any order', () => {
  const precision = {
    outputs: ['Fit error'],
    relative: null,
    absolute: 0.4,
    confidence: 0.95,
    min: 2,
    max: REPLICATIONS,
    growth: 1.5,
  } as unknown as NonNullable<Campaign['precision']>;
  test.each<[string, Partial<Campaign>, string[][], string[]]>([
    ['over a grid', {}, contact.values.flatMap((a) => recovery.values.map((b) => [a, b])), []],
    [
      'by a goal',
      { goal: { output: 'Peak day', wants: 'highest' } },
      contact.values.flatMap((a) => recovery.values.map((b) => [a, b])),
      ['Peak day'],
    ],
    [
      'with a precision',
      { precision },
      contact.values.flatMap((a) => recovery.values.map((b) => [a, b])),
      [],
    ],
    [
      'of a share',
      {},
      contact.values.flatMap((a) => recovery.values.map((b) => [a, b])),
      ['P(`Fit error` > 40)'],
    ],
    ['by one input', {}, contact.values.map((a) => [a]), []],
  ])('equals the summary in the order of the design, %s', async (_, changes, points, shown) => {
    const next = uniforms(1);
    const grid = points[0]!.length === 1 ? [contact] : [contact, recovery];
    const { campaign } = sampleRecord({ ...changes, grid, replications: REPLICATIONS });
    const asked = shown.map((name) => measureOf(campaign.outputs, name));
    const options = { goal: campaign.goal };
    const ordered = runsOf(points, next);
    const arriving = ordered
      .toSorted((a, b) => a.seq - b.seq)
      .map((run) => ({ run, at: run.seq + 20 * next() }));
    arriving.sort((a, b) => a.at - b.at);
    expect(LiveSummary.isEnough(campaign, asked)).toBe(true);
    const live = new LiveSummary(campaign, asked);
    const seen = new Set<number>();
    let moments = 0;
    for (const { run } of arriving) {
      expect(live.add(run)).toBe(true);
      seen.add(run.seq);
      if (next() > 10 / arriving.length && seen.size < arriving.length) continue;
      moments += 1;
      const rows = ordered.filter(({ seq }) => seen.has(seq)).map(({ row }) => row);
      const expected = await summarize(campaign, stream(rows), asked, options);
      const found = await live.summary(
        (key) => Batched.of(rows.filter(({ point }) => point === key)),
        options,
      );
      expect(said(found)).toEqual(said(expected));
    }
    expect(moments).toBeGreaterThan(2);
    expect(live.failed).toBe(ordered.filter(({ row }) => row.status === 'failed').length);
  });

  test('equals the summary in the order of the design if the first output has a value only at the last point', async () => {
    const { campaign } = sampleRecord({ grid: [contact, recovery], replications: REPLICATIONS });
    const points = contact.values.flatMap((a) => recovery.values.map((b) => [a, b]));
    const ordered = runsOf(points, uniforms(1)).map((run) => {
      const { 'Fit error': first, ...others } = run.row.outputs;
      const outputs: Record<string, string> =
        run.ordinal < points.length - 1 ? others : { ...others, 'Fit error': first! };
      return { ...run, row: { ...run.row, outputs } };
    });
    const live = new LiveSummary(campaign, []);
    const seen: FinishedRow[] = [];
    for (const run of ordered) {
      expect(live.add(run)).toBe(true);
      seen.push(run);
      if (run.seq % 20 < 18) continue;
      const rows = seen.map(({ row }) => row);
      const found = await live.summary((key) => Batched.of(rows.filter(({ point }) => point === key)));
      expect(said(found)).toEqual(said(await summarize(campaign, stream(rows), [])));
    }
    expect(seen).toHaveLength(points.length * REPLICATIONS);
  });

  test('needs little memory for each point', () => {
    const [size, replications] = [20_000, 10];
    const names = Array.from({ length: 5 }, (_, at) => `Output ${at}`);
    const outputs = names.map((name) => ({ name, type: 'DOUBLE' as const, units: null }));
    const { campaign } = sampleRecord({ grid: [contact, recovery], replications, outputs });
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    // with other flags, V8 refuses the compiled code that is kept for the next test files
    setFlagsFromString('--no-expose-gc');
    const used = (): number => {
      collect();
      const { used_heap_size: heap, external_memory: outside } = getHeapStatistics();
      return heap + outside;
    };
    const next = uniforms(1);
    const sample = sampleRow(0, ['1.2', '0.3']);
    const live = new LiveSummary(campaign, []);
    const before = used();
    for (let seq = 0; seq < size * replications; seq += 1) {
      const ordinal = Math.floor(seq / replications);
      const row = { ...sample, point: `point ${ordinal}`, replication: (seq % replications) + 1 };
      const numbers = Object.fromEntries(names.map((name) => [name, String(next())]));
      live.add({ seq, ordinal, position: ordinal, row: { ...row, outputs: numbers } });
    }
    expect((used() - before) / size).toBeLessThan(1_000);
    expect(live.failed).toBe(0);
  });

  test('refuses a second result of a run that has failed', () => {
    const { campaign } = sampleRecord({ grid: [contact] });
    const live = new LiveSummary(campaign, []);
    const place = { seq: 0, ordinal: 0, position: 0 };
    expect(live.add({ ...place, row: failedRow(0, ['1.2'], 'lost') })).toBe(true);
    expect(live.add({ ...place, row: sampleRow(0, ['1.2']) })).toBe(false);
  });

  test('shows the failure that comes first in the design, in whatever order the failures come', async () => {
    const { campaign } = sampleRecord({ grid: [contact] });
    const live = new LiveSummary(campaign, []);
    for (const at of [2, 0, 1]) {
      const row = failedRow(at, [contact.values[at]!], `Days is ${at}`);
      live.add({ seq: at, ordinal: at, position: at, row });
    }
    const { failures } = await live.summary(() => Batched.of([]));
    expect(failures).toEqual([
      { cause: 'Days is …', count: 3, sample: expect.objectContaining({ reason: 'Days is 0' }) },
    ]);
  });

  test('is not enough for a calibration, whose last generation has the curves that are drawn', () => {
    const { campaign } = sampleRecord({ strategy: { by: 'calibration' } as Campaign['strategy'] });
    expect(LiveSummary.isEnough(campaign, [])).toBe(false);
    expect(LiveSummary.isEnough(sampleRecord().campaign, [])).toBe(true);
  });

  test('is not enough for quantiles, which need all values', () => {
    const { campaign } = sampleRecord();
    expect(LiveSummary.isEnough(campaign, [measureOf(campaign.outputs, 'Q(`Fit error`, 0.9)')])).toBe(false);
  });
});
