import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { RANDOM_SEED } from '../../src/api/constants.ts';
import { changed, checkChange, difference, unchangeable } from '../../src/campaign/change.ts';
import { expand, runInputs } from '../../src/campaign/points.ts';
import { freshened } from '../../src/campaign/seeds.ts';
import type { Campaign } from '../../src/campaign/types.ts';
import { checkBody } from './support.ts';

const NONE = new Map<string, Uint8Array>();
const GRID = 'design: {grid: {Days: [7, 14], Contact rate: [1, 2]}}\n';

/** A campaign from a definition, before foray draws a seed or a salt. */
function campaign(body: string, rest: Partial<Campaign> = {}): Campaign {
  return {
    ...checkBody(body),
    id: 'flu-1',
    service: 'http://127.0.0.1:8090/api/open/8.5.0',
    model: { id: 'model', name: 'Epidemic', versionId: 'version 3', version: 3 },
    files: [],
    ...rest,
  };
}

const model = campaign('').model;

describe('a change', () => {
  test.each<[string, Campaign, Campaign]>([
    ['the name', campaign(''), campaign('', { name: 'measles' })],
    ['the model', campaign(''), campaign('', { model: { ...model, id: 'other' } })],
    ['the service', campaign(''), campaign('', { service: 'http://elsewhere' })],
    ['the seed', campaign('seed: 1\n'), campaign('seed: 2\n')],
    ['the seed', campaign('inputs: {"{RANDOM_SEED}": 7}\n'), campaign('')],
    ['the seed', campaign('design: {grid: {"{RANDOM_SEED}": [1, 2]}}\n'), campaign('')],
    ['"commonRandomNumbers"', campaign('commonRandomNumbers: true\n'), campaign('')],
    ['the priority', campaign('priority: 1\n'), campaign('')],
    ['"fresh"', campaign(''), campaign('fresh: {salt: Title}\n')],
    ['the seed, "fresh"', campaign(''), campaign('fresh: true\n')],
    [
      'the name, the priority',
      campaign(''),
      campaign('outputs: [Infected]\npriority: 5\n', { name: 'measles' }),
    ],
  ])('of %s is refused', (what, before, after) => {
    expect(unchangeable(before, after)).toBe(what);
    expect(unchangeable(after, before)).toBe(what);
    expect(unchangeable(before, before)).toBeUndefined();
  });

  test('of "require" or of a step is refused if a search starts from another campaign, and the error lists the settings that can change', () => {
    const search = (most: number, days = '{ min: 5, max: 9 }'): Campaign =>
      campaign(
        `search: { minimize: Fit error, over: { Days: ${days} }, start: { campaign: a }, require: { Fit error: { max: ${most} } } }\n`,
      );
    expect(() => checkChange(search(300), search(200))).toThrow(
      expect.objectContaining({
        message: 'In a search that has begun, "require" beside "start" cannot change.',
        hint: expect.stringMatching(
          /^"stop", "parallel", "order", "confirm" and the bounds under "over" can change\./,
        ),
      }),
    );
    expect(() => checkChange(search(300), search(300, '{ min: 5, max: 8 }'))).not.toThrow();
    expect(() => checkChange(search(300), search(300, '{ min: 5, max: 9, step: 2 }'))).toThrow(
      expect.objectContaining({
        message: 'In a search that has begun, "over" apart from the bounds cannot change.',
        hint: expect.stringMatching(
          /^"stop", "parallel", "order", "confirm" and the bounds under "over" can/,
        ),
      }),
    );
  });

  test('of "where" is refused in a search by an outside optimiser, and the error lists the settings that can change', () => {
    const search = (where: string): Campaign =>
      campaign(
        `search: { minimize: Fit error, over: { Days: { min: 5, max: 9 } }, where: "${where}", method: { command: [python, optimise.py] } }\n`,
      );
    expect(() => checkChange(search('Days > 5'), search('Days > 6'))).toThrow(
      expect.objectContaining({
        message: 'In a search that has begun, "where" cannot change.',
        hint: expect.stringMatching(/^"stop", "order" and "confirm" can change\./),
      }),
    );
  });

  test('of "fresh" is refused in a fresh campaign, and in a campaign that is not fresh', () => {
    const drawn = (body: string): Campaign => freshened(campaign(body), () => 0.5);
    for (const [before, after] of [
      [drawn('fresh: true\n'), campaign('')],
      [drawn('fresh: {salt: Title}\n'), campaign('')],
      [drawn('fresh: {salt: Title}\n'), campaign('fresh: {salt: Budget}\n')],
      [drawn('fresh: {salt: Title}\n'), campaign('fresh: true\n')],
      [campaign(''), campaign('fresh: true\n')],
      [campaign('seed: 5\n'), campaign('fresh: true\n')],
    ] as const)
      expect(unchangeable(before, after)).toMatch(/"fresh"/);
  });

  test.each([
    'fresh: true\n',
    'fresh: {salt: Title}\n',
    'fresh: {salt: Budget}\nseed: 42\n',
    'seed: 42\n',
    '',
  ])('to the same definition has no effect: %j', (body) => {
    const definition = `${GRID}replications: 2\n${body}`;
    const before = freshened(campaign(definition), () => 0.5);
    const after = campaign(definition);
    expect(unchangeable(before, after)).toBeUndefined();
    expect(changed(before, after)).toEqual(before);
    expect(difference(before, changed(before, after), NONE)).toEqual({
      points: { added: 0, dropped: 0, kept: 4 },
      replications: { from: 2, to: 2 },
      outputs: { added: [], dropped: [] },
      settings: [],
      version: null,
    });
  });
});

