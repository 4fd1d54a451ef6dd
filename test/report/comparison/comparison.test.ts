import { describe, expect, test } from '@jest/globals';
import type { Campaign, CampaignOutput } from '../../../src/campaign/types.ts';
import { compareCampaigns, type Compared } from '../../../src/report/comparison/compare.ts';
import { comparisonNotes, ComparisonSummary } from '../../../src/report/comparison/summary.ts';
import { comparisonTable } from '../../../src/report/comparison/table.ts';
import { renderComparison } from '../../../src/report/comparison/html.ts';
import { formatTable } from '../../../src/report/index.ts';
import { pairedShareDifference, shareDifference } from '../../../src/statistics/share.ts';
import { textOf } from '../support.ts';
import { pointsIn, policy, rate, side, wait } from '../compared.ts';

describe('differences', () => {
  const a = { 1: [1, 2, 4] };
  const b = { 1: [3, 5, 6] };

  test('are paired if the replications have the same seeds', async () => {
    const [point] = await pointsIn(side('a', a), side('b', b));
    const { outputs } = point!;
    // the differences 2, 3 and 2 have a mean of 7/3 and a standard error of 1/3; t(0.975, 2) is 4.302653
    expect(outputs[0]!.difference).toBeCloseTo(7 / 3, 12);
    expect(outputs[0]!.low).toBeCloseTo(7 / 3 - 4.302652729749464 / 3, 9);
    expect(outputs[0]!.high).toBeCloseTo(7 / 3 + 4.302652729749464 / 3, 9);
  });

  test.each<[string, Partial<Campaign>, Partial<Campaign>]>([
    ['different seeds', { seed: 1 }, { seed: 2 }],
    ['common random numbers in one campaign', { commonRandomNumbers: true }, {}],
    ['no seed in one campaign', { seed: null }, { seed: 0 }],
  ])('use Welch’s method with %s', async (_, ofA, ofB) => {
    const comparison = compareCampaigns(side('a', a, ofA), side('b', b, ofB));
    expect(comparison.method).toBe('Welch');
    const [point] = await Array.fromAsync(comparison.points);
    expect(point!.outputs[0]!.low).toBeLessThan(0);
  });

  test('in pairs leave out replications that only one campaign has', async () => {
    const [point] = await pointsIn(side('a', { 1: [1, null, 4, 9] }), side('b', { 1: [3, 5, 6] }));
    expect(point!.outputs[0]).toMatchObject({
      a: { n: 2, mean: 2.5 },
      b: { n: 2, mean: 4.5 },
      difference: 2,
    });
  });

  test('have no interval with fewer than two values', async () => {
    for (const seed of [42, 43]) {
      const points = await pointsIn(
        side('a', { 1: [1], 2: [null] }),
        side('b', { 1: [3], 2: [1] }, { seed }),
      );
      expect(points[0]!.outputs[0]).toMatchObject({ difference: 2, low: null, high: null });
      expect(points[1]!.outputs[0]).toMatchObject({ difference: null, low: null, high: null });
    }
  });

  test('are computed for the outputs that are numbers with the same unit in both campaigns', () => {
    const one: CampaignOutput[] = [
      wait,
      { name: 'Cost', type: 'DOUBLE', units: null },
      { name: 'Curve', type: 'DATA_SET', units: null },
      { name: 'Served', type: 'INTEGER', units: null },
    ];
    const other: CampaignOutput[] = [
      { name: 'Served', type: 'LONG', units: null },
      { ...wait, units: 'HOUR' },
      { name: 'Curve', type: 'DATA_SET', units: null },
    ];
    const comparison = compareCampaigns(side('a', a, { outputs: one }), side('b', b, { outputs: other }));
    expect(comparison.outputs.map(({ name }) => name)).toEqual(['Served']);
    expect(comparison.leftOut).toEqual(['Wait', 'Cost', 'Curve']);
    expect(() => compareCampaigns(side('a', a), side('b', b, { outputs: other.slice(1) }))).toThrow(
      'no numeric or BOOLEAN output in common',
    );
  });

  test('of shares use Newcombe’s method, with or without pairs, and differences of quantiles use order statistics', async () => {
    const late = ['P(Wait > 2.5)', 'Q(Wait, 0.5)'];
    const many = (shift: number) => Array.from({ length: 40 }, (_, at) => shift + (at % 5));
    const compared = async (seed: number) => {
      const comparison = compareCampaigns(side('a', { 8: many(0) }), side('b', { 8: many(1) }, { seed }), {
        show: late,
      });
      return { comparison, outputs: (await Array.fromAsync(comparison.points))[0]!.outputs };
    };
    const pairs = await compared(42);
    // the share is 16 of 40 runs in A and 24 of 40 in B; 16 pairs are true in both
    expect(pairs.outputs[0]).toMatchObject({
      a: { n: 40, mean: 0.4 },
      b: { n: 40, mean: 0.6 },
      ...pairedShareDifference({ both: 16, onlyA: 0, onlyB: 8, neither: 16 }, 0.95),
    });
    const apart = await compared(43);
    expect(apart.outputs[0]).toMatchObject(shareDifference({ count: 16, n: 40 }, { count: 24, n: 40 }, 0.95));
    for (const { comparison, outputs } of [pairs, apart]) {
      expect(outputs[1]).toMatchObject({ a: { mean: 2 }, b: { mean: 3 }, difference: 1 });
      expect(outputs[1]!.low).toBeLessThanOrEqual(1);
      expect(comparison.leftOut).toEqual([]);
    }
    const again = compareCampaigns(side('a', { 8: many(0) }), side('b', { 8: many(1) }), { show: late });
    const summary = new ComparisonSummary(again);
    const rows = comparisonTable(again, summary.watched());
    const table = await textOf(formatTable('csv', rows));
    const notes = comparisonNotes(again, summary);
    expect(notes).toContainEqual(expect.stringMatching(/^Intervals of shares \(95 %\): Newcombe/));
    expect(notes).toContainEqual(expect.stringMatching(/^Intervals of quantiles \(95 %\): from order/));
    expect(notes.join()).not.toContain("Student's t");
    expect(table).toMatch(/P\(Wait > 2\.5\),40,0\.4,40,0\.6,.*,Newcombe paired,true/);
    const page = await renderComparison(again, summary);
    expect(page).toContain('in percentage points');
    expect(page).toMatch(/<strong>(<span[^>]*>)?20</);
    expect(page).toContain('<th class="number">Difference (percentage points)</th>');
    expect(page).toContain('<th class="number">Difference</th>');
    const { columns } = JSON.parse(/json">([^<]*)</.exec(page)![1]!) as {
      columns: { title: string; values: number[]; texts?: string[] }[];
    };
    const { low, high } = pairs.outputs[0]!;
    expect(columns.map(({ title }) => title)).toContain('P(Wait > 2.5), B − A (percentage points)');
    const [gap, from, to] = columns.slice(-4);
    expect([gap!.values[0], from!.values[0]! / 100, to!.values[0]! / 100]).toEqual([
      20,
      expect.closeTo(low!, 9),
      expect.closeTo(high!, 9),
    ]);
    for (const { texts, values } of [gap!, from!, to!])
      expect((texts ?? values.map(String))[0]).toMatch(/^[\d.]+$/);
  });

  test('use the confidence of the campaigns if both have the same', () => {
    const precision = { min: 2, max: 9, outputs: ['Wait'], relative: 0.1, absolute: null, confidence: 0.99 };
    const confidences = [
      [precision, precision],
      [precision, null],
    ].map(
      ([ofA, ofB]) =>
        compareCampaigns(side('a', a, { precision: ofA! }), side('b', b, { precision: ofB! })).confidence,
    );
    expect(confidences).toEqual([0.99, 0.95]);
  });
});

