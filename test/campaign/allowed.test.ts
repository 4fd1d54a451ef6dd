import { allowedText, checkAllowed } from '../../src/api/index.ts';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ModelFacts } from '../../src/campaign/facts.ts';
import { definitionSchema } from '../../src/campaign/json-schema.ts';
import { checkBody, epidemic, expectRefused, HEAD } from './support.ts';

const limits: Record<string, object> = {
  'Contact rate': { min: 0, max: 5 },
  Days: { min: 1, max: 60 },
  Population: { values: ['500', '763'] },
  Title: { values: ['none', 'school'] },
};

/** The model "Epidemic" with limits for four inputs. */
const facts: ModelFacts = {
  ...epidemic,
  version: {
    ...epidemic.version,
    experimentTemplate: {
      ...epidemic.version.experimentTemplate,
      inputs: epidemic.version.experimentTemplate.inputs.map((input) => ({
        ...input,
        ...limits[input.name],
      })),
    },
  },
};

test('a list of allowed values has quotes if a value contains a comma', () => {
  expect(allowedText({ values: ['low', 'high'] })).toBe('one of low, high');
  expect(allowedText({ values: ['flat', 'peak, then thin', 'split'] })).toBe(
    'one of "flat", "peak, then thin", "split"',
  );
  expect(() => checkAllowed({ values: ['a', 'b,c'] }, 'b')).toThrow('is "b", but must be one of "a", "b,c"');
});

describe('foray refuses values that the model does not allow, and the error names their place', () => {
  test.each([
    ['inputs: {Contact rate: §5.5}', /"Contact rate" is 5.5, but must be at most 5\.$/, /0 to 5/],
    ['inputs: {Days: {value: §0, units: DAY}}', /"Days" is 0, but must be at least 1\.$/, /in DAY, 1 to 60/],
    ['inputs: {Title: §hospital}', /"Title" is "hospital", but must be one of none, school\.$/, /STRING/],
    ['design: {grid: {Days: [1, §61]}}', /61, but must be at most 60/, /INTEGER/],
    ['design: {grid: {Days: §{from: 50, to: 70, step: 5}}}', /is 65, but/, /1 to 60/],
    ['design: {oneAtATime: {Population: [500, §600]}}', /must be one of 500, 763/, /INTEGER/],
    [
      'design: {onePerInput: {change: 0.99, inputs: [§Days]}}',
      /"Days" is 0, but must be at least 1\.$/,
      /1 to 60\. Give a smaller "change", or give values: "inputs": {Days: {low: NUMBER, high: NUMBER}}\.$/,
    ],
    ['design: {zip: {Days: [1, §-1]}}', /is -1, but must be at least 1/, /1 to 60/],
    ['design: {points: [{Days: 1}, {Days: §99}]}', /is 99, but must be at most 60/, /1 to 60/],
    ['design: {lhs: {points: 30000, inputs: {Contact rate: §{min: 0, max: 5.001}}}}', /is 5.001/, /0 to 5/],
    [
      'design: {sobol: {points: 4, inputs: {Days: §{min: 0, max: 60}}}}',
      /is 0, but must be at least 1/,
      /1 to/,
    ],
    [
      'design: {random: {points: 4, inputs: {Contact rate: §{distribution: normal, mean: 2, sd: 1}}}}',
      /allows only values from 0 to 5 for "Contact rate"/,
      /a "min" and a "max"/,
    ],
    ['design: {random: {points: 4, inputs: {Title: [none, §x]}}}', /one of none, school/, /STRING/],
    [
      'design: {halton: {points: 4, inputs: {Population: §{min: 500, max: 763}}}}',
      /only listed numbers/,
      /list/,
    ],
  ])('%s', (body, says, hint) => {
    expectRefused(HEAD + body, { code: 'INVALID_VALUE', says, hint, facts });
  });
});

test('foray refuses a salt for an input with limits', () => {
  const body = 'fresh: {salt: §Days}';
  expectRefused(HEAD + body, { code: 'INVALID_VALUE', says: /cannot be salted/, hint: /LONG/, facts });
});

test('foray accepts values at the limits, and a normal distribution between the limits', () => {
  const body = `inputs: {Contact rate: 5, Title: school}
design: {random: {points: 4, inputs: {Days: {distribution: normal, mean: 20, sd: 9, min: 1, max: 60}}}}`;
  expect(checkBody(body, facts).base).toContainEqual(
    expect.objectContaining({ name: 'Title', value: 'school' }),
  );
});

describe("the schema of a model's definitions", () => {
  const schema = definitionSchema(facts.version.experimentTemplate.inputs);
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    strictTypes: false,
    validateFormats: false,
  });
  const isValid = ajv.compile(schema);
  const head = { campaign: 'flu', model: { name: 'Epidemic' } };

  test.each([
    [{ inputs: { 'Contact rate': 5, Days: 60, Population: 763, Title: 'none' } }, true],
    [{ inputs: { 'Contact rate': 5.5 } }, false],
    [{ inputs: { Days: { value: 0, units: 'DAY' } } }, false],
    [{ inputs: { Title: 'hospital' } }, false],
    [{ design: { grid: { Population: [500, '763'] } } }, true],
    [{ design: { grid: { Population: [500, 600] } } }, false],
    [{ design: { zip: { Days: [1, 61] } } }, false],
    [{ design: { points: [{ Days: 99 }] } }, false],
    // limits of other inputs do not affect the schema of an input without limits
    [
      { inputs: { Stochastic: true, Budget: '9007199254740993' }, files: { 'Observed cases': 'a.csv' } },
      true,
    ],
  ])('checks %j; the result is %s', (rest, valid) => {
    expect(isValid({ ...head, ...rest })).toBe(valid);
  });

  test('names the inputs only where the definition has inputs, and not where it has outputs or options', () => {
    const named: string[] = [];
    const walk = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return;
      if ('properties' in node && 'Contact rate' in (node.properties as object)) named.push(path);
      for (const [key, value] of Object.entries(node))
        walk(value, /^(properties|anyOf|\d+|\$defs)$/.test(key) ? path : `${path}/${key}`);
    };
    walk(schema, '');
    expect(named).toEqual(
      expect.arrayContaining(['/inputs', '/files', '/Design/grid', '/Search/over', '/Abc/priors']),
    );
    expect(named.filter((path) => /require|observed|options/.test(path))).toEqual([]);
  });

  test('describes the type, the units, the limits and the default of an input', () => {
    expect(JSON.stringify(schema)).toContain('"description":"DOUBLE, in PER_DAY, 0 to 5; default 1.660"');
  });
});
