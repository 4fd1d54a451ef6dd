import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import type { InputItem } from '../../src/api/index.ts';
import { canonicalValue } from '../../src/api/index.ts';
import { expand, runInputs } from '../../src/campaign/points.ts';
import { campaignsShareSeeds, freshened } from '../../src/campaign/seeds.ts';
import type { ModelFacts } from '../../src/campaign/facts.ts';
import { checkBody, epidemic, refused, seedless } from './support.ts';

const SEED = '{RANDOM_SEED}';
const VARIED = 'design: {grid: {"{RANDOM_SEED}": [1, 2, 3]}}\n';

describe('a model without a seed', () => {
  test.each([
    ['replications: §2\n', /^Remove "replications"\.$/],
    ['seed: §42\n', /^Remove "seed"\.$/],
    ['seed: 42\nreplications: §2\n', /^Remove "replications" and "seed"\.$/],
    ['replications: §2\nfresh: true\n', /^Remove "replications" and "fresh"\.$/],
    ['failures: {attempts: 2, seed: new}\nseed: §1\n', /^Remove "seed" and "failures.seed"\.$/],
  ])('cannot have replications or seeds: %j', (body, hint) => {
    const says =
      /^The model "Epidemic" has no input \{RANDOM_SEED\}, so its runs cannot differ by their seed\.$/;
    refused('REPLICATIONS_NEED_SEED', body, says, hint, seedless);
  });

  test.each([
    ['fresh: §true\n', /^Name an input to salt: fresh: \{salt: INPUT\}\.$/],
    ['failures: {attempts: 3, seed: §new}\n', /^Remove "failures.seed"\.$/],
    ['fresh: {salt: Title}\nfailures:\n  attempts: 3\n  seed: §new\n', /^Remove "failures.seed"\.$/],
    ['failures: {attempts: 3, seed: new}\nfresh: §true\n', /^Name an input to salt/],
  ])('cannot take a new seed: %j', (body, hint) => {
    const says = /^The model "Epidemic" has no input \{RANDOM_SEED\}, so it takes no new seed\.$/;
    refused('SEED_NEEDED', body, says, hint, seedless);
  });

  test.each([
    'random: {points: 4, inputs: {Days: [1, 2]}}',
    'lhs: {points: 4, inputs: {Days: {min: 1, max: 9}}}',
    'morris: {trajectories: 4, inputs: {Days: {min: 1, max: 9}}}',
    'saltelli: {points: 4, inputs: {Days: {min: 1, max: 9}}}',
    'product: [{grid: {Days: [1]}}, {sobol: {points: 4, inputs: {Population: {min: 1, max: 9}}}}]',
  ])('can have a seed for the points of %s', (design) => {
    const { seed, design: resolved } = checkBody(`design: {${design}}\nseed: 9\n`, seedless);
    expect(seed).toBe(9);
    expect(JSON.stringify(resolved)).toContain('"seed":9');
    const hint = /^Remove "replications"\.$/;
    refused(
      'REPLICATIONS_NEED_SEED',
      `design: {${design}}\nseed: 9\nreplications: §2\n`,
      /./,
      hint,
      seedless,
    );
  });

  test('can have one replication, further attempts with the same inputs, and a salt', () => {
    const body = 'replications: 1\nfresh: {salt: Title}\nfailures: {attempts: 3, seed: same}\n';
    expect(checkBody(body, seedless)).toMatchObject({
      replications: 1,
      seed: null,
      fresh: { by: 'salt', input: 'Title' },
      attempts: { count: 3, seed: 'same' },
    });
  });

  test('can have a new seed for further attempts if there is no second attempt', () => {
    expect(checkBody('failures: {seed: new, count: 3}\n', seedless).attempts.count).toBe(1);
  });
});

describe('a design that varies the seed', () => {
  const says = /^The design varies \{RANDOM_SEED\}, so seeds cannot be derived as well\.$/;

  test.each([
    ['replications: §2\n', /^Remove "replications", or the seed from the design\.$/],
    ['seed: §2\n', /^Remove "seed", or the seed from the design\.$/],
    ['fresh: §true\n', /^Remove "fresh", or the seed from the design\.$/],
    ['failures: {attempts: 2, seed: §new}\n', /^Remove "failures.seed", or the seed from the design\.$/],
    ['fresh: true\nreplications: §2\n', /^Remove "replications" and "fresh", or the seed from the design\.$/],
  ])('is refused with %j', (body, hint) => {
    refused('INVALID_VALUE', VARIED + body, says, hint);
  });

  test('can be used with a salt and with attempts that have the same seed', () => {
    const body = `${VARIED}fresh: {salt: Title}\nfailures: {attempts: 2}\n`;
    expect(checkBody(body).design).toMatchObject({ values: [['1', '2', '3']] });
  });
});