describe('foray accepts a change', () => {
  test.each<[string, string, string[]]>([
    ['', 'concurrency: 8\n', ['concurrency']],
    ['', 'failures: {count: 3}\n', ['failures']],
    ['failures: {count: 3}\n', 'failures: {count: 4}\n', ['failures']],
    ['', 'failures: {attempts: 3}\n', ['failures.attempts']],
    ['failures: {attempts: 3}\n', 'failures: {attempts: 3, backoff: 1 h}\n', ['failures.attempts']],
    ['', 'failures: {attempts: 3, rate: 0.5}\n', ['failures', 'failures.attempts']],
    ['', 'timeouts: {run: 5}\n', ['timeouts']],
    ['timeouts: {run: 5}\n', 'timeouts: {run: 5, campaign: 1 d}\n', ['timeouts']],
    ['', 'outputs: {files: keep}\n', ['outputs.files']],
    ['outputs: [Peak day, Fit error]\n', 'outputs: [Fit error, Peak day]\n', ['the order of outputs']],
    ['', 'concurrency: 8\ntimeouts: {run: 5}\n', ['concurrency', 'timeouts']],
  ])('from %j to %j', (from, to, settings) => {
    const [before, after] = [campaign(from), campaign(to)];
    expect(unchangeable(before, after)).toBeUndefined();
    expect(difference(before, after, NONE)).toEqual({
      points: { added: 0, dropped: 0, kept: 1 },
      replications: { from: 1, to: 1 },
      outputs: { added: [], dropped: [] },
      settings,
      version: null,
    });
    expect(changed(before, after)).toEqual(after);
    expect(difference(after, before, NONE).settings).toEqual(settings);
  });

  test('of the values of a design and of the replications', () => {
    const before = campaign(`${GRID}replications: 3\n`);
    const after = campaign('design: {grid: {Days: [14, 21, 28], Contact rate: [1, 2]}}\nreplications: 2\n');
    expect(unchangeable(before, after)).toBeUndefined();
    expect(difference(before, after, NONE)).toEqual({
      points: { added: 4, dropped: 2, kept: 2 },
      replications: { from: 3, to: 2 },
      outputs: { added: [], dropped: [] },
      settings: [],
      version: null,
    });
  });
});

test('another order or form of the same points, and another name of a file, are differences', () => {
  const settings = (before: Campaign, body: string): string[] =>
    difference(before, campaign(body), NONE).settings;
  const rewritten = ['the order or form of the design'];
  expect(settings(campaign(GRID), GRID)).toEqual([]);
  expect(settings(campaign(GRID), 'design: {grid: {Days: [14, 7], Contact rate: [1, 2]}}\n')).toEqual(
    rewritten,
  );
  expect(settings(campaign(GRID), 'design: {grid: {Contact rate: [1, 2], Days: [7, 14]}}\n')).toEqual(
    rewritten,
  );
  const file = { input: 'Observed cases', hash: 'h', path: 'a.csv' };
  expect(settings(campaign(GRID, { files: [file] }), GRID)).toEqual(['files']);
  // files that only points of an earlier definition have stay known, and nobody has changed them
  expect(settings(campaign(GRID, { variedFiles: [file] }), GRID)).toEqual([]);
});

