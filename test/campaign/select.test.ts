import type { Selection } from '../../src/campaign/search/search.ts';
import { describe, expect, test } from '@jest/globals';
import { checkCompared } from '../../src/campaign/search/resolve-select.ts';
import type { ErrorCode } from '../../src/error-codes.ts';
import { checkBody, refused } from './support.ts';

const OVER = 'over: { Contact rate: { min: 1, max: 2 } }';

describe('a selection', () => {
  const GRID = 'design: { grid: { Contact rate: [1, 1.5, 2] } }\n';

  test('sets the goal, has ten replications of each point by default, and uses kn with "indifference" and ocba with "runs"', () => {
    const body = `${GRID}select: { maximize: peak DAY, indifference: 1 }\n`;
    expect(checkBody(body)).toMatchObject({
      goal: { output: 'Peak day', wants: 'highest' },
      replications: 10,
      strategy: { by: 'selection', method: 'kn', indifference: 1, confidence: 0.95, report: 30, require: [] },
    });
    expect(checkBody(`${GRID}select: { minimize: Fit error, runs: 90 }\nreplications: 4\n`)).toMatchObject({
      replications: 4,
      strategy: { by: 'selection', method: 'ocba', runs: 90, report: 30 },
    });
  });

  test('with a budget keeps the confidence of its intervals, unless this is the default', () => {
    const selected = (more: string) =>
      checkBody(`${GRID}select: { minimize: Fit error, runs: 90${more} }\n`).strategy;
    expect(selected(', confidence: 0.8')).toMatchObject({ method: 'ocba', confidence: 0.8 });
    expect(selected(', confidence: 0.95')).toEqual(selected(''));
  });

  test.each<[string, ErrorCode, string, RegExp]>([
    [
      'neither "indifference" nor "runs"',
      'DEFINITION_INVALID',
      `${GRID}select: §{ minimize: Fit error }\n`,
      /"indifference" or "runs"/,
    ],
    [
      'both "indifference" and "runs"',
      'DEFINITION_INVALID',
      `${GRID}select: §{ minimize: Fit error, indifference: 1, runs: 100 }\n`,
      /"indifference" or "runs"/,
    ],
    ['no design', 'INVALID_VALUE', '§select: { minimize: Fit error, runs: 100 }\n', /no points to compare/],
    [
      'a search',
      'INVALID_VALUE',
      `search: { minimize: Fit error, ${OVER} }\n§select: { minimize: Fit error, runs: 100 }\n`,
      /both "search" and "select"/,
    ],
    [
      'a goal',
      'INVALID_VALUE',
      `${GRID}select: { minimize: Fit error, runs: 100 }\n§goal: { minimize: Fit error }\n`,
      /goal of a selection/,
    ],
    [
      'replications until a precision is reached',
      'INVALID_VALUE',
      `${GRID}select: { minimize: Fit error, runs: 100 }\n§replications: { min: 3, max: 9, output: Fit error, relative: 0.1 }\n`,
      /how many replications each point gets/,
    ],
    [
      'replications with "min" and "max"',
      'INVALID_VALUE',
      `${GRID}select: { minimize: Fit error, runs: 100 }\n§replications: { min: 3, max: 9 }\n`,
      /how many replications each point gets/,
    ],
    [
      'one replication',
      'INVALID_VALUE',
      `${GRID}select: { minimize: Fit error, runs: 100 }\n§replications: 1\n`,
      /does not show how much/,
    ],
    [
      'an unknown output',
      'UNKNOWN_OUTPUT',
      `${GRID}select: { minimize: §Fit errors, runs: 100 }\n`,
      /Fit errors/,
    ],
    [
      'a quantile as the goal',
      'INVALID_VALUE',
      `${GRID}select: { minimize: §"Q(\`Peak day\`, 0.9)", runs: 100 }\n`,
      /is a quantile/,
    ],
  ])('is refused with %s', (_, code, body, says) => {
    refused(code, body, says);
  });

  test.each<[Selection, number, RegExp]>([
    [{ method: 'ocba', runs: 50, require: [], report: 30 }, 1, /one point/],
    [{ method: 'ocba', runs: 50, require: [], report: 30 }, 6, /60 runs, more than the budget/],
    [{ method: 'kn', indifference: 1, confidence: 0.95, require: [], report: 30 }, 201, /201 points/],
  ])('is refused because of the number of points: %j for %i points', (select, points, says) => {
    const read = { locate: () => ({ file: 'a.yaml', path: 'select' }) };
    expect(() =>
      checkCompared(read, { strategy: { by: 'selection', ...select }, replications: 10 }, points),
    ).toThrow(says);
  });
});
