import { describe, expect, test } from '@jest/globals';
import { expand } from '../../src/campaign/points.ts';
import fc from '../support/fast-check.ts';
import { check, checkBody, epidemic, refused, valueOf } from './support.ts';

test('a goal has an output and a direction, and a definition may have no goal', () => {
  expect(checkBody('goal: {maximize: fit ERROR}\n').goal).toEqual({ output: 'Fit error', wants: 'highest' });
  expect(checkBody('goal: {minimize: Fit error}\n').goal).toEqual({ output: 'Fit error', wants: 'lowest' });
  expect(checkBody('')).not.toHaveProperty('goal');
});

describe('the design', () => {
  test('a definition without a design has one point', () => {
    const checked = checkBody('');
    expect([...expand(checked)]).toHaveLength(1);
    expect(checked.varied).toEqual([]);
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
