import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { readDefinition } from '../support/definition.ts';
import { checkBody, expectRefused, HEAD } from './support.ts';

const DURATION = /expected seconds, or a text such as 90 s, 10 min, 2 h or 1 d\.$/;
const RANGE = /expected more than 0, and at most 366 days\.$/;

function refused(body: string, says: RegExp, hint?: RegExp): void {
  const error = expectRefused(HEAD + body, { code: 'DEFINITION_INVALID', says, ...(hint && { hint }) });
  expect(error.others.map(({ message }) => message)).toEqual([]);
}

describe('durations', () => {
  const read = (written: string): number | null => checkBody(`timeouts: {run: ${written}}\n`).timeouts.run;

  test.each([
    ['90', 90_000],
    ['0.5', 500],
    ['"90"', 90_000],
    ['90 s', 90_000],
    ['90s', 90_000],
    ['" 90  s "', 90_000],
    ['1.5 s', 1_500],
    ['10 min', 600_000],
    ['2 h', 7_200_000],
    ['0.5 h', 1_800_000],
    ['1 d', 86_400_000],
    ['366 d', 366 * 86_400_000],
    ['31622400', 366 * 86_400_000],
  ])('%s means %d ms', (written, ms) => {
    expect(read(written)).toBe(ms);
  });

  test('a number means seconds; a text has an amount and a unit, with or without a space', () => {
    const units = fc.constantFrom(['s', 1_000], ['min', 60_000], ['h', 3_600_000], ['d', 86_400_000]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 366 }), units, fc.boolean(), (amount, [unit, ms], isApart) => {
        expect(read(`${amount}${isApart ? ' ' : ''}${unit}`)).toBe(amount * Number(ms));
        expect(read(String(amount))).toBe(read(`${amount} s`));
      }),
    );
  });

  test.each([
    ...[
      'soon',
      '""',
      '90 sec',
      '10 m',
      '2 hours',
      '1 D',
      '1 w',
      '-1 s',
      '+1 s',
      '1e3 s',
      '1 h 30 min',
      '5 . s',
    ],
    ...['true', '~', '[90]', '{s: 90}', '.nan', '.inf', '"1,5 s"', 's', '"90\\ns\\n5"'],
  ])('%s is no duration', (written) => {
    for (const [name, body] of [
      ['timeouts.run', `timeouts: {run: §${written}}\n`],
      ['timeouts.campaign', `timeouts:\n  run: 5\n  campaign: §${written}\n`],
      ['failures.backoff', `failures: {attempts: 2, backoff: §${written}}\n`],
    ] as const) {
      refused(body, new RegExp(`^"${name}" is wrong: ${DURATION.source}`));
    }
  });

  test.each(['0', '-1', '0 s', '0.0 d', '366.1 d', '367 d', '31622401', '1e300', `${'9'.repeat(400)}`])(
    '%s is too short or too long',
    (written) => {
      // YAML reads a number with too many digits as infinite
      const says = written.length > 300 ? DURATION : RANGE;
      refused(`timeouts: {run: §${written}}\n`, new RegExp(`^"timeouts.run" is wrong: ${says.source}`));
      refused(
        `failures: {attempts: 2, backoff: §${written}}\n`,
        new RegExp(`^"failures.backoff" is wrong: ${says.source}`),
      );
    },
  );
});

describe('attempts', () => {
  test('a run has one attempt by default, also if the campaign has a failure policy', () => {
    const one = { count: 1, backoff: 10_000, seed: 'same' };
    expect(checkBody('')).toMatchObject({ attempts: one, failures: null });
    expect(checkBody('failures: {rate: 0.1}\n')).toMatchObject({
      attempts: one,
      failures: { rate: 0.1, after: 20, then: 'pause' },
    });
  });

  test('do not set a failure policy of the campaign; missing settings have their defaults', () => {
    expect(checkBody('failures: {attempts: 3}\n')).toMatchObject({
      attempts: { count: 3, backoff: 10_000, seed: 'same' },
      failures: null,
    });
    expect(checkBody('failures: {attempts: 100, backoff: 2 min, seed: new}\n').attempts).toEqual({
      count: 100,
      backoff: 120_000,
      seed: 'new',
    });
  });

  test('are separate from the failure policy of the campaign', () => {
    const { attempts, failures } = checkBody('failures: {attempts: 2, count: 0, after: 5, then: stop}\n');
    expect(attempts).toEqual({ count: 2, backoff: 10_000, seed: 'same' });
    expect(failures).toEqual({ count: 0, after: 5, then: 'stop' });
  });

  test.each([
    ['zero', '§0', 'expected at least 1'],
    ['a negative number', '§-3', 'expected at least 1'],
    ['too many', '§101', 'expected at most 100'],
    ['a fraction', '§1.5', 'expected a whole number'],
    ['a text', '§twice', 'expected a whole number'],
    ['null', '§~', 'expected a whole number'],
  ])('a wrong number of attempts is refused: %s', (_, written, says) => {
    refused(`failures: {attempts: ${written}}\n`, new RegExp(`^"failures.attempts" is wrong: ${says}\\.$`));
  });

  test.each(['§other', '§1', '§true'])(
    'a seed that is neither "same" nor "new" is refused: %s',
    (written) => {
      const says = /^"failures.seed" is wrong: expected same or new\.$/;
      refused(`failures: {attempts: 2, seed: ${written}}\n`, says);
    },
  );

  test.each(['§{}', '§{attempts: 1}', '§{backoff: 5}', '§{seed: new}', '§{then: cancel, after: 3}'])(
    '"failures" is refused without a setting that has an effect: %s',
    (written) => {
      refused(
        `failures: ${written}\n`,
        /"failures" is wrong: expected "attempts" above 1, a "rate" or a "count"/,
      );
    },
  );

  test('"failures" is refused if it is not a mapping, or has a misspelt setting', () => {
    refused('failures: §3\n', /"failures" is wrong: expected \{attempts: NUMBER\}/);
    refused(
      'failures: {§atempts: 3}\n',
      /"failures" has no setting "atempts"/,
      /^Did you mean "attempts"\?$/,
    );
    refused('failures: {attempts: 3, §backof: 3}\n', /no setting "backof"/, /^Did you mean "backoff"\?$/);
  });
});

