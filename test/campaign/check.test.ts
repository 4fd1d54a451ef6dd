import { describe, expect, test } from '@jest/globals';
import { expand } from '../../src/campaign/points.ts';
import fc from '../support/fast-check.ts';
import { check, checkBody, epidemic, expectRefused, HEAD, refused, seedless, valueOf } from './support.ts';

test('a goal has an output and a direction, and a definition may have no goal', () => {
  expect(checkBody('goal: {maximize: fit ERROR}\n').goal).toEqual({ output: 'Fit error', wants: 'highest' });
  expect(checkBody('goal: {minimize: Fit error}\n').goal).toEqual({ output: 'Fit error', wants: 'lowest' });
  expect(checkBody('')).not.toHaveProperty('goal');
});

describe('the design', () => {
  test('a definition without a design has one point', () => {
    expect([...expand(checkBody(''))]).toHaveLength(1);
  });

  test.each([
    ['"from" above "to"', '{from: 2, to: 1, step: 0.1}', /"from" must not exceed "to"/],
    ['a step of 0', '{from: 1, to: 2, step: 0}', /step must be above 0/],
    ['a negative step', '{from: 1, to: 2, step: -0.1}', /step must be above 0/],
  ])('a range with %s is refused as empty', (_, range, hint) => {
    const body = `design:\n  grid:\n    Contact rate: §${range}\n`;
    refused('EMPTY_DESIGN', body, /^The range for "Contact rate", from .* is empty\.$/, hint);
  });

  test('an empty list is refused', () => {
    refused(
      'EMPTY_DESIGN',
      'design:\n  grid:\n    Days: §[]\n',
      /list of values for "Days" is empty/,
      /at least one/,
    );
  });

  test('a range may have a single value', () => {
    const checked = checkBody('design: {grid: {Days: {from: 3, to: 3, step: 5}}}\n');
    expect(checked.design).toMatchObject({ values: [['3']] });
  });

  test.each([
    ['1, §1.0', '1'],
    ['1, 2, §"1"', '1'],
    ['0, §-0', '0'],
    ['1.5, §15e-1', '1.5'],
  ])('a value that appears twice is refused: [%s]', (list, value) => {
    const says = new RegExp(`^The value ${value} for "Contact rate" appears twice`);
    refused('INVALID_VALUE', `design: {grid: {Contact rate: [${list}]}}\n`, says, /Use replications/);
  });

  test('a range is refused for an input that takes no numbers', () => {
    for (const name of ['Stochastic', 'Title', 'Begin']) {
      const body = `design: {grid: {${name}: §{from: 1, to: 2, step: 1}}}\n`;
      refused('INVALID_VALUE', body, /not a range of numbers/, /list of values/);
    }
  });

  test('a fractional step is refused for an input of whole numbers', () => {
    const body = 'design: {grid: {Days: §{from: 1, to: 3, step: 0.5}}}\n';
    refused('INVALID_VALUE', body, /"Days" is 1.5, which is not a whole number/);
  });

  test.each([
    '{from: 0, to: 1e9, step: 1}',
    '{from: 0, to: 1, step: 1e-300}',
    '{from: -1e308, to: 1e308, step: 1}',
  ])('foray refuses a range with too many values before it makes the values: %s', (range) => {
    const body = `design: {grid: {Contact rate: §${range}}}\n`;
    refused('INVALID_VALUE', body, /has too many values/, /At most 1,000,000/);
  });

  test('a range is refused if its values are equal after rounding', () => {
    const body = 'design: {grid: {Contact rate: §{from: 1e16, to: 10000000000000004, step: 1}}}\n';
    refused('INVALID_VALUE', body, /too close together/);
  });

  test('a grid with too many points is refused', () => {
    const range = '{from: 1, to: 1000, step: 1}';
    const body = `§design:\n  grid: {Days: ${range}, Population: ${range}, Contact rate: ${range}}\n`;
    refused('INVALID_VALUE', body, /^The design has 1,000,000,000 points/, /At most 10,000,000/);
  });

  test('replications are refused if the campaign would have too many runs', () => {
    const body = 'design: {grid: {Days: {from: 1, to: 1000, step: 1}}}\nreplications: §100000\n';
    refused('INVALID_VALUE', body, /^The campaign has 100,000,000 runs/, /At most 10,000,000/);
  });

  test('varied inputs keep their order, type and units', () => {
    const checked = checkBody(
      'design: {grid: {Recovery rate: {from: 0.3, to: 0.5, step: 0.1}, Stochastic: [true, false]}}\n',
    );
    expect(checked.varied).toEqual([
      { name: 'Recovery rate', type: 'DOUBLE', units: 'PER_DAY' },
      { name: 'Stochastic', type: 'BOOLEAN', units: null },
    ]);
    expect(checked.design).toEqual({
      kind: 'grid',
      inputs: ['Recovery rate', 'Stochastic'],
      values: [
        ['0.3', '0.4', '0.5'],
        ['true', 'false'],
      ],
    });
  });
});

