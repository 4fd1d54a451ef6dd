import { describe, expect, test } from '@jest/globals';
import { isForayError, type LinePlace } from '../../src/errors.ts';
import { resolve, write } from './support.ts';

/** The mistakes that foray reports for a definition, in order, each with its line and column. */
async function mistakesOf(body: string): Promise<string[]> {
  try {
    await resolve(body);
  } catch (error) {
    if (!isForayError(error)) throw error;
    return [error, ...error.others].map(({ place, message }) => {
      const { line, column } = place as LinePlace;
      return `${line}:${column} ${message}`;
    });
  }
  return [];
}

describe('foray reports all mistakes of a definition at once', () => {
  test('wrong names come first, because they explain other mistakes, and then the other mistakes in the order of the file', async () => {
    const body = `inputs:
  Contact rat: 1.7
  Days: soon
design:
  grid:
    Recovery rate: [0.4, high]
replicatons: 5
outputs: [Fit error, Peak]
files: {Observed cases: ./missing.csv}
`;
    expect(await mistakesOf(body)).toEqual([
      '4:3 The model "Epidemic" has no input "Contact rat".',
      '10:22 The model "Epidemic" has no output "Peak".',
      '5:9 The value of "Days" is "soon", which is not a number.',
      '8:26 The value of "Recovery rate" is "high", which is not a number.',
      '9:1 A definition has no setting "replicatons".',
      '11:25 The file "./missing.csv" for "Observed cases" is not there.',
    ]);
  });

  test('the report includes mistakes after settings with a wrong shape', async () => {
    const body = `design:
  lhs: {points: none, inputs: {Days: {min: 1, max: 5}}}
  wher: Days > 2
failures: {rat: 0.1, count: 3}
concurrency: 0
seed: 1.5
inputs: {Title: 7}
`;
    expect(await mistakesOf(body)).toEqual([
      '4:17 "design.lhs.points" is wrong: expected a whole number of points.',
      '5:3 "design" has no setting "wher".',
      '6:12 "failures" has no setting "rat".',
      '7:14 "concurrency" is wrong: expected auto or a whole number from 1 to 32,000.',
      '8:7 "seed" is wrong: expected a whole number.',
      '9:17 The value of "Title" is a number, not a text.',
    ]);
  });

  test('the report includes mistakes in all parts of a design, and in a point file', async () => {
    write('points.csv', 'Days,Titel\n1,a\n');
    const body = `design:
  union:
    - points: points.csv
    - grid: {Days: [1, x], Title: []}
      where: Days >
    - sobol: {points: 4, inputs: {Stochastic: {min: 0, max: 1}}}
`;
    expect(await mistakesOf(body)).toEqual([
      expect.stringContaining('has no input "Titel"'),
      expect.stringContaining('"Days" is "x"'),
      expect.stringContaining('The list of values for "Title" is empty.'),
      expect.stringContaining('The expression is wrong'),
      expect.stringContaining('"Stochastic" takes BOOLEAN, not a distribution'),
    ]);
  });

  test('the report includes each wrong line of a point file', async () => {
    write('points.csv', 'Days,Title\n1,a\nx,b\n2,c\n1,a\ny,d\n3\n');
    write('points.jsonl', '{"Days":1}\n{"Days":"x"}\n{"Days":2\n{"Days":null}\n{"Title":"a"}\n{"Days":1}\n');
    const body = 'design: {union: [{points: points.csv}, {points: points.jsonl}]}\n';
    expect(await mistakesOf(body)).toEqual([
      expect.stringMatching(/^3:1 .*"Days" is "x"/),
      expect.stringMatching(/^6:1 .*"Days" is "y"/),
      '7:1 The row has 1 value instead of 2.',
      expect.stringMatching(/^2:1 .*"Days" is "x"/),
      '3:1 The line is not JSON.',
      expect.stringContaining('"Days" is not a number, text'),
      '5:1 The point lacks "Days", which the first point has.',
    ]);
  });

  test('the report leaves out a missing setting if a misspelt setting explains this mistake', async () => {
    expect(await mistakesOf('design: {lhs: {point: 4, inputs: {Days: [1, 2]}}}')).toEqual([
      '3:16 "design.lhs" has no setting "point".',
    ]);
    expect(await mistakesOf('design: {onePerInput: {inputs: {Days: {from: 1, to: 2}}}}')).toEqual([
      '3:40 "design.onePerInput.inputs.Days" has no setting "from".',
      '3:49 "design.onePerInput.inputs.Days" has no setting "to".',
    ]);
  });

  test('the report has one mistake about a number that is too small', async () => {
    expect(await mistakesOf('replications: {min: -1, max: 5}')).toEqual([
      '3:21 "replications.min" is wrong: expected at least 2.',
    ]);
  });

  test('the report has at most 50 mistakes', async () => {
    const values = Array.from({ length: 1_000 }, () => 'x').join(', ');
    expect(await mistakesOf(`design: {grid: {Days: [${values}]}}`)).toHaveLength(50);
  });
});
