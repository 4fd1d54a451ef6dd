import { describe, expect, test } from '@jest/globals';
import type { ErrorCode } from '../../src/errors.ts';
import type { InputType } from '../../src/api/constants.ts';
import { expand } from '../../src/campaign/points.ts';
import fc from '../support/fast-check.ts';
import { check, checkBody, epidemic, expectRefused, HEAD, seedless, thrownBy } from './support.ts';

function refused(code: ErrorCode, body: string, says: RegExp, hint?: RegExp): void {
  expectRefused(HEAD + body, { code, says, ...(hint && { hint }) });
}

test('a goal is an output and which of its values are better', () => {
  expect(checkBody('goal: {maximize: fit ERROR}\n').goal).toEqual({ output: 'Fit error', wants: 'highest' });
  expect(checkBody('goal: {minimize: Fit error}\n').goal).toEqual({ output: 'Fit error', wants: 'lowest' });
  expect(checkBody('')).not.toHaveProperty('goal');
});

describe('names', () => {
  test.each([
    ['inputs', 'inputs:\n  Days: 14\n  §Contact rat: 1.5\n'],
    ['files', 'files:\n  §Contact rat: ./a.csv\n'],
    ['the grid', 'design:\n  grid:\n    Days: [1, 2]\n    §Contact rat: {from: 1, to: 2, step: 1}\n'],
    ['the grid, on one line', 'design: {grid: {Days: [1], §"Contact rat": [1]}}\n'],
  ])('an unknown input in %s', (_, body) => {
    refused(
      'UNKNOWN_INPUT',
      body,
      /^The model "Epidemic" has no input "Contact rat"\.$/,
      /^Did you mean "Contact rate"\?$/,
    );
  });

  test('an unknown input like no other says what there is', () => {
    refused('UNKNOWN_INPUT', 'inputs: {§Vaccinated: 3}\n', /"Vaccinated"/, /^Known: "\{RANDOM_SEED\}", "Pop/);
    refused('UNKNOWN_INPUT', 'inputs: {§constructor: 3}\n', /no input "constructor"/);
    refused('UNKNOWN_INPUT', 'inputs:\n  §"Days\\nand nights": 3\n', /no input "Days\\nand nights"/);
  });

  test('an unknown output', () => {
    const says = /has no output "Fit eror"/;
    refused('UNKNOWN_OUTPUT', 'outputs:\n  - Peak day\n  - §Fit eror\n', says, /mean "Fit error"\?/);
    refused('UNKNOWN_OUTPUT', 'outputs: {names: [Peak day, §Fit eror]}\n', says, /mean "Fit error"\?/);
  });

  test('an output that the campaign is about and does not have, or that is no number', () => {
    refused('UNKNOWN_OUTPUT', 'goal: {maximize: §Fit eror}\n', /no output "Fit eror"/, /mean "Fit error"\?/);
    refused(
      'INVALID_VALUE',
      'goal: {minimize: §Trajectory}\n',
      /"Trajectory" is .*, neither a number nor true or false/,
    );
  });

  test('formulas keep the outputs that they are made of', () => {
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

  test('the precision of a share', () => {
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
    refused('INVALID_VALUE', until(`output: ${share}, absolute: §2`), /known to ± 50 %/, /absolute: 2 %/);
    refused('INVALID_VALUE', until(`output: ${share}, absolute: §60 %`), /known to ± 50 %/);
    refused('INVALID_VALUE', until('output: Peak day, absolute: §2 %'), /is a number/, /relative: 0.02/);
    refused('INVALID_VALUE', until('output: [§"Q(`Peak day`, 0.9)"], absolute: 2'), /is a quantile/);
    refused('DEFINITION_INVALID', until('output: Peak day, absolute: §much'), /a percentage such as 2 %/);
  });

  test('an unknown experiment', () => {
    refused('UNKNOWN_EXPERIMENT', 'experiment: §Basline\n', /no experiment "Basline"/, /mean "Baseline"\?/);
    expectRefused(`${HEAD}experiment: §Baseline\n`, {
      code: 'UNKNOWN_EXPERIMENT',
      says: /no experiment "Baseline"/,
      hint: /^It has none at all\.$/,
      facts: { ...epidemic, experiments: [] },
    });
  });

  test('are found trimmed and without regard to case, and get the spelling of the model', () => {
    const checked = checkBody(
      'experiment: " baseLINE "\ninputs: {" contact RATE ": 1.5, "{random_seed}": 7}\n' +
        'design: {grid: {DAYS: [1, 2]}}\noutputs: [" fit error", INFECTED]\nfiles: {observed cases: ./a.csv}\n',
    );
    expect(valueOf(checked, 'Contact rate')).toBe('1.5');
    expect(valueOf(checked, '{RANDOM_SEED}')).toBe('7');
    expect(checked.varied.map(({ name }) => name)).toEqual(['Days']);
    expect(checked.outputs.map(({ name }) => name)).toEqual(['Fit error', 'Infected']);
    expect(checked.files).toEqual({ 'Observed cases': './a.csv' });
  });

  test('an output that is asked for twice is there once', () => {
    expect(checkBody('outputs: [Fit error, fit ERROR]\n').outputs).toHaveLength(1);
  });

  test.each([
    ['inputs and design', 'inputs: {Days: 14}\ndesign:\n  grid:\n    §Days: [1, 2]\n'],
    ['inputs and design, in another case', 'design:\n  grid:\n    §DAYS: [1, 2]\ninputs: {Days: 14}\n'],
    ['inputs', 'inputs:\n  Days: 14\n  §days: 14\n'],
    ['the grid', 'design: {grid: {Days: [14], §" Days": [15]}}\n'],
  ])('an input that is given twice, in %s', (_, body) => {
    refused(
      'INVALID_VALUE',
      body,
      /^The input "Days" is given more than once/,
      /one of inputs, files, design and fresh/,
    );
  });

  test('a file that is given twice', () => {
    refused(
      'INVALID_VALUE',
      'files: {Observed cases: a, §observed cases: b}\n',
      /"Observed cases" is given more/,
    );
  });
});

describe('values', () => {
  test.each<[InputType, string, string, RegExp]>([
    ['INTEGER', 'Days', '8.5', /is 8.5, which is not a whole number/],
    ['INTEGER', 'Days', '"8.5"', /is "8.5", which is not a whole number/],
    ['INTEGER', 'Days', '2147483648', /out of range/],
    ['INTEGER', 'Days', '-2147483649', /out of range/],
    ['INTEGER', 'Days', '1e300', /out of range/],
    ['INTEGER', 'Days', 'true', /is true, which is not a number/],
    ['INTEGER', 'Days', '""', /is "", which is not a number/],
    ['INTEGER', 'Days', '1_000', /not a number/],
    ['DOUBLE', 'Contact rate', 'abc', /is "abc", which is not a number/],
    ['DOUBLE', 'Contact rate', '"1,5"', /not a number/],
    ['DOUBLE', 'Contact rate', '"0x10"', /not a number/],
    ['DOUBLE', 'Contact rate', '"Infinity"', /not a number/],
    ['DOUBLE', 'Contact rate', 'nan', /not a number/],
    ['BOOLEAN', 'Stochastic', 'yes', /is "yes", which is not true or false/],
    ['BOOLEAN', 'Stochastic', '1', /not true or false/],
    ['DATE_TIME', 'Begin', '1978-02-30T08:00', /not a date and time like/],
    ['DATE_TIME', 'Begin', '1978-01-22', /not a date and time/],
    ['DATE_TIME', 'Begin', '1978-01-22T24:00', /not a date and time/],
    ['DATE_TIME', 'Begin', '1978', /not a date and time/],
    ['LONG', 'Budget', '1.5', /not a whole number/],
    ['LONG', 'Budget', '"9223372036854775808"', /out of range/],
    ['LONG', 'Budget', '9007199254740993', /too large to be read exactly/],
    ['LONG', 'Budget', '-9223372036854775808', /too large to be read exactly/],
  ])('%s: %s is not %s', (type, name, value, says) => {
    const bodies = [
      `inputs:\n  Population: 763\n  ${name}: §${value}\n`,
      `design:\n  grid:\n    ${name}: [§${value}]\n`,
      `design:\n  grid:\n    ${name}:\n      - §${value}\n      - 1\n`,
    ];
    for (const body of bodies) {
      const hint = says.source.startsWith('too large') ? /in quotes/ : new RegExp(`^The input takes ${type}`);
      refused('INVALID_VALUE', body, new RegExp(`^The value of "${name}" .*${says.source}`), hint);
    }
  });

  test('the hint names the units', () => {
    refused('INVALID_VALUE', 'inputs: {Contact rate: §x}\n', /"x"/, /^The input takes DOUBLE, in PER_DAY\.$/);
  });

  test('a very long value is cut', () => {
    const error = thrownBy(() => checkBody(`inputs: {Days: ${'x'.repeat(10_000)}}\n`));
    expect(error.toLine().length).toBeLessThan(250);
  });

  test.each(['007', '1.50', 'true'])('a text that is written as %s would not stay so', (written) => {
    refused(
      'INVALID_VALUE',
      `inputs: {Title: §${written}}\n`,
      /"Title" is a (number|boolean), not a text/,
      /in quotes/,
    );
    expect(valueOf(checkBody(`inputs: {Title: "${written}"}\n`), 'Title')).toBe(written);
  });

  test('a LONG of 64 bits in quotes stays exact', () => {
    const checked = checkBody('inputs: {Budget: "9223372036854775807"}\n');
    expect(valueOf(checked, 'Budget')).toBe('9223372036854775807');
    expect(valueOf(checkBody('inputs: {Budget: 9007199254740991}\n'), 'Budget')).toBe('9007199254740991');
  });

  test('a file where a value belongs, and a value where a file belongs', () => {
    const file = /^The input "Observed cases" takes a file/;
    refused('INVALID_VALUE', 'inputs:\n  §Observed cases: ./a.csv\n', file, /under "files"/);
    refused('INVALID_VALUE', 'design: {grid: {§Observed cases: [a, b]}}\n', file, /under "files"/);
    refused(
      'INVALID_VALUE',
      'files: {§Days: ./a.csv}\n',
      /"Days" takes INTEGER, not a file/,
      /under "inputs"/,
    );
  });

  test('values are canonical, also those of the template', () => {
    const checked = checkBody('inputs: {Days: "14.0", Stochastic: "TRUE", Begin: "1978-01-22T08:30"}\n');
    expect(valueOf(checked, 'Days')).toBe('14');
    expect(valueOf(checked, 'Stochastic')).toBe('true');
    expect(valueOf(checked, 'Begin')).toBe('1978-01-22T08:30:00');
    expect(valueOf(checked, 'Contact rate')).toBe('1.66');
  });

  test('a default that is none of its type is left as the service wrote it', () => {
    const { version } = epidemic;
    const { experimentTemplate: template } = version;
    const inputs = template.inputs.map((input) =>
      input.name === 'Days' ? { ...input, value: 'soon' } : input,
    );
    const facts = { ...epidemic, version: { ...version, experimentTemplate: { ...template, inputs } } };
    expect(valueOf(checkBody('', facts), 'Days')).toBe('soon');
  });
});

describe('the design', () => {
  test('without one there is one point', () => {
    expect([...expand(checkBody(''))]).toHaveLength(1);
  });

  test.each([
    ['reversed', '{from: 2, to: 1, step: 0.1}', /"from" must not exceed "to"/],
    ['without a step', '{from: 1, to: 2, step: 0}', /step must be above 0/],
    ['with a step back', '{from: 1, to: 2, step: -0.1}', /step must be above 0/],
  ])('a range %s is empty', (_, range, hint) => {
    const body = `design:\n  grid:\n    Contact rate: §${range}\n`;
    refused('EMPTY_DESIGN', body, /^The range for "Contact rate", from .* is empty\.$/, hint);
  });

  test('an empty list', () => {
    refused(
      'EMPTY_DESIGN',
      'design:\n  grid:\n    Days: §[]\n',
      /list of values for "Days" is empty/,
      /at least one/,
    );
  });

  test('a range of one value', () => {
    const checked = checkBody('design: {grid: {Days: {from: 3, to: 3, step: 5}}}\n');
    expect(checked.design).toMatchObject({ values: [['3']] });
  });

  test.each([
    ['1, §1.0', '1'],
    ['1, 2, §"1"', '1'],
    ['0, §-0', '0'],
    ['1.5, §15e-1', '1.5'],
  ])('a value that appears twice: [%s]', (list, value) => {
    const says = new RegExp(`^The value ${value} for "Contact rate" appears twice`);
    refused('INVALID_VALUE', `design: {grid: {Contact rate: [${list}]}}\n`, says, /Use replications/);
  });

  test('a range of what is no number', () => {
    for (const name of ['Stochastic', 'Title', 'Begin']) {
      const body = `design: {grid: {${name}: §{from: 1, to: 2, step: 1}}}\n`;
      refused('INVALID_VALUE', body, /not a range of numbers/, /list of values/);
    }
  });

  test('a range of a whole number in steps that are not whole', () => {
    const body = 'design: {grid: {Days: §{from: 1, to: 3, step: 0.5}}}\n';
    refused('INVALID_VALUE', body, /"Days" is 1.5, which is not a whole number/);
  });

  test.each([
    '{from: 0, to: 1e9, step: 1}',
    '{from: 0, to: 1, step: 1e-300}',
    '{from: -1e308, to: 1e308, step: 1}',
  ])('a range without end is refused at once: %s', (range) => {
    const body = `design: {grid: {Contact rate: §${range}}}\n`;
    refused('INVALID_VALUE', body, /has too many values/, /At most 1,000,000/);
  });

  test('a range whose values a number cannot tell apart', () => {
    const body = 'design: {grid: {Contact rate: §{from: 1e16, to: 10000000000000004, step: 1}}}\n';
    refused('INVALID_VALUE', body, /appears twice/);
  });

  test('a grid without end', () => {
    const range = '{from: 1, to: 1000, step: 1}';
    const body = `§design:\n  grid: {Days: ${range}, Population: ${range}, Contact rate: ${range}}\n`;
    refused('INVALID_VALUE', body, /^The design has 1,000,000,000 points/, /At most 10,000,000/);
  });

  test('replications without end', () => {
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
    ['both', 'seed: 42\nreplications: §2\n'],
  ])('%s, of a model without a seed', (_, body) => {
    expectRefused(HEAD + body, {
      code: 'REPLICATIONS_NEED_SEED',
      says: /no input \{RANDOM_SEED\}/,
      facts: seedless,
    });
  });

  test('one replication of a model without a seed', () => {
    expect(checkBody('replications: 1\n', seedless).replications).toBe(1);
  });

  test('seeds that are varied', () => {
    const grid = 'design: {grid: {"{RANDOM_SEED}": [1, 2, 3]}}\n';
    expect(checkBody(grid).design).toMatchObject({ values: [['1', '2', '3']] });
    refused('INVALID_VALUE', `${grid}replications: §2\n`, /design varies \{RANDOM_SEED\}/);
    refused('INVALID_VALUE', `${grid}seed: §2\n`, /design varies \{RANDOM_SEED\}/);
  });

  test('a seed twice: one of the two would be ignored', () => {
    refused('INVALID_VALUE', 'inputs: {"{RANDOM_SEED}": 5}\nseed: §42\n', /is given, and "seed" replaces it/);
    expect(checkBody('inputs: {"{RANDOM_SEED}": 5}\nreplications: 3\n').seed).toBeNull();
  });
});

describe('the base', () => {
  test('is the template; the experiment goes over it, and inputs over that', () => {
    expect(valueOf(checkBody(''), 'Days')).toBe('14');
    const baseline = checkBody('experiment: Baseline\ninputs: {Contact rate: 1.5}\n');
    expect(valueOf(baseline, 'Days')).toBe('21');
    expect(valueOf(baseline, 'Contact rate')).toBe('1.5');
    expect(valueOf(baseline, 'Population')).toBe('763');
  });

  test('a range of a stored experiment is not the value of one run', () => {
    const sweep = checkBody('experiment: Sweep\n');
    expect(valueOf(sweep, 'Contact rate')).toBe('1.66');
    expect(valueOf(sweep, 'Days')).toBe('7');
  });

  test('all outputs by default', () => {
    expect(checkBody('').outputs.map(({ name }) => name)).toEqual([
      'Fit error',
      'Peak day',
      'Infected',
      'Trajectory',
    ]);
  });

  test('a list of outputs is the same as names in a mapping; files are linked by default', () => {
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

  test('JSON gives what YAML gives', () => {
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

  test('the facts are left as they were', () => {
    const before = structuredClone(epidemic);
    checkBody('experiment: Baseline\ninputs: {Days: 3}\n');
    expect(epidemic).toEqual(before);
  });
});

function valueOf(checked: ReturnType<typeof check>, name: string): string {
  return checked.base.find((input) => input.name === name)!.value;
}