describe('a seed that is given as an input', () => {
  const given = 'inputs: {"{random_seed}": 5}\n';

  test.each([
    ['seed', 'seed: §42\n'],
    ['fresh', 'fresh: §true\n'],
    ['seed', 'replications: 2\nseed: §42\n'],
    ['replications', 'replications: §3\n'],
    ['select', 'design: {grid: {Days: [1, 2]}}\nselect: §{minimize: Infected, indifference: 1}\n'],
  ])('is refused with "%s": %j', (setting, body) => {
    const says = new RegExp(`^The input "\\{RANDOM_SEED\\}" is given, and "${setting}" replaces it\\.$`);
    refused('INVALID_VALUE', given + body, says, /^Give one of the two\.$/);
  });

  test('is the seed of the first attempt, and a further attempt with a new seed has another one', () => {
    const checked = checkBody(`${given}failures: {attempts: 2, seed: new}\n`);
    const [point] = [...expand(checked)];
    const seeds = [runInputs(checked, point!, 1), runInputs(checked, point!, 1, 1)];
    const [first, other] = seeds.map((inputs) => inputs.find(({ name }) => name === SEED)!.value);
    expect(first).toBe('5');
    expect(other).not.toBe('5');
  });
});

test('a campaign with a fixed seed cannot draw a new seed, but can have a salt', () => {
  refused(
    'INVALID_VALUE',
    'seed: 42\nfresh: §true\n',
    /^A "fresh" campaign draws a new seed, but "seed" gives a fixed seed\.$/,
    /^Remove "seed", or name an input to salt: fresh: \{salt: INPUT\}\.$/,
  );
  expect(checkBody('seed: 42\nfresh: {salt: Title}\n').seed).toBe(42);
});

