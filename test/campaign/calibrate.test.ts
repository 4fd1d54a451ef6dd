import { expect, test } from '@jest/globals';
import type { ErrorCode } from '../../src/error-codes.ts';
import { checkBody, expectRefused, HEAD, seedless } from './support.ts';
import { only } from '../support/strategy.ts';

const PRIORS = 'priors: { Contact rate: { min: 1, max: 2 } }';

test('a calibration varies the inputs with priors, has no points before it starts, and has defaults for missing settings', () => {
  const { strategy, varied, design } = checkBody(
    `calibrate: { abc: { ${PRIORS}, observed: { peak day: 6, Infected: { x: [1, 2], y: [3, 8] } } } }\nseed: 1\n`,
  );
  expect(varied.map(({ name }) => name)).toEqual(['Contact rate']);
  expect(design).toEqual({ kind: 'list', inputs: ['Contact rate'], rows: [] });
  expect(strategy).toEqual({
    by: 'calibration',
    priors: [{ name: 'Contact rate', isWhole: false, distribution: { kind: 'uniform', min: 1, max: 2 } }],
    where: null,
    observed: [
      { output: 'Peak day', kind: 'number', value: 6, weight: 1 },
      { output: 'Infected', kind: 'curve', x: [1, 2], y: [3, 8], weight: 1 },
    ],
    particles: 200,
    quantile: 0.5,
    parallel: 64,
    stop: { tolerance: null, generations: 8, acceptance: 0.01, points: 10_000 },
  });
});

test('a calibration needs no seed if the model has no input {RANDOM_SEED}', () => {
  const body = `calibrate: { abc: { ${PRIORS}, observed: { Peak day: 6 } } }\n`;
  expect(only('calibration', checkBody(body, seedless).strategy).observed).toHaveLength(1);
});

const abc = (rest: string) => `calibrate: { abc: { ${rest} } }\nseed: 1\n`;

test.each<[string, ErrorCode, string, RegExp]>([
  ['an unknown output', 'UNKNOWN_OUTPUT', abc(`${PRIORS}, observed: { §Peak dai: 6 }`), /Peak dai/],
  [
    'a number for an output that is a curve',
    'INVALID_VALUE',
    abc(`${PRIORS}, observed: { Infected: §6 }`),
    /is a curve/,
  ],
  [
    'a curve for an output that is a number',
    'INVALID_VALUE',
    abc(`${PRIORS}, observed: { Peak day: §{ x: [1], y: [2] } }`),
    /not a curve/,
  ],
  [
    'an output that is a file',
    'INVALID_VALUE',
    abc(`${PRIORS}, observed: { §Trajectory: 6 }`),
    /OUTPUT_FILE/,
  ],
  [
    'a curve with fewer y values than x values',
    'DEFINITION_INVALID',
    abc(`${PRIORS}, observed: { Infected: §{ x: [1, 2], y: [2] } }`),
    /as many numbers/,
  ],
  [
    'a curve whose x values do not ascend',
    'DEFINITION_INVALID',
    abc(`${PRIORS}, observed: { Infected: §{ x: [2, 1], y: [2, 3] } }`),
    /ascending/,
  ],
  ['no observed output', 'DEFINITION_INVALID', abc(`${PRIORS}, observed: §{}`), /at least one output/],
  [
    'an unknown input',
    'UNKNOWN_INPUT',
    abc('priors: { §Contact rat: { min: 1, max: 2 } }, observed: { Peak day: 6 }'),
    /no input "Contact rat"/,
  ],
  [
    'a prior for the seed',
    'INVALID_VALUE',
    abc('priors: { §"{RANDOM_SEED}": { min: 1, max: 20 } }, observed: { Peak day: 6 }'),
    /cannot vary/,
  ],
  [
    'a prior without a value between its bounds',
    'DEFINITION_INVALID',
    abc('priors: { Contact rate: §{ min: 2, max: 1 } }, observed: { Peak day: 6 }'),
    /"min" below "max"/,
  ],
  [
    'a condition that no point meets',
    'EMPTY_DESIGN',
    abc(`${PRIORS}, where: §'\`Contact rate\` > 3', observed: { Peak day: 6 }`),
    /none of 20,000 points drawn from the priors meets "where"/,
  ],
  [
    'a condition with a value that is too large',
    'INVALID_VALUE',
    abc(`priors: { Budget: [5, 6, '9007199254740993'] }, where: §'Budget > 3', observed: { Peak day: 6 }`),
    /"Budget" is 9007199254740993, which is too large to calculate with exactly/,
  ],
  [
    'fewer points than particles',
    'DEFINITION_INVALID',
    abc(`${PRIORS}, observed: { Peak day: 6 }, stop: { points: §100 }`),
    /no fewer points than particles/,
  ],
  [
    'no seed',
    'INVALID_VALUE',
    `§calibrate: { abc: { ${PRIORS}, observed: { Peak day: 6 } } }\n`,
    /needs its own seed/,
  ],
  [
    'replications',
    'INVALID_VALUE',
    `${abc(`${PRIORS}, observed: { Peak day: 6 }`)}§replications: 3\n`,
    /runs each of its points once/,
  ],
  [
    'replications with "min" and "max"',
    'INVALID_VALUE',
    `${abc(`${PRIORS}, observed: { Peak day: 6 }`)}§replications: { min: 3, max: 9 }\n`,
    /runs each of its points once/,
  ],
  [
    'common random numbers',
    'INVALID_VALUE',
    `${abc(`${PRIORS}, observed: { Peak day: 6 }`)}§commonRandomNumbers: true\n`,
    /its own seed/,
  ],
  [
    'a design',
    'INVALID_VALUE',
    `${abc(`${PRIORS}, observed: { Peak day: 6 }`)}§design: { grid: { Days: [7, 14] } }\n`,
    /both "calibrate" and "design"/,
  ],
])('foray refuses a calibration with %s', (_, code, body, says) => {
  expectRefused(HEAD + body, { code, says });
});

test('a calibration computes inputs from others, and refuses an equality of real inputs', () => {
  const derive = 'derive: { Recovery rate: "1 / `Contact rate`" }';
  const { strategy, varied } = checkBody(abc(`${PRIORS}, ${derive}, observed: { Peak day: 6 }`));
  expect(only('calibration', strategy).derive).toMatchObject([{ name: 'Recovery rate' }]);
  expect(varied.map(({ name }) => name)).toEqual(['Contact rate', 'Recovery rate']);
  const body = abc(`${PRIORS}, where: §"\`Contact rate\` == 1.5", observed: { Peak day: 6 }`);
  expectRefused(HEAD + body, { code: 'EMPTY_DESIGN', says: /Almost no point/, hint: /derive/ });
});
