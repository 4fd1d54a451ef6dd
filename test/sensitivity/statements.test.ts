import { describe, expect, test } from '@jest/globals';
import { RANDOM_SEED } from '../../src/api/index.ts';
import type { Design } from '../../src/campaign/designs/index.ts';
import { analysisSentence } from '../../src/report/analysis/words.ts';
import { uniforms } from '../support/uniforms.ts';
import { expectedMuStar } from '../../bench/truth/morris.ts';
import { analyzed, byName, numericBase, spread } from './campaigns.ts';
import type { Analysis } from '../../src/sensitivity/analysis.ts';
import { ishigami, names } from './functions.ts';

const three = spread(['A', 'B', 'C']);
const saltelli: Design = {
  kind: 'saltelli',
  inputs: three,
  points: 512,
  scrambles: 1,
  secondOrder: false,
  seed: 1,
};
const morris: Design = { kind: 'morris', inputs: three, trajectories: 20, levels: 4, seed: 1 };
const lhs = (inputs: number, points: number): Design => ({
  kind: 'sample',
  method: 'lhs',
  points,
  seed: 1,
  scramble: true,
  inputs: spread(names(inputs)),
});
const SEED = { name: RANDOM_SEED, type: 'LONG' as const, units: null, value: '1' };

describe('an output that is only chance', () => {
  const cases: [string, Design, number][] = [
    ['saltelli', saltelli, 2],
    ['morris', morris, 3],
    [
      'factorial',
      {
        kind: 'factorial',
        inputs: ['A', 'B', 'C'],
        values: [
          ['0', '1'],
          ['0', '1'],
          ['0', '1'],
        ],
        generators: [null, null, null],
      },
      10,
    ],
    [
      'one per input',
      {
        kind: 'onePerInput',
        inputs: ['A', 'B'],
        values: [
          ['0', '1'],
          ['0', '1'],
        ],
      },
      10,
    ],
  ];

  test.each(cases)('is not said to depend on an input (%s)', (_title, design, replications) => {
    const random = uniforms(7);
    const [found] = analyzed({ design, replications }, () => ({ Y: random() }));
    expect(analysisSentence(found!)).toBe(
      'The effects of all inputs on Y cannot be distinguished from chance.',
    );
  });

  test('has intervals of μ* that reach down to 0', () => {
    const random = uniforms(5);
    const [found] = analyzed({ design: morris, replications: 3 }, () => ({ Y: random() }));
    for (const { muStarInterval } of found!.indices!) expect(muStarInterval![0]).toBe(0);
  });

  test('has no shares of the variance if chance hides them', () => {
    const random = uniforms(7);
    const [found] = analyzed({ design: saltelli, replications: 2 }, () => ({ Y: random() }));
    for (const one of found!.indices!) expect(one).toEqual({ input: one.input, p: expect.any(Number) });
  });

  test('is unknown under a design that cannot tell chance from effects', () => {
    const random = uniforms(7);
    const base = [...numericBase({ A: 0, B: 0, C: 0 }), SEED];
    const [found] = analyzed({ design: morris, base, seed: 1 }, () => ({ Y: random() }));
    expect(analysisSentence(found!)).toBe(
      'It is unknown which inputs matter for Y, because each point has one run with its own seed.',
    );
  });
});