describe('a salt', () => {
  test.each([
    ['STRING', 'Title'],
    ['INTEGER', 'Population'],
    ['LONG', 'Budget'],
    ['DOUBLE', 'Contact rate'],
  ])(
    'can be for an input of type %s, and the name of the input may have other case and blanks',
    (_, name) => {
      expect(checkBody(`fresh: {salt: " ${name.toUpperCase()}"}\n`).fresh).toEqual({
        by: 'salt',
        input: name,
      });
    },
  );

  test.each(['Stochastic', 'Observed cases', 'Begin'])(
    'cannot be for "%s", because of the type of this input',
    (name) => {
      refused(
        'INVALID_VALUE',
        `fresh: {salt: §${name}}\n`,
        new RegExp(`^The input "${name}" cannot be salted\\.$`),
        /^Name an input that takes STRING, INTEGER, LONG, DOUBLE and does not change the result\.$/,
      );
    },
  );

  test('cannot be for an input with a range', () => {
    const { version } = epidemic;
    const range: InputItem = { name: 'Sweep', type: 'FIXED_RANGE_DOUBLE', units: null, value: '1' };
    const inputs = [...version.experimentTemplate.inputs, range];
    const facts: ModelFacts = {
      ...epidemic,
      version: { ...version, experimentTemplate: { ...version.experimentTemplate, inputs } },
    };
    refused(
      'INVALID_VALUE',
      'fresh: {salt: §Sweep}\n',
      /"Sweep" cannot be salted/,
      /^Name an input that/,
      facts,
    );
  });

  test('cannot be for the seed, because the seed has its own setting', () => {
    refused(
      'INVALID_VALUE',
      'fresh:\n  salt: §"{RANDOM_SEED}"\n',
      /^The input "\{RANDOM_SEED\}" cannot be salted\.$/,
      /^Write fresh: true for a new seed\.$/,
    );
  });

  test('cannot be for an input that the model does not have', () => {
    refused(
      'UNKNOWN_INPUT',
      'fresh: {salt: §Titel}\n',
      /^The model "Epidemic" has no input "Titel"\.$/,
      /^Did you mean "Title"\?$/,
    );
    refused('UNKNOWN_INPUT', 'fresh:\n  salt: §"{RANDOM_SEED}"\n', /no input/, /^Known: "Pop/, seedless);
  });

  test.each([
    ['inputs', 'inputs: {Title: school}\n'],
    ['the design', 'design: {grid: {Title: [a, b]}}\n'],
  ])('cannot be for an input that also has a value in %s', (_, body) => {
    refused(
      'INVALID_VALUE',
      `${body}fresh: {§salt: title}\n`,
      /^The input "Title" is given more than once\.$/,
      /^Give it once, under one of inputs, files, design, search, calibrate and fresh\.$/,
    );
  });
});

describe('freshened', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const keysOf = (campaign: ReturnType<typeof checkBody>): string[] =>
    [...expand(campaign)].map(({ key }) => key);
  const body = 'design: {grid: {Days: [7, 14], Stochastic: [true, false]}}\n';

  test('draws nothing if the campaign is not fresh', () => {
    const campaign = checkBody(`${body}seed: 42\n`);
    const drawn = (): number => {
      throw new Error('drawn');
    };
    expect(freshened(campaign, drawn)).toBe(campaign);
  });

  test('draws a whole number of at least 1 and below 2^31 as the seed, and changes nothing else', () => {
    const campaign = checkBody(`${body}replications: 2\nfresh: true\n`);
    fc.assert(
      fc.property(random, (share) => {
        const fresh = freshened(campaign, () => share);
        expect(fresh).toEqual({ ...campaign, seed: fresh.seed });
        expect(Number.isInteger(fresh.seed)).toBe(true);
        expect(fresh.seed).toBeGreaterThanOrEqual(1);
        expect(fresh.seed).toBeLessThan(2 ** 31);
        expect(keysOf(fresh)).toEqual(keysOf(campaign));
      }),
    );
    expect(campaign.seed).toBeNull();
  });

  test.each(['Title', 'Population', 'Budget', 'Contact rate'])(
    'draws a canonical value as the salt for %s, and changes nothing else',
    (name) => {
      const campaign = checkBody(`${body}seed: 42\nfresh: {salt: ${name}}\n`);
      const { type } = campaign.base.find((input) => input.name === name)!;
      fc.assert(
        fc.property(random, (share) => {
          const fresh = freshened(campaign, () => share);
          const { value } = fresh.base.find((input) => input.name === name)!;
          expect(canonicalValue(type, value)).toBe(value);
          expect(Number(value)).toBeGreaterThanOrEqual(1);
          expect(Number(value)).toBeLessThan(2 ** 31);
          const base = campaign.base.map((input) => (input.name === name ? { ...input, value } : input));
          expect(fresh).toEqual({ ...campaign, base });
          expect(keysOf(fresh)).toEqual(keysOf(campaign));
          // every run has the salt
          const [point] = [...expand(fresh)];
          expect(runInputs(fresh, point!, 3).find((input) => input.name === name)!.value).toBe(value);
        }),
      );
    },
  );

  test('uses the whole range, and two draws differ', () => {
    const campaign = checkBody('fresh: true\n');
    expect(freshened(campaign, () => 0).seed).toBe(1);
    expect(freshened(campaign, () => 1 - 2 ** -53).seed).toBe(2 ** 31 - 1);
    expect(freshened(campaign, () => 0.25).seed).not.toBe(freshened(campaign, () => 0.75).seed);
  });
});

test('campaignsShareSeeds is true if all replications of a point have the same seeds in both campaigns, and false otherwise', () => {
  const campaigns = fc.record({
    seed: fc.constantFrom(null, 0, 1),
    commonRandomNumbers: fc.boolean(),
    own: fc.constantFrom('1', '2', undefined),
  });
  fc.assert(
    fc.property(campaigns, campaigns, fc.boolean(), (one, other, sameKeys) => {
      const [a, b] = [one, other].map(({ own, ...settings }) => {
        const seed = { name: SEED, type: 'LONG', units: null, value: own! } as const;
        return { ...settings, base: own === undefined ? [] : [seed], varied: [] };
      });
      const seedsOf = (campaign: typeof a, key: string) =>
        [1, 2, 3].map((n) => runInputs(campaign!, { key, values: [] }, n)[0]?.value);
      const [ofA, ofB] = [seedsOf(a, 'k'), seedsOf(b, sameKeys ? 'k' : 'l')];
      const areSame = ofA[0] !== undefined && ofA.join() === ofB.join();
      expect(campaignsShareSeeds(a!, b!, sameKeys)).toBe(areSame);
    }),
    { numRuns: 500 },
  );
});
