import { describe, expect, test } from '@jest/globals';
import type { ErrorCode } from '../../src/error-codes.ts';
import type { InputItem } from '../../src/api/resources.ts';
import { checkBody, epidemic, refused, version } from './support.ts';
import { only } from '../support/strategy.ts';

const OVER = 'over: { Contact rate: { min: 1, max: 2 } }';

test('a search sets the goal and the varied inputs, has no points before it starts, and has defaults for missing settings', () => {
  const {
    strategy: search,
    goal,
    varied,
    design,
  } = checkBody(
    'search: { maximize: peak DAY, over: { contact rate: { min: 1, max: 2, digits: 2 }, Days: { min: 10, max: 20 }, Stochastic: [true, false] } }\n',
  );
  expect(goal).toEqual({ output: 'Peak day', wants: 'highest' });
  expect(varied.map(({ name }) => name)).toEqual(['Contact rate', 'Days', 'Stochastic']);
  expect(design).toEqual({ kind: 'list', inputs: ['Contact rate', 'Days', 'Stochastic'], rows: [] });
  expect(search).toMatchObject({
    method: 'gp',
    parallel: 8,
    where: null,
    require: [],
    confirm: null,
    most: null,
    stop: { points: 100, runs: null, value: null, gain: null, stall: null },
  });
});

test.each([
  [`search: { minimize: Fit error, ${OVER}, stop: { points: 300 } }\n`, 'gp'],
  [`search: { minimize: Fit error, ${OVER}, stop: { points: 301 } }\n`, 'cma'],
  [`search: { minimize: Fit error, ${OVER}, method: direct }\n`, 'direct'],
])(
  'the method is gp for up to 300 points and cma for more points, unless the definition names a method: %s',
  (body, method) => {
    expect(only('search', checkBody(body).strategy).method).toBe(method);
  },
);

test.each([
  [12, 'gp'],
  [13, 'cma'],
])('with %i inputs, the method is %s', (count, method) => {
  const names = Array.from({ length: count }, (_, at) => `Rate ${at}`);
  const inputs: InputItem[] = names.map((name) => ({ name, type: 'DOUBLE', units: null, value: '1' }));
  const { experimentTemplate: template } = version;
  const facts = { ...epidemic, version: { ...version, experimentTemplate: { ...template, inputs } } };
  const over = names.map((name) => `${name}: { min: 0, max: 2 }`).join(', ');
  const { strategy } = checkBody(`search: { minimize: Fit error, over: { ${over} } }\n`, facts);
  expect(only('search', strategy).method).toBe(method);
});

test('an outside optimiser is a command with options', () => {
  const method = 'method: { command: [python3, tpe.py], options: { depth: [1, { a: b }] }, timeout: 90 s }';
  expect(
    only('search', checkBody(`search: { minimize: Fit error, ${OVER}, ${method} }\n`).strategy).method,
  ).toEqual({
    command: ['python3', 'tpe.py'],
    options: { depth: [1, { a: 'b' }] },
    timeout: 90_000,
    // foray finds the folder and the files later, when it reads the files of the definition
    folder: '',
    files: {},
  });
  const least = 'method: { command: [python3] }';
  expect(
    only('search', checkBody(`search: { minimize: Fit error, ${OVER}, ${least} }\n`).strategy).method,
  ).toMatchObject({
    options: {},
    timeout: 600_000,
  });
});

