import { describe, expect, test } from '@jest/globals';
import {
  ageText,
  blockedText,
  duration,
  progressText,
  retryAdvice,
  statusText,
} from '../../src/cli/progress-line.ts';
import { changesOfBlocked } from '../../src/cli/tell-blocked.ts';
import type { CampaignStatus } from '../../src/client/index.ts';
import { status } from '../support/status.ts';

test('the advice for failed and missing runs names the commands; there is no advice without such runs', () => {
  expect(retryAdvice(status)).toBe(
    '1 run failed. "npx foray status x-1 --failures" lists the causes and points, "npx foray explain x-1 POINT" explains a point, and "npx foray retry x-1" requests failed runs again.',
  );
  const runs = { ...status.runs, failed: 0 };
  expect(retryAdvice({ ...status, runs })).toBeUndefined();
  // the runs of a closed campaign that were not requested are missing
  expect(retryAdvice({ ...status, phase: 'failed' })).toMatch(
    /"npx foray retry x-1" requests failed runs again, and requests 14 missing runs\.$/,
  );
  expect(retryAdvice({ ...status, phase: 'completed', runs })).toBe(
    'The campaign ended without 14 runs. "npx foray retry x-1" requests them.',
  );
});

test('foray dev tells one cause of many campaigns once, and only when it has changed', () => {
  const silent = new Map(['a', 'b', 'c', 'd', 'e'].map((id) => [id, 'Temporal cannot be reached.']));
  const lines = ['a, b, c and 2 more: Cannot continue: Temporal cannot be reached.'];
  expect(changesOfBlocked(new Map(), silent)).toEqual(lines);
  expect(changesOfBlocked(silent, silent)).toEqual([]);
  expect(changesOfBlocked(silent, new Map([['a', 'It has no worker.']]))).toEqual([
    'b, c, d and 1 more are no longer blocked.',
    'a: Cannot continue: It has no worker.',
  ]);
  expect(changesOfBlocked(new Map([['a', 'x']]), new Map())).toEqual(['a is no longer blocked.']);
});

test('a long reason, or a reason of many lines, is one short line', () => {
  const why = `${'Traceback: a line of a model\n'.repeat(100)}`;
  for (const text of [blockedText(why), statusText({ ...status, blocked: why, note: '1\n2' })]) {
    expect(text).not.toContain('\n');
    expect(text).toMatch(/^Cannot continue: Traceback: a line of a model\\nTrace.*…\./);
    expect(text.length).toBeLessThan(550);
  }
  expect(blockedText('It has no worker.')).toBe('Cannot continue: It has no worker.');
});

describe('the progress line', () => {
  test('shows counts, speed and remaining time', () => {
    expect(progressText(status)).toBe(
      '[ 40%] running: 16 of 40: 12 new, 3 reused, 1 failed, 4 running, 6 queued, 14 waiting, 2.5 runs a second, 1 min 10 s left',
    );
  });

  test('shows no speed if it is unknown, or after the end', () => {
    expect(progressText({ ...status, rate: null, secondsLeft: null })).toMatch(/14 waiting$/);
    expect(progressText({ ...status, phase: 'cancelled' })).toMatch(/14 waiting$/);
  });

  test('shows no percentage while a strategy may ask for further runs', () => {
    const growing = { by: 'growing', size: 9, most: 99, width: 0.1, rounds: [] };
    for (const strategy of [
      { by: 'selection', stage: 'comparing' },
      growing,
    ] as CampaignStatus['strategy'][]) {
      expect(progressText({ ...status, strategy })).toContain('[  …%] running: 16 of 40 so far: 12 new');
      expect(progressText({ ...status, strategy, phase: 'completed' })).toMatch(
        /^\[ 40%\] completed: 16 of 40: 12/,
      );
    }
    const over = { by: 'selection', stage: 'over' } as CampaignStatus['strategy'];
    expect(progressText({ ...status, strategy: over })).toMatch(/^\[ 40%\] running: 16 of 40: 12 new/);
  });

  test('shows how many points are precise, and the expected number of runs', () => {
    const precision = { precise: 11, imprecise: 2, judged: 40, expectedRuns: 160, mostRuns: 400 };
    expect(progressText({ ...status, precision })).toMatch(
      /^\[ 10%\] running: 11 of 40 points precise, 2 not precise with all their replications, 16 runs so far, about 160 in the end, at most 400: 12 new/,
    );
  });

  test('never shows 100 % before the end', () => {
    const runs = { ...status.runs, total: 1_000, done: 999, failed: 0 };
    expect(progressText({ ...status, runs })).toMatch(/^\[ 99%\]/);
  });
});

test.each([
  [0, '0 s'],
  [59.6, '1 min 0 s'],
  [3_599, '59 min 59 s'],
  [7_500, '2 h 5 min'],
])('foray writes %d seconds as %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

test.each<[number, 'ago' | 'for', string]>([
  [42_000, 'ago', '42 s ago'],
  [190_000, 'for', 'for 3 min 10 s'],
  [-900, 'ago', '0 s ago'],
  [-86_385_000, 'ago', 'clocks differ by 23 h 59 min or more, so set them (NTP)'],
])('the time since something is never negative: %d ms', (ms, how, text) => {
  expect(ageText(ms, how)).toBe(text);
});