describe('as long as no point has two runs with a value', () => {
  const base = [...numericBase({ A: 0, B: 0, C: 0 }), SEED];
  const grid: Design = {
    kind: 'grid',
    inputs: ['A', 'B'],
    values: [
      ['0', '1'],
      ['0', '0.5', '1'],
    ],
  };
  const alone: Design = { kind: 'onePerInput', inputs: ['A', 'B'], values: [['1'], ['1']] };
  /** The sentence of a campaign with three replications, of which only the chosen one of each point has a value. */
  const said = (
    played: { design: Design; seed?: number; commonRandomNumbers?: boolean },
    chosen: (values: readonly number[]) => number,
    output = 'Y',
  ): string => {
    const random = uniforms(7);
    const [found] = analyzed(
      { base, replications: 3, outputs: [output], ...played },
      (values, replication) => {
        const Y = random();
        return replication === chosen(values) ? { Y } : undefined;
      },
    );
    return analysisSentence(found!);
  };
  const first = () => 1;
  const UNKNOWN = 'It is unknown which inputs matter for Y, because no point has two runs with a value.';

  test('chance is no effect, as in the first replication of a campaign that still runs', () => {
    for (const design of [morris, alone]) expect(said({ design, seed: 1 }, first)).toBe(UNKNOWN);
    expect(said({ design: grid, seed: 1 }, first)).toBe(
      'The effects of all inputs on Y cannot be distinguished from chance.',
    );
  });

  test('runs with the same seed at all points show the effects with these random numbers', () => {
    const known = /^[ABC, and]+ (explain|change)|^All inputs matter/;
    for (const design of [morris, grid, alone])
      expect(said({ design, seed: 1, commonRandomNumbers: true }, first)).toMatch(known);
    // a definition without a seed, but with replications, has seeds of its own for each point
    expect(said({ design: morris }, first)).toBe(UNKNOWN);
    // the replications of different points have different seeds
    const mixed = ([a]: readonly number[]) => 1 + Number(a! > 0.5);
    expect(said({ design: morris, seed: 1, commonRandomNumbers: true }, mixed)).toBe(UNKNOWN);
  });

  const ONE_CHANCE =
    'Each point has one run with the same random numbers: the effects are those with these numbers.';
  test.each([
    ['grid', grid],
    ['one per input', alone],
    ['morris', morris],
    ['saltelli', saltelli],
    ['lhs', { ...lhs(3, 20), inputs: three } as Design],
  ] as [string, Design][])(
    'one run of each point with the same seed is said to be one (%s)',
    (_title, design) => {
      // the effect of A is chance: its sign depends on the seed
      const model = ([a]: readonly number[], _replication: number, seed?: string) => ({
        Y: a! * Math.sin(Number(seed)),
      });
      const warningsOf = (rest: { commonRandomNumbers?: boolean; replications?: number; seed?: number }) =>
        analyzed({ design, base, ...rest }, model)[0]!.warnings;
      expect(warningsOf({})).toContain(ONE_CHANCE);
      expect(warningsOf({ commonRandomNumbers: true, seed: 1 })).toContain(ONE_CHANCE);
      expect(warningsOf({ commonRandomNumbers: true, replications: 2 })).not.toContain(ONE_CHANCE);
      expect(warningsOf({ seed: 1 })).not.toContain(ONE_CHANCE);
      expect(analyzed({ design }, model)[0]!.warnings).not.toContain(ONE_CHANCE);
    },
  );

  test('a time of a curve that one run of each point reaches says nothing of chance', () => {
    const random = uniforms(9);
    const [found] = analyzed(
      { base, design: morris, replications: 3, seed: 1, outputs: ['Course'] },
      (_, replication) => ({
        Course: {
          dataX: [0, 1, 2].slice(0, replication === 1 ? 3 : 2),
          dataY: [random(), random(), random()],
        },
      }),
    );
    expect(found!.times!.map(({ hasUnknownChance = false }) => hasUnknownChance)).toEqual([
      false,
      false,
      true,
    ]);
    expect(found!.warnings).toContain(
      'At 1 of 3 times, no point has two runs with a value, so chance is unknown there.',
    );
  });

  test('a single run beside a few equal ones is no effect', () => {
    const few = ([a]: readonly number[], replication: number) =>
      a === 1 && replication > 1 ? undefined : { Y: Number(a === 1) };
    const [found] = analyzed(
      { base, design: alone, replications: 10, seed: 1, outputs: ['P(Y > 0.5)'] },
      few,
    );
    expect(analysisSentence(found!)).not.toMatch(/^A/);
  });
});

test.each([1, undefined])('chance in a quantile of replications is no effect (seed: %s)', (seed) => {
  const random = uniforms(7);
  const base = [...numericBase({ A: 0, B: 0 }), SEED];
  const values = [
    ['0', '1'],
    ['0', '1'],
  ];
  const [found] = analyzed(
    {
      base,
      design: { kind: 'grid', inputs: ['A', 'B'], values },
      replications: 5,
      seed,
      outputs: ['Q(Y, 0.9)'],
    },
    () => ({ Y: random() }),
  );
  expect(analysisSentence(found!)).toMatch(/cannot be distinguished from chance|^It is unknown/);
});