describe('timeouts', () => {
  test('are not set by default, and each timeout can be set alone', () => {
    expect(checkBody('').timeouts).toEqual({ run: null, campaign: null });
    expect(checkBody('timeouts: {}\n').timeouts).toEqual({ run: null, campaign: null });
    expect(checkBody('timeouts: {run: 5}\n').timeouts).toEqual({ run: 5_000, campaign: null });
    expect(checkBody('timeouts: {campaign: 2 d}\n').timeouts).toEqual({ run: null, campaign: 172_800_000 });
  });

  test('"timeouts" is refused if it is not a mapping, or has a misspelt setting', () => {
    refused('timeouts: §90 s\n', /"timeouts" is wrong: expected \{run: DURATION, campaign: DURATION\}\.$/);
    refused('timeouts: {run: 5, §campain: 5}\n', /"timeouts" has no setting "campain"/, /mean "campaign"\?$/);
  });
});

describe('fresh', () => {
  test('a campaign is not fresh by default; a new seed or a salt makes the campaign fresh', () => {
    expect(checkBody('').fresh).toBeNull();
    expect(checkBody('fresh: false\n').fresh).toBeNull();
    expect(checkBody('fresh: true\n').fresh).toEqual({ by: 'seed' });
    expect(checkBody('fresh: {salt: Title}\n').fresh).toEqual({ by: 'salt', input: 'Title' });
  });

  test.each(['§yes', '§1', '§~', '§[Title]', '§Title'])('%s is not a valid value of "fresh"', (written) => {
    refused(`fresh: ${written}\n`, /^"fresh" is wrong: expected true or \{salt: INPUT\}\.$/);
  });

  test('"fresh" is refused if "salt" is missing, is misspelt or is not the name of an input', () => {
    refused('fresh: §{}\n', /^"fresh.salt" is missing\.$/);
    refused('fresh: {salt: §5}\n', /^"fresh.salt" is wrong: expected the name of an input\.$/);
    refused('fresh: {§sald: Title}\n', /^"fresh" has no setting "sald"\.$/, /^Did you mean "salt"\?$/);
  });
});

describe('priority', () => {
  test('is 3 by default, and may be from 1 to 5', () => {
    expect(checkBody('').priority).toBe(3);
    for (const priority of [1, 2, 3, 4, 5])
      expect(checkBody(`priority: ${priority}\n`).priority).toBe(priority);
  });

  test.each(['§0', '§6', '§2.5', '§-1', '§high', '§"3"', '§~'])('%s is no priority', (written) => {
    const says = /^"priority" is wrong: expected a whole number from 1 \(first\) to 5 \(last\)\.$/;
    refused(`priority: ${written}\n`, says);
  });
});

test('a definition in JSON can have the same settings, and readDefinition converts durations to ms', () => {
  const settings = {
    failures: { attempts: 3, backoff: '2 min', seed: 'new', rate: 0.5 },
    timeouts: { run: 90, campaign: '1 d' },
    fresh: { salt: 'Title' },
    priority: 1,
  };
  const text = JSON.stringify({ campaign: 'flu', model: { name: 'Epidemic' }, ...settings });
  expect(readDefinition(text, 'flu.json').definition).toMatchObject({
    failures: { attempts: 3, backoff: 120_000, seed: 'new', rate: 0.5, after: 20, then: 'pause' },
    timeouts: { run: 90_000, campaign: 86_400_000 },
    fresh: { salt: 'Title' },
    priority: 1,
  });
});