describe('a comparison', () => {
  const waits = (shift: number) =>
    Object.fromEntries(
      Array.from({ length: 5 }, (_, at) => [at + 1, [at, at + 1, at + 5].map((n) => n + shift * at)]),
    );
  const compare = () =>
    compareCampaigns(side('old', { ...waits(0), 9: [1] }), side('new', { ...waits(0.5), 8: [1, 2] }));

  test('gives a table with one row per point and output', async () => {
    const comparison = compare();
    const text = await textOf(formatTable('csv', comparisonTable(comparison, comparison.points)));
    const lines = text.trimEnd().split('\n');
    expect(lines[0]).toBe('point,Rate,in,output,n A,mean A,n B,mean B,difference,low,high,interval,differs');
    expect(lines).toHaveLength(8);
    expect(lines[1]!.split(',').slice(1)).toEqual([
      '1',
      'both',
      'Wait',
      '3',
      '2',
      '3',
      '2',
      '0',
      '',
      '',
      '',
      '',
    ]);
    // equal differences have no interval
    expect(lines[2]).toMatch(/,0\.5,,,,$/);
    expect(lines.slice(6).map((line) => line.split(',').slice(1).join())).toEqual([
      '9,A,Wait,1,1,0,,,,,,',
      '8,B,Wait,0,,2,1.5,,,,,',
    ]);
  });

  test('has a summary in words', async () => {
    const comparison = compare();
    const summary = new ComparisonSummary(comparison);
    await summary.read();
    expect(comparisonNotes(comparison, summary)).toEqual([
      'A is old (Epidemic, version 1), B is new (Epidemic, version 1); differences are B - A.',
      '5 points finished in both, 1 finished only in A, 1 finished only in B.',
      "Intervals (95 %): replications are compared in pairs, because they have the same seeds in both campaigns (Student's t).",
      'Wait: no point has an interval, because it needs two pairs of replications with finite values, whose differences are not all equal.',
    ]);
    expect(summary.outputs[0]!.largest.map(({ values }) => values[0])).toEqual(['5', '4', '3', '2', '1']);
  });

  test('says that the means of a selection are biased', async () => {
    const waits = { 1: [1, 2], 2: [2, 4] };
    const notesOf = async (changes: Partial<Campaign>): Promise<string> => {
      const comparison = compareCampaigns(side('old', waits), side('new', waits, changes));
      const summary = new ComparisonSummary(comparison);
      await summary.read();
      return comparisonNotes(comparison, summary).join('\n');
    };
    const rule = { method: 'kn' as const, indifference: 1, confidence: 0.95, report: 30, require: [] };
    expect(await notesOf({ strategy: { by: 'selection', ...rule } })).toContain('rather too bad');
    expect(await notesOf({})).not.toContain('rather too bad');
  });

  test.each<[string, (number | null)[][], (number | null)[][], string]>([
    ['the only point has an interval', [[1, 2]], [[2, 1]], 'Wait: no interval excludes 0.'],
    [
      'one of two points has an interval, which contains 0',
      [[1, 2], [1], []],
      [[2, 1], [1], []],
      'Wait: no interval excludes 0; 1 of 2 points has no interval.',
    ],
    [
      'one of four points has an interval, which excludes 0',
      [[1, 2], [1], [null, 1], [null]],
      [[5, 6.1], [1], [1, 2], [3]],
      'Wait: differs at 1 point of 1 that has an interval (1 higher in B); by chance alone less than 1 would; 3 of 4 points have no interval.',
    ],
    [
      'no point has an interval',
      [[1], [null]],
      [[1], [1]],
      'Wait: no point has an interval, because it needs two pairs of replications with finite values, whose differences are not all equal.',
    ],
    [
      // the values of a campaign differ, but the differences of the pairs do not
      'nothing has changed',
      [[1, 2, 4]],
      [[1, 2, 4]],
      'Wait: no point has an interval, because it needs two pairs of replications with finite values, whose differences are not all equal.',
    ],
    ['no point has a value in both campaigns', [[null]], [[1]], 'Wait: no point has a finite value in both.'],
  ])('says how many points have no interval if %s', async (_, inA, inB, said) => {
    const byRate = (all: (number | null)[][]) => Object.fromEntries(all.map((waits, at) => [at, waits]));
    const comparison = compareCampaigns(side('a', byRate(inA)), side('b', byRate(inB)));
    const summary = new ComparisonSummary(comparison);
    await summary.read();
    expect(comparisonNotes(comparison, summary).at(-1)).toBe(said);
  });

  test('says how many runs of the points in both have no value, once for outputs with the same counts', async () => {
    const outputs = [wait, { ...wait, name: 'Cost' }];
    const sides = [
      side('a', { 1: [1, 2, 3], 2: [1, 2, null], 8: [null] }, { outputs }),
      side('b', { 1: [1, 2, null], 2: [null, null, 3], 9: [null] }, { outputs }),
    ] as const;
    const notes = async (show: string[]) => {
      const comparison = compareCampaigns(...sides, { show });
      const summary = new ComparisonSummary(comparison);
      await summary.read();
      return comparisonNotes(comparison, summary).filter((note) => note.includes('have no value'));
    };
    expect(await notes(['Wait', 'Q(Wait, 0.5)', 'Cost'])).toEqual([
      'Wait, Q(Wait, 0.5): 1 of 6 runs of A and 3 of 6 runs of B have no value, so the other runs may not be a fair sample.',
      'Cost: 6 of 6 runs of A and 6 of 6 runs of B have no value, so the other runs may not be a fair sample.',
    ]);
  });

  test('does not count replications that have not finished as runs without a value', async () => {
    const whole = side('a', { 1: [1, 2, 3], 2: [4, 5, null] });
    const rows = async function* () {
      // runs finish in any order
      for await (const row of whole.rows()) if (row.replication !== 2) yield row;
    };
    const comparison = compareCampaigns({ ...whole, rows }, side('b', { 1: [1, 2, 3], 2: [4, 5, 6] }));
    const summary = new ComparisonSummary(comparison);
    await summary.read();
    expect(comparisonNotes(comparison, summary).filter((note) => note.includes('have no value'))).toEqual([
      'Wait: 1 of 4 runs of A and 0 of 6 runs of B have no value, so the other runs may not be a fair sample.',
    ]);
    const [first] = await pointsIn({ ...whole, rows }, side('b', { 1: [1, 2, 3] }));
    expect(first!.outputs[0]).toMatchObject({ a: { n: 2, mean: 2 }, b: { n: 2, mean: 2 }, runs: [2, 3] });
  });

  test('gives a page that loads nothing', async () => {
    const comparison = compare();
    const summary = new ComparisonSummary(comparison);
    await summary.read();
    const page = await renderComparison(comparison, summary);
    // its only script is that of its pictures, as in a report
    expect(page.match(/<script>/g)).toHaveLength(1);
    expect(page).not.toMatch(/<(link|img|iframe|object|embed|base|form|image|use)\b/i);
    expect(page).not.toMatch(/\b(src|href|srcset|action)=/i);
    const symbols = /<g class="mark-symbol role-mark[^>]*>(.*?)<\/g>/s.exec(page)![1]!;
    expect(symbols.match(/<path/g)).toHaveLength(5);
    expect(page).toContain('Wait, B − A (minute)');
  });

  test('a difference and the ends of its interval have the digits that the interval allows', async () => {
    const comparison = compareCampaigns(
      side('a', { 1: [188.213, 199.402, 192.645] }),
      side('b', { 1: [269.871, 301.234, 284.444] }),
    );
    const summary = new ComparisonSummary(comparison);
    await summary.read();
    const page = await renderComparison(comparison, summary);
    const [, ...ends] = /title="-?[\d.]+ to -?[\d.]+"[^>]*>(\S+) to (\S+?)</.exec(page)!;
    expect(ends).toEqual([expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d+$/)]);
    expect(page).toMatch(/title="91\.76[\d.]*"[^>]*>92</);
  });

  test('draws the same selection of thousands of points every time', async () => {
    const many = (shift: number) =>
      Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [at, [at, at + 1 + shift]]));
    const summaries = [];
    for (let time = 0; time < 2; time += 1) {
      const summary = new ComparisonSummary(compareCampaigns(side('a', many(0)), side('b', many(1))));
      await summary.read();
      summaries.push(summary.outputs[0]!);
    }
    const [one, other] = summaries.map(({ sample }) => sample.map(({ values }) => Number(values[0])));
    expect(one).toEqual(other);
    expect(one).toHaveLength(300);
    expect(summaries[0]!.compared).toBe(2_000);
    const mean = one!.reduce((sum, value) => sum + value, 0) / 300;
    // a random selection from 0 to 2,000 has a mean of 1,000 ± 33
    expect(Math.abs(mean - 1_000)).toBeLessThan(150);
  });
});