test('μ* without chance is the mean over all steps, also if chance doubles the mean of absolute effects', () => {
  const random = uniforms(2);
  const normal = (): number => Array.from({ length: 12 }, random).reduce((sum, one) => sum + one, -6);
  const design: Design = { ...morris, trajectories: 200, inputs: spread(names(8)) };
  const [found] = analyzed({ design, replications: 2 }, ([a, b]) => ({ Y: a! + 0.5 * b! + normal() }));
  const { x1, x2, x8 } = byName(found!.indices);
  expect(Math.abs(x1!.muStar! - 1)).toBeLessThan(0.25);
  expect(Math.abs(x2!.muStar! - 0.5)).toBeLessThan(0.3);
  expect(x8!.muStar).toBeLessThan(0.35);
  expect(x1!.p).toBeLessThan(1e-6);
  expect(x8!.p).toBeGreaterThan(0.01);
});

test('the mean μ* of many small designs is that of all steps of the levels', () => {
  const expected = expectedMuStar(3, 4, ishigami);
  for (const [at, value] of [7.704, 7.875, 6.249].entries()) expect(expected[at]).toBeCloseTo(value, 3);
  const sums = [0, 0, 0];
  for (let seed = 0; seed < 300; seed += 1) {
    const design: Design = { ...morris, trajectories: 10, seed };
    const [found] = analyzed({ design }, (unit) => ({ Y: ishigami(unit) }));
    for (const [at, { muStar }] of found!.indices!.entries()) sums[at]! += muStar! / 300;
  }
  // the standard error of the means is about 0.12
  for (const [at, value] of expected.entries()) expect(Math.abs(sums[at]! - value)).toBeLessThan(0.5);
});

describe('points without a value', () => {
  test('whose failure depends on inputs leave no indices, and a reason', () => {
    for (const design of [saltelli, { ...morris, trajectories: 100 }]) {
      const [found] = analyzed({ design }, ([a, b]) => (a! > b! ? undefined : { Y: a! + b! }));
      expect(found!.indices).toEqual([]);
      expect(found!.warnings.join()).toMatch(/depends on A, B, and .* Narrow the ranges/);
      expect(analysisSentence(found!)).toMatch(
        /^It is unknown which inputs matter for Y, because whether a point has a value depends on A, B/,
      );
    }
  });

  test('because their runs have not finished are no failures', () => {
    for (const [design, finished] of [
      [{ ...morris, trajectories: 10 }, 30],
      [saltelli, 600],
    ] as const) {
      let runs = 0;
      const [found] = analyzed({ design, finished }, ([a, b]) =>
        (runs += 1) === 3 ? undefined : { Y: a! + b! },
      );
      expect(found!.indices).toHaveLength(3);
    }
  });

  test('of a design with few different points leave no effects either', () => {
    const two: Design = { ...morris, inputs: spread(['A', 'B']), trajectories: 40 };
    const fails = ([a, b]: readonly number[]) => (a! > b! ? undefined : { Y: a! + b! });
    const base = [...numericBase({ A: 0, B: 0 }), SEED];
    // without chance, with several runs of each point, and with one run
    for (const played of [{}, { base, seed: 1, replications: 3 }, { base, seed: 1 }]) {
      const [found] = analyzed({ design: two, ...played }, fails);
      expect(found!.indices).toEqual([]);
      expect(analysisSentence(found!)).toMatch(
        /^It is unknown which inputs matter for Y, because (whether a point has a value depends on|\d+ of 40 trajectories are left out, and \d+ points are too few to tell)/,
      );
    }
  });

  test('are told from failures by chance by the runs of each point', () => {
    const few: Design = { ...morris, trajectories: 10 };
    const random = uniforms(3);
    const base = [...numericBase({ A: 0, B: 0, C: 0 }), SEED];
    const played = { design: few, base, seed: 1, replications: 3 };
    const found = (fails: (values: readonly number[]) => boolean): Analysis =>
      analyzed(played, (values) => (fails(values) ? undefined : { Y: values[0]! + random() }))[0]!;
    // the failing points are random, but all runs of such a point fail
    const ofPoint = new Map<string, boolean>();
    const byPoint = found((values) => {
      const key = values.join();
      if (!ofPoint.has(key)) ofPoint.set(key, random() < 0.3);
      return ofPoint.get(key)!;
    });
    expect(byPoint.unknown).toMatch(/depends on the inputs/);
    expect(found(() => random() < 0.3).indices).toHaveLength(3);
  });

  test('that failed by chance leave indices and a note', () => {
    const random = uniforms(3);
    const [found] = analyzed({ design: saltelli }, ([a, b]) =>
      random() < 0.02 ? undefined : { Y: a! + b! },
    );
    expect(byName(found!.indices).A!.total).toBeCloseTo(0.5, 1);
    expect(found!.warnings.join()).toMatch(/base points are left out/);
  });

  test('and replications without a value are counted', () => {
    const random = uniforms(3);
    const [found] = analyzed({ design: saltelli, replications: 4 }, ([a]) => ({
      Y: random() < 0.5 ? null : a!,
    }));
    expect(found!.warnings.join()).toMatch(
      /[\d,]+ of 10,240 finished runs have no value of Y\. No dependence on the inputs is visible\./,
    );
    const [dependent] = analyzed({ design: lhs(2, 100), replications: 4 }, ([a], run) => ({
      Y: run <= 4 * a! ? a! : null,
    }));
    expect(dependent!.warnings.join()).toContain('Whether a run has a value depends on x1');
  });
});

