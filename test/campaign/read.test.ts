import { describe, expect, test } from '@jest/globals';
import { readDefinition } from '../support/definition.ts';
import { type LinePlace } from '../../src/errors.ts';
import { expectRefused, HEAD } from './support.ts';

describe('foray refuses a definition', () => {
  const invalid = 'DEFINITION_INVALID';

  test.each([
    ['an empty text', '§'],
    ['only a comment', '§# nothing yet\n'],
    ['a list', '§- campaign: flu\n'],
    ['a list after a comment', '# a list\n§- campaign: flu\n'],
    ['a text', '§flu\n'],
    ['null', '§~\n'],
  ])('that is not a mapping, but %s', (_, text) => {
    expectRefused(text, {
      code: invalid,
      says: /not a mapping of names to values/,
      hint: /starts with "campaign: NAME"/,
    });
  });

  test.each<[string, string, RegExp, RegExp]>([
    [
      'a misspelt setting',
      `${HEAD}§replicatons: 3\n`,
      /no setting "replicatons"/,
      /Did you mean "replications"\?/,
    ],
    [
      'a misspelt required setting',
      '§campain: flu\nmodel: {name: Epidemic}\n',
      /"campain"/,
      /mean "campaign"\?/,
    ],
    [
      'a misspelt setting of the model',
      'campaign: flu\nmodel: {§nam: Epidemic}\n',
      /"model" has no setting "nam"/,
      /mean "name"\?/,
    ],
    [
      'a misspelt setting of the design',
      `${HEAD}design:\n  §gird: {}\n`,
      /"design" has no setting "gird"/,
      /mean "grid"\?/,
    ],
    [
      'a misspelt setting of a range',
      `${HEAD}design:\n  grid:\n    Days: {§form: 1, to: 3, step: 1}\n`,
      /"design.grid.Days" has no setting "form"/,
      /mean "from"\?/,
    ],
    [
      'a misspelt setting of the outputs',
      `${HEAD}outputs: {§file: keep}\n`,
      /"outputs" has no setting "file"/,
      /mean "files"\?/,
    ],
    [
      'a setting that is similar to no other setting',
      `${HEAD}§flavour: 3\n`,
      /no setting "flavour"/,
      /^Known: "campaign", "model"/,
    ],
  ])('with %s', (_, text, says, hint) => {
    expectRefused(text, { code: invalid, says, hint });
  });

  test.each<[string, string, RegExp]>([
    ['no campaign', '§model: {name: Epidemic}\n', /^"campaign" is missing/],
    ['no model', '§campaign: flu\n', /^"model" is missing/],
    ['no name of the model', 'campaign: flu\nmodel: §{version: 3}\n', /^"model.name" is missing/],
    ['a text instead of a mapping for the model', 'campaign: flu\nmodel: §Epidemic\n', /^"model" is wrong/],
    ['a name with a line break', `${HEAD}§"a\\nb": 3\n`, /no setting "a\\nb"/],
    [
      'a range without a step',
      `${HEAD}design:\n  grid:\n    Days: §{from: 1, to: 3}\n`,
      /"design.grid.Days" is wrong: expected a step or a count/,
    ],
    [
      'a range from a text',
      `${HEAD}design:\n  grid:\n    Days: {from: §one, to: 3, step: 1}\n`,
      /Days.from" is wrong: expected a number/,
    ],
    [
      'a range from .nan',
      `${HEAD}design:\n  grid:\n    Days: {from: §.nan, to: 3, step: 1}\n`,
      /Days.from" is wrong/,
    ],
    [
      'a range to .inf',
      `${HEAD}design:\n  grid:\n    Days: {from: 1, to: §.inf, step: 1}\n`,
      /Days.to" is wrong/,
    ],
    [
      'a list in a list',
      `${HEAD}design:\n  grid:\n    Days:\n      - 1\n      - §[2]\n`,
      /"design.grid.Days.1" is wrong/,
    ],
    [
      'a number instead of a list',
      `${HEAD}design:\n  grid:\n    Days: §5\n`,
      /expected a list of values, \{from, to, step\} or \{from, to, count\}/,
    ],
    [
      '.inf for an input',
      `${HEAD}inputs:\n  Days: 14\n  Contact rate: §.inf\n`,
      /"inputs.Contact rate" is wrong: expected a number/,
    ],
    ['.nan for an input', `${HEAD}inputs: {Contact rate: §.NaN}\n`, /"inputs.Contact rate" is wrong/],
    ['an input without a value', `${HEAD}inputs:\n  Days:§\n`, /"inputs.Days" is wrong/],
    [
      'a campaign name with a space',
      'campaign: §the flu\nmodel: {name: Epidemic}\n',
      /"campaign" is wrong: expected at most 100 letters/,
    ],
    [
      'a campaign name of 101 letters',
      `campaign: §${'x'.repeat(101)}\nmodel: {name: Epidemic}\n`,
      /at most 100 letters/,
    ],
    [
      'a number as the name of the campaign',
      'campaign: §1978\nmodel: {name: Epidemic}\n',
      /"campaign" is wrong/,
    ],
    ['0 replications', `${HEAD}replications: §0\n`, /expected at least 1/],
    ['a fractional number of replications', `${HEAD}replications: §2.5\n`, /expected a whole number/],
    [
      'a number of replications that is too large to be exact',
      `${HEAD}replications: §1e20\n`,
      /expected at most 1,000,000\.$/,
    ],
    ['far too many replications', `${HEAD}replications: §1000001\n`, /at most 1,000,000/],
    ['a concurrency of 0', `${HEAD}concurrency: §0\n`, /expected auto or a whole number from 1/],
    ['a text as the concurrency', `${HEAD}concurrency: §much\n`, /expected auto or/],
    ['a seed that is not whole', `${HEAD}seed: §0.5\n`, /expected a whole number/],
    [
      'a seed that is too large to be exact',
      `${HEAD}seed: §9007199254740993\n`,
      /"seed" is wrong: expected a whole number; the greatest number is 9,007,199,254,740,991\.$/,
    ],
    [
      'a version that is too large to be exact',
      'campaign: a\nmodel: {name: E, version: §1e20}\n',
      /expected latest, a version number .*; the greatest number is 9,007,199,254,740,991\.$/,
    ],
    [
      'a number as the output whose mean must be precise',
      `${HEAD}replications: {min: 2, max: 5, output: §3, relative: 0.1}\n`,
      /expected the name of an output, or a list of names\.$/,
    ],
    [
      'a searched input without bounds',
      `${HEAD}search: {maximize: A, over: {Days: §{}}, stop: {points: 5}}\n`,
      /"search.over.Days.min" is missing\.$/,
    ],
    ['an empty list of outputs', `${HEAD}outputs: §[]\n`, /at least one output/],
    ['a number as an output', `${HEAD}outputs:\n  - Fit error\n  - §5\n`, /"outputs.1" is wrong/],
    [
      'an empty list of names of outputs',
      `${HEAD}outputs: {names: §[]}\n`,
      /"outputs.names" is wrong: .*at least one output/,
    ],
    [
      'an unknown value of "files" under "outputs"',
      `${HEAD}outputs: {files: §copy}\n`,
      /"outputs.files" is wrong: expected keep or link/,
    ],
    [
      'a text instead of a list of outputs',
      `${HEAD}outputs: §Fit error\n`,
      /expected a list of outputs or \{names/,
    ],
    [
      'the version 0',
      'campaign: flu\nmodel: {name: Epidemic, version: §0}\n',
      /expected latest, a version number/,
    ],
    ['a number as the path of a file', `${HEAD}files: {Observed cases: §5}\n`, /expected the path of a file/],
    ['a wrong value in JSON', '{"campaign": "flu",\n "model": {"name": §5}}', /"model.name" is wrong/],
  ])('with %s', (_, text, says) => {
    expectRefused(text, { code: invalid, says });
  });

  test('with an alias of the mapping that contains the alias', () => {
    expectRefused(`${HEAD}inputs: &all\n  Days: §*all\n`, { code: 'DEFINITION_SYNTAX', says: /all/ });
  });

  test.each([
    [
      'output: Fit error, relative: §5 %',
      '"replications.relative" is wrong: expected a number such as 0.05.',
    ],
    [
      'output: Fit error, relative: 0.1, confidence: §95 %',
      '"replications.confidence" is wrong: expected a number such as 0.95.',
    ],
    ['§outputs: Fit error, relative: 0.1', '"replications" has no setting "outputs".'],
    ['§relatve: 0.1', '"replications" has no setting "relatve".'],
  ])('because of one setting of the precision of replications: %s', (settings, message) => {
    const marked = `${HEAD}replications: {min: 2, max: 5, ${settings}}\n`;
    const error = expectRefused(marked, { code: invalid, says: /replications/ });
    expect([error, ...error.others].map((one) => one.message)).toEqual([message]);
  });

  test('because of each wrong value in a list', () => {
    const error = expectRefused(`${HEAD}design: {grid: {Days: [1, §~, [2]]}}\n`, {
      code: invalid,
      says: /"design.grid.Days.1"/,
    });
    expect(error.others.map((one) => one.message)).toEqual([expect.stringContaining('design.grid.Days.2')]);
  });

  test('with a list as a name, and the YAML parser gives no process warning', () => {
    const warnings: unknown[] = [];
    const keep = (warning: unknown): unknown => warnings.push(warning);
    process.on('warning', keep);
    try {
      expectRefused(`${HEAD}? §[a, b]\n: c\n`, {
        code: 'DEFINITION_SYNTAX',
        says: /A name must be a text, not a list/,
      });
    } finally {
      process.off('warning', keep);
    }
    expect(warnings).toEqual([]);
  });

  test.each(['!!python/object:os.system { Days: 3 }', '!other { Days: 3 }', '{ Days: !other 3 }'])(
    'with an unknown tag: %s',
    (inputs) => {
      const marked = `${HEAD}inputs: ${inputs.replace('!', '§!')}\n`;
      expectRefused(marked, { code: 'DEFINITION_SYNTAX', says: /tag/i });
    },
  );
});

describe('a definition', () => {
  const whole = {
    campaign: 'flu',
    model: { name: 'Epidemic', version: 3 },
    experiment: 'Baseline',
    inputs: { Days: 14, Stochastic: true, Title: 'school' },
    files: { 'Observed cases': './observed.csv' },
    design: { grid: { 'Contact rate': { from: 1, to: 2, step: 0.5 }, Population: [100, '200'] } },
    replications: 3,
    seed: 42,
    outputs: ['Fit error'],
    fresh: false,
    commonRandomNumbers: false,
    priority: 3,
    concurrency: 8,
  };

  test('can be JSON on one line or on several lines', () => {
    for (const text of [JSON.stringify(whole), JSON.stringify(whole, null, 2)]) {
      expect(readDefinition(text, 'campaign.json').definition).toEqual(whole);
    }
  });

  test('has the default of each missing setting', () => {
    expect(readDefinition(HEAD, 'campaign.yaml').definition).toEqual({
      campaign: 'flu',
      model: { name: 'Epidemic', version: 'latest' },
      inputs: {},
      files: {},
      concurrency: 'auto',
      fresh: false,
      commonRandomNumbers: false,
      priority: 3,
    });
  });

  test('may have a byte order mark, carriage returns and anchors', () => {
    const text = `\ufeff${HEAD}inputs: &same\n  Days: &days 14\n  Population: *days\n`.replaceAll(
      '\n',
      '\r\n',
    );
    expect(readDefinition(text, 'campaign.yaml').definition.inputs).toEqual({ Days: 14, Population: 14 });
  });

  test('gives the places of keys and values in the file; the place of a missing value is the mapping that lacks the value', () => {
    const text =
      '# flu\ncampaign: flu\nmodel:\n  name: Epidemic\ndesign:\n  grid:\n    Days: [1,\n      2]\n    7: [1]\n';
    const { locate } = readDefinition(text, 'a.yaml');
    const at = (...args: Parameters<typeof locate>): string => {
      const { file, line, column } = locate(...args) as LinePlace;
      return `${file}:${line}:${column}`;
    };
    expect(at([])).toBe('a.yaml:2:1');
    expect(at(['campaign'])).toBe('a.yaml:2:11');
    expect(at(['model', 'name'], 'key')).toBe('a.yaml:4:3');
    expect(at(['model', 'version'])).toBe('a.yaml:4:3');
    expect(at(['design', 'grid', 'Days', 1])).toBe('a.yaml:8:7');
    expect(at(['design', 'grid', '7'], 'key')).toBe('a.yaml:9:5');
    expect(at(['inputs', 'Days'])).toBe('a.yaml:2:1');
  });
});