describe('seeds', () => {
  test.each([
    ['replications', 'replications: §2\n'],
    ['a seed', 'seed: §42\n'],
    ['a seed and replications', 'seed: 42\nreplications: §2\n'],
  ])('foray refuses %s for a model without a seed', (_, body) => {
    expectRefused(HEAD + body, {
      code: 'REPLICATIONS_NEED_SEED',
      says: /no input \{RANDOM_SEED\}/,
      facts: seedless,
    });
  });

  test('a campaign of a model without a seed may have one replication', () => {
    expect(checkBody('replications: 1\n', seedless).replications).toBe(1);
  });

  test('a design may vary the seed, but only without replications and "seed"', () => {
    const grid = 'design: {grid: {"{RANDOM_SEED}": [1, 2, 3]}}\n';
    expect(checkBody(grid).design).toMatchObject({ values: [['1', '2', '3']] });
    refused('INVALID_VALUE', `${grid}replications: §2\n`, /design varies \{RANDOM_SEED\}/);
    refused('INVALID_VALUE', `${grid}seed: §2\n`, /design varies \{RANDOM_SEED\}/);
  });

  test('a seed under both "inputs" and "seed" is refused, because foray would use only one of the two', () => {
    refused('INVALID_VALUE', 'inputs: {"{RANDOM_SEED}": 5}\nseed: §42\n', /is given, and "seed" replaces it/);
    expect(checkBody('inputs: {"{RANDOM_SEED}": 5}\n').seed).toBeNull();
  });

  const grid = 'design: {grid: {Days: [1, 2]}}\n';
  const precise = '{min: 2, max: 9, output: Peak day, relative: 0.1}';
  test.each([
    'replications: 2\n',
    `replications: ${precise}\n`,
    'replications: 2\ncommonRandomNumbers: true\n',
    'fresh: {salt: Title}\nreplications: 2\n',
    `${grid}select: {minimize: Peak day, indifference: 1}\n`,
    'search: {minimize: Peak day, over: {Days: {min: 1, max: 9}}, stop: {points: 9}}\nreplications: {min: 2, max: 9}\n',
  ])('a campaign with replications has a seed, so that all its runs are independent: %j', (body) => {
    expect(checkBody(body).seed).toBe(0);
    expect(checkBody(`${body}seed: 7\n`).seed).toBe(7);
  });

  test.each(['', 'replications: 1\n', 'commonRandomNumbers: true\n', 'fresh: true\nreplications: 2\n'])(
    'a sweep without replications keeps the seed of the model, and a fresh one draws its own: %j',
    (body) => {
      expect(checkBody(body).seed).toBeNull();
    },
  );
});

describe('the base', () => {
  test('has the values of the template; the experiment overrides the template, and inputs override both', () => {
    expect(valueOf(checkBody(''), 'Days')).toBe('14');
    const baseline = checkBody('experiment: Baseline\ninputs: {Contact rate: 1.5}\n');
    expect(valueOf(baseline, 'Days')).toBe('21');
    expect(valueOf(baseline, 'Contact rate')).toBe('1.5');
    expect(valueOf(baseline, 'Population')).toBe('763');
  });

  test('an input with a range in the stored experiment gets the default of the model', () => {
    const sweep = checkBody('experiment: Sweep\n');
    expect(valueOf(sweep, 'Contact rate')).toBe('1.66');
    expect(valueOf(sweep, 'Days')).toBe('7');
  });

  test('all outputs are kept by default', () => {
    expect(checkBody('').outputs.map(({ name }) => name)).toEqual([
      'Fit error',
      'Peak day',
      'Infected',
      'Trajectory',
    ]);
  });

  test('a list of outputs means the same as names in a mapping; files are linked by default, and "keep" needs an output that is a file', () => {
    const names = epidemic.version.experimentTemplate.outputs.map(({ name }) => name);
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }), (some) => {
        const checked = checkBody(`outputs: ${JSON.stringify(some)}\n`);
        expect(checked.outputs.map(({ name }) => name)).toEqual(some);
        expect(checked.outputFiles).toBe('link');
        for (const more of ['', ', files: link'])
          expect(checkBody(`outputs: {names: ${JSON.stringify(some)}${more}}\n`)).toEqual(checked);
        const keeping = `outputs: {names: ${JSON.stringify(some)}, files: §keep}\n`;
        if (some.includes('Trajectory'))
          expect(checkBody(keeping.replace('§', ''))).toEqual({ ...checked, outputFiles: 'keep' });
        else
          refused(
            'INVALID_VALUE',
            keeping,
            /^The campaign keeps no output of type OUTPUT_FILE\.$/,
            /"files"/,
          );
      }),
    );
    expect(checkBody('outputs: {files: keep}\n')).toEqual({ ...checkBody(''), outputFiles: 'keep' });
  });

  test('a definition means the same in JSON and in YAML', () => {
    const yaml = checkBody(
      'inputs: {Days: 7}\ndesign: {grid: {Contact rate: {from: 1, to: 2, step: 0.5}}}\n',
    );
    const json = check(
      JSON.stringify({
        campaign: 'flu',
        model: { name: 'Epidemic' },
        inputs: { Days: 7 },
        design: { grid: { 'Contact rate': { from: 1, to: 2, step: 0.5 } } },
      }),
    );
    expect(json).toEqual(yaml);
  });

  test('the check does not change the facts about the model', () => {
    const before = structuredClone(epidemic);
    checkBody('experiment: Baseline\ninputs: {Days: 3}\n');
    expect(epidemic).toEqual(before);
  });
});