/** The values of a design of two inputs: each input has at least one value. */
const anyDesign = fc.record({
  days: fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
  rates: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
  replications: fc.integer({ min: 1, max: 3 }),
});
type Design = typeof anyDesign extends fc.Arbitrary<infer T> ? T : never;
// without a seed, replications would change the seed
const anyFresh = fc.constantFrom('seed: 7\n', 'fresh: true\n', 'seed: 7\nfresh: {salt: Title}\n');

function designed({ days, rates, replications }: Design, fresh: string): Campaign {
  const grid = `design: {grid: {Days: [${days.join()}], Contact rate: [${rates.join()}]}}\n`;
  return campaign(`${grid}replications: ${replications}\n${fresh}`);
}

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('the seed does not become a varied input if the later definition has another base seed', () => {
  const before = campaign('seed: 5\n');
  const base = before.base.map((input) => (input.name === RANDOM_SEED ? { ...input, value: '77' } : input));
  expect(base).not.toEqual(before.base);
  expect(changed(before, { ...before, base }).varied).toEqual(before.varied);
});

describe('a change that adds the first replications, or leaves them out', () => {
  const [single, repeated] = [campaign(GRID), campaign(`${GRID}replications: 3\n`)];

  test('is refused without a seed, because the finished runs would have other seeds', () => {
    expect(() => checkChange(single, repeated)).toThrow(
      expect.objectContaining({
        code: 'CHANGE_REFUSED',
        message: 'In a campaign that has begun, the seed cannot change.',
        hint: expect.stringMatching(
          /^The finished runs have the seed of the model; .* Submit the definition as a new campaign\. .* "seed" from the start/,
        ),
      }),
    );
    expect(() => checkChange(repeated, single)).toThrow(
      expect.objectContaining({ hint: 'Give the campaign the seed that it has: seed: 0.' }),
    );
  });

  test('keeps the runs if the definition has the seed of the campaign', () => {
    checkChange(repeated, campaign(`${GRID}seed: 0\n`));
    checkChange(repeated, campaign(`${GRID}replications: 9\n`));
    checkChange(campaign(`${GRID}seed: 4\n`), campaign(`${GRID}seed: 4\nreplications: 9\n`));
  });
});

describe('for any two designs', () => {
  test('foray counts the added, dropped and kept points, and the replications before and after the change', () => {
    fc.assert(
      fc.property(anyDesign, anyDesign, anyFresh, random, (a, b, fresh, share) => {
        const before = freshened(designed(a, fresh), () => share);
        const after = designed(b, fresh);
        expect(unchangeable(before, after)).toBeUndefined();
        const { points, replications } = difference(before, changed(before, after), NONE);
        expect(points.added + points.kept).toBe(b.days.length * b.rates.length);
        expect(points.dropped + points.kept).toBe(a.days.length * a.rates.length);
        const both = (one: number[], other: number[]): number =>
          one.filter((value) => other.includes(value)).length;
        expect(points.kept).toBe(both(a.days, b.days) * both(a.rates, b.rates));
        expect(replications).toEqual({ from: a.replications, to: b.replications });
      }),
    );
  });

  test('a drawn seed or salt stays, a run in both designs keeps its inputs, and all settings come from the later definition', () => {
    fc.assert(
      fc.property(anyDesign, anyDesign, anyFresh, random, (a, b, fresh, share) => {
        const before = freshened(designed(a, fresh), () => share);
        const later = designed(b, fresh);
        const after = changed(before, later);
        expect({ ...after, base: null }).toEqual({ ...later, seed: before.seed, base: null });
        expect(after.base).toEqual(before.base);
        const sentBy = (of: Campaign): Map<string, string> =>
          new Map(
            [...expand(of)].flatMap((point) =>
              [1, 2, 3].map((n) => [`${point.key}/${n}`, JSON.stringify(runInputs(of, point, n))]),
            ),
          );
        const earlier = sentBy(before);
        for (const [run, inputs] of sentBy(after)) {
          if (earlier.has(run)) expect(inputs).toBe(earlier.get(run));
        }
      }),
    );
  });
});