describe('without chance', () => {
  const fixed = { replications: 1, seed: null, base: [policy('fifo'), rate] };
  const told = async (inA: (number | null)[], inB: (number | null)[], ofB: Partial<Campaign> = fixed) => {
    const byRate = (all: (number | null)[]) => Object.fromEntries(all.map((one, at) => [at, [one]]));
    const comparison = compareCampaigns(side('a', byRate(inA), fixed), side('b', byRate(inB), ofB), {
      show: ['Wait', 'P(Wait > 2)'],
    });
    const summary = new ComparisonSummary(comparison);
    const table = await textOf(formatTable('csv', comparisonTable(comparison, summary.watched())));
    const page = await renderComparison(comparison, summary);
    return { notes: comparisonNotes(comparison, summary).slice(2), table, page };
  };

  test('the campaigns differ at the points whose values are not equal except for rounding, for certain', async () => {
    const { notes, table, page } = await told([1, 2, 0.1 + 0.2, 5, null], [1, 3, 0.3, 1, 4]);
    expect(notes).toEqual([
      'Neither model has an input {RANDOM_SEED}, so there is no chance: differences are certain and have no intervals.',
      'Wait, P(Wait > 2): 1 of 5 runs of A and 0 of 5 runs of B have no value, so the other runs may not be a fair sample.',
      'Wait: differs at 2 of 4 points (1 higher in B, 1 lower in B); 1 of 5 points has no value in both.',
      'P(Wait > 2): differs at 2 of 4 points (1 higher in B, 1 lower in B); 1 of 5 points has no value in both.',
    ]);
    expect(table).toContain(',1,both,Wait,1,2,1,3,1,,,,true\n');
    expect(table).toContain(',1,both,P(Wait > 2),1,0,1,1,1,,,,true\n');
    expect(table).toContain(',0,both,P(Wait > 2),1,0,1,0,0,,,,false\n');
    expect(page).toContain('in colour if the values differ');
    const same = await told([1, 2], [1, 2]);
    expect(same.notes.slice(1)).toEqual(['Wait: equal at 2 points.', 'P(Wait > 2): equal at 2 points.']);
  });

  test('in one campaign, there are no intervals', async () => {
    const { notes, table } = await told([1, 2], [1, 3], {});
    expect(notes).toEqual([
      'One model has no input {RANDOM_SEED}, so it has one run at each point, and there are no intervals.',
      'Wait: no point has an interval.',
      'P(Wait > 2): no point has an interval.',
    ]);
    expect(table).toContain(',1,both,P(Wait > 2),1,0,1,1,1,,,,\n');
  });
});