test('a regression gives named inputs their own share, not the R² of all inputs', () => {
  const [found] = analyzed({ design: lhs(20, 200) }, ([first, ...others]) => ({
    Y: first! + others.reduce((sum, one) => sum + 0.2 * one, 0),
  }));
  // 1 / (1 + 19 × 0.04) = 0.568
  expect(byName(found!.indices).x1!.share).toBeCloseTo(0.568, 2);
  // without chance and other effects, nothing about the share is uncertain
  expect(analysisSentence(found!)).toMatch(/^x1 explains 57 % of the variance of Y as a linear function; /);
});

describe('a share of the variance', () => {
  test('is not stated if nearly all variance of the means is chance', () => {
    // the sample finds an effect, although the replications say that the means differ by chance only
    const found = analyzed({ design: lhs(2, 40), replications: 2 }, ([a], replication) => ({
      Y: a! + (replication === 1 ? 9 : -9),
    }))[0]!;
    expect(found.chance!.ofMeans).toBe(1);
    expect(found.warnings.join()).toContain("100 % of the variance of the points' means is chance");
    for (const one of found.indices!) expect(one).not.toHaveProperty('share');
    expect(analysisSentence(found)).toMatch(/^x1 matters for Y as a linear function; /);
  });

  test('of a factorial with chance has an interval, and that of all inputs too', () => {
    const random = uniforms(3);
    const normal = (): number => Array.from({ length: 12 }, random).reduce((sum, one) => sum + one, -6);
    const design: Design = {
      kind: 'factorial',
      inputs: ['A', 'B', 'C'],
      values: ['A', 'B', 'C'].map(() => ['0', '1']),
      generators: [null, null, null],
    };
    const [found] = analyzed({ design, replications: 4 }, ([a, b]) => ({ Y: 4 * a! + 3 * b! + normal() }));
    const { A, B, C } = byName(found!.indices);
    // 16 of 25 parts come from A, and 9 from B
    for (const [one, share] of [
      [A, 0.64],
      [B, 0.36],
      [C, 0],
    ] as const) {
      expect(one!.firstInterval![0]).toBeLessThanOrEqual(share);
      expect(one!.firstInterval![1]).toBeGreaterThanOrEqual(share);
      expect(one!.firstInterval![1] - one!.firstInterval![0]).toBeLessThan(0.5);
      expect(one!.totalInterval![1]).toBeGreaterThanOrEqual(share);
    }
    expect(found!.higherOrderInterval![0]).toBeLessThanOrEqual(0);
    expect(analysisSentence(found!)).toMatch(
      /^A and B explain \d+ % \(\d+–100 %\) of the variance of Y; C cannot be distinguished from chance\.$/,
    );
    const two: Design = {
      ...design,
      inputs: ['A', 'B'],
      values: design.values.slice(1),
      generators: [null, null],
    };
    const [all] = analyzed({ design: two, replications: 4 }, ([a, b]) => ({ Y: 4 * a! + 4 * b! + normal() }));
    expect(analysisSentence(all!)).toMatch(
      /^All inputs matter for Y: A takes part in \d+ % \(\d+–\d+ %\), B takes part in \d+ % \(\d+–\d+ %\) of its variance\.$/,
    );
  });

  test('is not exact because the few runs of each point are equal', () => {
    const design: Design = {
      kind: 'factorial',
      inputs: ['A', 'B'],
      values: [
        ['0', '1', '2'],
        ['0', '1', '2'],
      ],
      generators: [null, null],
    };
    const [found] = analyzed({ design, replications: 2 }, ([a, b]) => ({ Y: 2 * a! + b! }));
    const { A } = byName(found!.indices);
    expect(A!.first).toBeGreaterThan(0.5);
    expect(A!.firstInterval![1] - A!.firstInterval![0]).toBeGreaterThan(0.1);
    // 9 points with 40 runs each count as sure
    const [sure] = analyzed({ design, replications: 40 }, ([a, b]) => ({ Y: 2 * a! + b! }));
    expect(byName(sure!.indices).A).toMatchObject({ first: expect.closeTo(0.8, 9) });
    expect(byName(sure!.indices).A).not.toHaveProperty('firstInterval');
  });
});

