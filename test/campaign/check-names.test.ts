import { describe, expect, test } from '@jest/globals';
import { checkBody, epidemic, expectRefused, HEAD, refused, valueOf } from './support.ts';

describe('names', () => {
  test.each([
    ['inputs', 'inputs:\n  Days: 14\n  §Contact rat: 1.5\n'],
    ['files', 'files:\n  §Contact rat: ./a.csv\n'],
    ['the grid', 'design:\n  grid:\n    Days: [1, 2]\n    §Contact rat: {from: 1, to: 2, step: 1}\n'],
    ['the grid, on one line', 'design: {grid: {Days: [1], §"Contact rat": [1]}}\n'],
  ])('an unknown input in %s is refused', (_, body) => {
    refused(
      'UNKNOWN_INPUT',
      body,
      /^The model "Epidemic" has no input "Contact rat"\.$/,
      /^Did you mean "Contact rate"\?$/,
    );
  });

  test('an input with any unknown name is refused; if no name is similar, the error lists the inputs', () => {
    refused('UNKNOWN_INPUT', 'inputs: {§Vaccinated: 3}\n', /"Vaccinated"/, /^Known: "\{RANDOM_SEED\}", "Pop/);
    refused('UNKNOWN_INPUT', 'inputs: {§constructor: 3}\n', /no input "constructor"/);
    refused('UNKNOWN_INPUT', 'inputs:\n  §"Days\\nand nights": 3\n', /no input "Days\\nand nights"/);
  });

  test('an unknown output is refused', () => {
    const says = /has no output "Fit eror"/;
    refused('UNKNOWN_OUTPUT', 'outputs:\n  - Peak day\n  - §Fit eror\n', says, /mean "Fit error"\?/);
    refused('UNKNOWN_OUTPUT', 'outputs: {names: [Peak day, §Fit eror]}\n', says, /mean "Fit error"\?/);
  });

  test('the x axis of a curve comes from the definition; other outputs have none, and dates need units of time', () => {
    const { outputs } = checkBody(
      'outputs: {axes: {infected: {name: Date, units: DAY, start: 2026-01-31}}}\n',
    );
    expect(outputs.filter(({ axis }) => axis)).toEqual([
      {
        name: 'Infected',
        type: 'DATA_SET',
        units: null,
        axis: { name: 'Date', units: 'DAY', start: '2026-01-31' },
      },
    ]);
    refused('UNKNOWN_OUTPUT', 'outputs: {axes: {§Infekted: {name: Day}}}\n', /no output "Infekted"/);
    refused('INVALID_VALUE', 'outputs: {axes: {§Peak day: {name: Day}}}\n', /"Peak day" has no x axis/);
    refused(
      'INVALID_VALUE',
      'outputs: {axes: {§Infected: {start: 2026-01-31}}}\n',
      /has a start, but no units of time/,
    );
    refused(
      'INVALID_VALUE',
      'outputs: {axes: {§Infected: {units: DAY, scale: log, start: 2026-01-31}}}\n',
      /has a start and a logarithmic scale/,
    );
    refused(
      'DEFINITION_INVALID',
      `outputs: {axes: {Infected: {name: §${'x'.repeat(201)}}}}\n`,
      /expected at most 200 characters/,
    );
  });

  test('a goal is refused if its output is unknown, or is neither a number nor true or false', () => {
    refused('UNKNOWN_OUTPUT', 'goal: {maximize: §Fit eror}\n', /no output "Fit eror"/, /mean "Fit error"\?/);
    refused(
      'INVALID_VALUE',
      'goal: {minimize: §Trajectory}\n',
      /"Trajectory" is .*, neither a number nor true or false/,
    );
  });

  test('outputs and goals may be formulas: the campaign keeps the outputs that a formula names, and a wrong formula is refused', () => {
    const { outputs, derived } = checkBody("outputs: [Fit error, P(`Peak day` > 3), 'Q(`Peak day`, 0.9)']\n");
    expect(outputs.map(({ name }) => name)).toEqual(['Fit error', 'Peak day']);
    expect(derived).toEqual(['P(`Peak day` > 3)', 'Q(`Peak day`, 0.9)']);
    expect(checkBody('outputs: [Fit error]\n')).not.toHaveProperty('derived');
    expect(checkBody('goal: {maximize: P(`Peak day` > 3)}\n').goal).toEqual({
      output: 'P(`Peak day` > 3)',
      wants: 'highest',
    });
    refused('INVALID_EXPRESSION', 'outputs: [Peak day, §P(Peak > 3)]\n', /no output of one value "Peak"/);
    refused('INVALID_EXPRESSION', 'outputs: [§Q(Days)]\n', /needs a probability between 0 and 1/);
  });

  test('a share needs an absolute half-width below 50 %, a number takes no percentage, and a quantile takes no precision', () => {
    const until = (more: string): string => `replications: {min: 5, max: 100, ${more}}\n`;
    const share = '"P(`Peak day` > 3)"';
    for (const absolute of ['2 %', '2%', '0.02'])
      expect(checkBody(until(`output: ${share}, absolute: ${absolute}`)).precision).toMatchObject({
        outputs: ['P(`Peak day` > 3)'],
        shares: ['P(`Peak day` > 3)'],
        absolute: 0.02,
      });
    expect(checkBody(until('output: Peak day, absolute: 2')).precision).not.toHaveProperty('shares');
    refused(
      'INVALID_VALUE',
      until(`output: ${share}, relative: §0.02`),
      /no relative precision/,
      /absolute: 2 %/,
    );
    refused(
      'INVALID_VALUE',
      until(`output: ${share}, absolute: §2`),
      /"absolute" must be above 0 and below 50 %/,
      /absolute: 2 %/,
    );
    refused(
      'INVALID_VALUE',
      until(`output: ${share}, absolute: §60 %`),
      /"absolute" must be above 0 and below 50 %/,
    );
    refused('INVALID_VALUE', until('output: Peak day, absolute: §2 %'), /is a number/, /relative: 0.02/);
    refused('INVALID_VALUE', until('output: [§"Q(`Peak day`, 0.9)"], absolute: 2'), /is a quantile/);
    refused('DEFINITION_INVALID', until('output: Peak day, absolute: §much'), /a percentage such as 2 %/);
  });

  test('an unknown experiment is refused', () => {
    refused('UNKNOWN_EXPERIMENT', 'experiment: §Basline\n', /no experiment "Basline"/, /mean "Baseline"\?/);
    expectRefused(`${HEAD}experiment: §Baseline\n`, {
      code: 'UNKNOWN_EXPERIMENT',
      says: /no experiment "Baseline"/,
      hint: /^The model has no experiments\.$/,
      facts: { ...epidemic, experiments: [] },
    });
  });

  test('are compared without outer blanks and without case, and get the spelling of the model', () => {
    const checked = checkBody(
      'experiment: " baseLINE "\ninputs: {" contact RATE ": 1.5, "{random_seed}": 7}\n' +
        'design: {grid: {DAYS: [1, 2]}}\noutputs: [" fit error", INFECTED]\nfiles: {observed cases: ./a.csv}\n',
    );
    expect(valueOf(checked, 'Contact rate')).toBe('1.5');
    expect(valueOf(checked, '{RANDOM_SEED}')).toBe('7');
    expect(checked.varied.map(({ name }) => name)).toEqual(['Days']);
    expect(checked.outputs.map(({ name }) => name)).toEqual(['Fit error', 'Infected']);
    expect(checked.files).toMatchObject([{ input: 'Observed cases', path: './a.csv' }]);
  });

  test('an output that is named twice is kept once', () => {
    expect(checkBody('outputs: [Fit error, fit ERROR]\n').outputs).toHaveLength(1);
  });

  test.each([
    ['inputs and design', 'inputs: {Days: 14}\ndesign:\n  grid:\n    §Days: [1, 2]\n'],
    ['inputs and design, in another case', 'design:\n  grid:\n    §DAYS: [1, 2]\ninputs: {Days: 14}\n'],
    ['inputs', 'inputs:\n  Days: 14\n  §days: 14\n'],
    ['the grid', 'design: {grid: {Days: [14], §" Days": [15]}}\n'],
  ])('an input that is given twice is refused: in %s', (_, body) => {
    refused(
      'INVALID_VALUE',
      body,
      /^The input "Days" is given more than once/,
      /one of inputs, files, design, search, calibrate and fresh/,
    );
  });

  test('a file that is given twice is refused', () => {
    refused(
      'INVALID_VALUE',
      'files: {Observed cases: a, §observed cases: b}\n',
      /"Observed cases" is given more/,
    );
  });
});