describe('foray refuses a search', () => {
  test.each<[string, ErrorCode, string, RegExp]>([
    [
      'bounds without a value between them',
      'DEFINITION_INVALID',
      `over: { Contact rate: §{ min: 2, max: 2 } }`,
      /"min" below "max"/,
    ],
    [
      'bounds and a step that allow only one value',
      'INVALID_VALUE',
      `over: { Contact rate: §{ min: 1, max: 1.4, step: 0.5 } }`,
      /only one value/,
    ],
    [
      'bounds that are closer together than numbers with the digits',
      'INVALID_VALUE',
      `over: { Contact rate: §{ min: 0.0004, max: 0.0006, digits: 3 } }`,
      /at most one value with "digits: 3"/,
    ],
    [
      'the rule "gain" for a method that expects no improvement',
      'INVALID_VALUE',
      `${OVER}, method: cma, stop: { §gain: 0.1 }`,
      /"gain" needs the method gp, and the search uses the method cma/,
    ],
    [
      'a free order of an outside optimiser',
      'INVALID_VALUE',
      'over: { Contact rate: { min: 1, max: 2 } }, method: { command: [python3] }, order: §free',
      /fixed order/,
    ],
    [
      'an unknown input',
      'UNKNOWN_INPUT',
      `over: { §Contact rat: { min: 1, max: 2 } }`,
      /no input "Contact rat"/,
    ],
    [
      'bounds for a BOOLEAN input',
      'INVALID_VALUE',
      `over: { Stochastic: §{ min: 0, max: 1 } }`,
      /takes BOOLEAN, not a range/,
    ],
    [
      'a fractional bound for an INTEGER input',
      'INVALID_VALUE',
      `over: { Days: { min: §1.5, max: 2 } }`,
      /"Days"/,
    ],
    [
      'the seed as a searched input',
      'INVALID_VALUE',
      `over: { §'{RANDOM_SEED}': { min: 1, max: 2 } }`,
      /cannot vary \{RANDOM_SEED\}/,
    ],
    ['other units', 'INVALID_VALUE', `over: { Contact rate: { min: 1, max: 2, units: §DAY } }`, /not in DAY/],
    [
      'a logarithmic scale that begins at 0',
      'DEFINITION_INVALID',
      `over: { Contact rate: §{ min: 0, max: 2, scale: log } }`,
      /"min" above 0/,
    ],
    [
      'a condition that no point meets',
      'EMPTY_DESIGN',
      `${OVER}, where: §'\`Contact rate\` > 3'`,
      /none of 22,000 tried points meets "where"/,
    ],
    [
      'a condition with a value that is too large',
      'INVALID_VALUE',
      `over: { Budget: [5, 6, '9007199254740993'] }, where: §'Budget > 3'`,
      /"Budget" is 9007199254740993, which is too large to calculate with exactly/,
    ],
    [
      'a condition that is wrong',
      'INVALID_EXPRESSION',
      `${OVER}, where: §'Contact > 3'`,
      /The expression is wrong/,
    ],
    ['an unknown method', 'DEFINITION_INVALID', `${OVER}, method: §tpe`, /expected auto, gp, cma, direct/],
    [
      'a command that is a text',
      'DEFINITION_INVALID',
      `${OVER}, method: { command: §python3 tpe.py }`,
      /list of texts/,
    ],
    [
      'an empty command',
      'DEFINITION_INVALID',
      `${OVER}, method: { command: §[] }`,
      /a program and its arguments/,
    ],
    ['options without a command', 'DEFINITION_INVALID', `${OVER}, method: §{ options: {} }`, /command/],
    [
      'a timeout that is too long',
      'DEFINITION_INVALID',
      `${OVER}, method: { command: [a], timeout: §1 h }`,
      /at most 20 min/,
    ],
    [
      'a choice for a method that takes only numbers',
      'INVALID_VALUE',
      `over: { Stochastic: [true, false] }, method: §cma`,
      /takes only numbers/,
    ],
    [
      'an unknown output as a constraint',
      'UNKNOWN_OUTPUT',
      `${OVER}, require: { §Peek: { max: 3 } }`,
      /no output "Peek"/,
    ],
    [
      'a constraint without a limit',
      'DEFINITION_INVALID',
      `${OVER}, require: { Peak day: §{} }`,
      /"min" or a "max"/,
    ],
    [
      'a constraint whose "min" is above its "max"',
      'INVALID_VALUE',
      `${OVER}, require: { Peak day: §{ min: 3, max: 2 } }`,
      /at least 3 and at most 2/,
    ],
    [
      '"confirm" without "indifference"',
      'DEFINITION_INVALID',
      `${OVER}, confirm: §{ best: 3 }`,
      /indifference/,
    ],
  ])('with %s', (_, code, search, says) => {
    refused(code, `search: { minimize: Fit error, ${search} }\n`, says);
  });

  test('for the best value of an output that is neither a number nor true or false', () => {
    refused('INVALID_VALUE', `search: { minimize: §Trajectory, ${OVER} }\n`, /neither a number/);
  });

  test('for the best quantile, if points are compared by their means', () => {
    const search = (rest: string): string =>
      `search: { minimize: §"Q(\`Peak day\`, 0.9)", ${OVER}${rest} }\n`;
    refused('INVALID_VALUE', search(', confirm: { indifference: 1 }'), /is a quantile/, /"confirm"/);
    const raced = `${search('')}replications: { min: 2, max: 4 }\n`;
    refused('INVALID_VALUE', raced, /is a quantile/, /"replications"/);
    expect(checkBody(search('').replace('§', '')).goal).toMatchObject({ output: 'Q(`Peak day`, 0.9)' });
  });

  test('with a design, with a goal, or with replications until a precision is reached', () => {
    const search = `search: { minimize: Fit error, ${OVER} }\n`;
    refused('INVALID_VALUE', `${search}§design: { grid: { Days: [1, 2] } }\n`, /both "search" and "design"/);
    refused('INVALID_VALUE', `${search}§goal: { minimize: Fit error }\n`, /goal of a search/);
    refused(
      'INVALID_VALUE',
      `${search}§replications: { min: 2, max: 4, output: Fit error, relative: 0.1 }\n`,
      /does not replicate/,
    );
  });
});

test('replications with "min" and "max" need an output if there is no search', () => {
  refused('INVALID_VALUE', '§replications: { min: 2, max: 4 }\n', /need an output/, /Add output/);
});

test('a search computes inputs from others, with the limits of the model, and tells of the first one in its varied inputs', () => {
  const {
    strategy: search,
    varied,
    design,
  } = checkBody(
    `search: { minimize: Fit error, ${OVER}, derive: { recovery rate: "1 / \`Contact rate\`" } }\n`,
  );
  expect(only('search', search).derive).toMatchObject([
    { name: 'Recovery rate', expression: '1 / `Contact rate`' },
  ]);
  expect(varied.map(({ name }) => name)).toEqual(['Contact rate', 'Recovery rate']);
  expect(design).toMatchObject({ inputs: ['Contact rate', 'Recovery rate'] });
});

test('an equality of real inputs is refused with a way on, and an equality of steps is not', () => {
  const search = (bounds: string): string =>
    `search: { minimize: Fit error, over: { Contact rate: ${bounds}, Recovery rate: ${bounds} }, where: §"\`Contact rate\` == 2 * \`Recovery rate\`" }\n`;
  refused('EMPTY_DESIGN', search('{ min: 0.1, max: 1 }'), /Almost no point/, /derive/);
  expect(
    only('search', checkBody(search('{ min: 0.1, max: 1, digits: 1 }').replace('§', '')).strategy).where,
  ).toMatch(/==/);
});

test('bounds are rounded inward to the digits of the values', () => {
  const { strategy: search } = checkBody(
    'search: { minimize: Fit error, over: { Contact rate: { min: 0.15, max: 1.27, digits: 1 } } }\n',
  );
  expect(only('search', search).inputs[0]).toMatchObject({ min: 0.2, max: 1.2 });
});