test('a comparison calls differences better or worse if both campaigns have the same goal, or the caller gives a goal', async () => {
  const goal = { output: 'Wait', wants: 'lowest' } as const;
  const sides = (goals: (Campaign['goal'] | undefined)[]) =>
    [side('a', { '1.0': [1, 1.1, 1.2] }), side('b', { '1.0': [5, 5.2, 5.1] })].map((one, at) => ({
      ...one,
      campaign: { ...one.campaign, ...(goals[at] && { goal: goals[at] }) },
    })) as [Compared, Compared];
  const notes = async (goals: (Campaign['goal'] | undefined)[], asked?: Campaign['goal']) => {
    const comparison = compareCampaigns(...sides(goals), { goal: asked });
    const summary = new ComparisonSummary(comparison);
    await summary.read();
    return comparisonNotes(comparison, summary).join(' ');
  };
  expect(await notes([])).toContain('(1 higher in B)');
  expect(await notes([goal, goal])).toContain('(1 worse in B (higher))');
  expect(await notes([goal])).not.toMatch(/better|worse/);
  expect(await notes([goal, goal], { ...goal, wants: 'highest' })).toContain('(1 better in B (higher))');
  const formula = { output: 'p( Wait>2 )', wants: 'lowest' } as const;
  const asked = compareCampaigns(...sides([]), { goal: formula });
  expect(asked.goal?.output).toBe(asked.outputs.at(-1)!.name);
  expect(() => compareCampaigns(...sides([]), { goal: { ...goal, output: 'Cost' } })).toThrow(
    'keeps no output "Cost"',
  );
});