test('inputs without effect have no partial rank correlation if the ranks are explained wholly', () => {
  const [found] = analyzed({ design: lhs(3, 100) }, ([a]) => ({ Y: a! }));
  const { x1, x2 } = byName(found!.indices);
  expect(found!.rankR2).toBeCloseTo(1, 12);
  expect(x1!.prcc).toBeCloseTo(1, 9);
  expect(x2).not.toHaveProperty('prcc');
  expect(x2!.p).toBe(1);
});

test('few points for many inputs give no share, although R² is nearly 1', () => {
  const random = uniforms(1);
  const [found] = analyzed({ design: lhs(9, 12) }, () => ({ Y: random() }));
  expect(found!.r2).toBeGreaterThan(0.6);
  expect(found).not.toHaveProperty('adjustedR2');
  expect(analysisSentence(found!)).toBe('No input has a visible linear effect on Y.');
});

describe('an input whose values have no order, or whose effect has no direction', () => {
  const rosters: Record<string, number> = { early: 0.73, late: 0.92, split: 0.53 };
  const base = [
    { name: 'Roster', type: 'STRING' as const, units: null, value: 'early' },
    ...numericBase({ Staff: 0 }),
  ];
  const play = (design: Design) => {
    const random = uniforms(4);
    const texts = Object.keys(rosters);
    // the helper gives numbers to the model, so the texts come from the order of the points
    let point = 0;
    return analyzed({ design, base, replications: 20 }, ([, staff], replication) => {
      if (replication === 1) point += 1;
      const roster = texts[Math.floor((point - 1) / 3)]!;
      return { Y: rosters[roster]! + 4 * staff! + 0.1 * (random() - 0.5) };
    })[0]!;
  };

  test('has the largest minus the smallest mean as its effect, and the sentence follows the test', () => {
    const found = play({
      kind: 'grid',
      inputs: ['Roster', 'Staff'],
      values: [Object.keys(rosters), ['0', '1', '2']],
    });
    const { Roster } = byName(found.indices);
    expect(Roster).toMatchObject({ lowAt: 'split', highAt: 'late' });
    expect(Math.abs(Roster!.effect! - 0.39)).toBeLessThan(0.03);
    expect(Roster!.p).toBeLessThan(0.001);
    expect(analysisSentence(found)).toMatch(/; Roster has little effect\.$/);
  });

  test('has the middle value in its effect if the output rises and falls', () => {
    const grid: Design = {
      kind: 'grid',
      inputs: ['A', 'B'],
      values: [
        ['0', '1', '2'],
        ['0', '1'],
      ],
    };
    const [found] = analyzed({ design: grid }, ([a, b]) => ({ Y: (a! - 1) ** 2 + b! }));
    expect(byName(found!.indices).A).toMatchObject({ lowAt: '1', effect: 1, low: 0.5, high: 1.5 });
    const one: Design = { kind: 'onePerInput', inputs: ['A'], values: [['0', '2']] };
    const [single] = analyzed({ design: one, base: numericBase({ A: 1 }) }, ([a]) => ({ Y: (a! - 1) ** 2 }));
    expect(single!.indices![0]).toMatchObject({ lowAt: '1', effect: 1 });
  });
});

test('with one run per point, a factorial takes interactions of three and more inputs as error', () => {
  const random = uniforms(9);
  const inputs = names(5);
  const design: Design = {
    kind: 'factorial',
    inputs,
    values: inputs.map(() => ['0', '1']),
    generators: inputs.map(() => null),
  };
  const base = [...numericBase(Object.fromEntries(inputs.map((name) => [name, 0]))), SEED];
  const [found] = analyzed({ design, base, seed: 1 }, ([a, b]) => ({ Y: 4 * a! + 2 * b! + random() }));
  expect(analysisSentence(found!)).toMatch(
    /^x1 and x2 explain 100 % \(9\d–100 %\) of the variance of Y; x3, x4 and x5 cannot be distinguished from chance\.$/,
  );
  expect(found!.warnings.join()).toContain('interactions of three and more inputs count as error');
});
