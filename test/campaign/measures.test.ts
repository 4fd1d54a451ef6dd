import { describe, expect, test } from '@jest/globals';
import { measureOf, measuresOf } from '../../src/campaign/measures.ts';
import type { CampaignOutput } from '../../src/campaign/types.ts';
import { thrownBy } from './support.ts';

const outputs: CampaignOutput[] = [
  { name: 'Peak', type: 'DOUBLE', units: 'METER' },
  { name: 'Peak day', type: 'INTEGER', units: 'DAY' },
  { name: 'Extinct', type: 'BOOLEAN', units: null },
  { name: 'Ending', type: 'STRING', units: null },
  { name: 'Course', type: 'DATA_SET', units: null },
];
const run = { Peak: '300.5', 'Peak day': '7', Extinct: 'false', Ending: '"died out"', Course: '{}' };

describe('a measure of a run', () => {
  test('may be a numeric output, or a BOOLEAN output as 1 or 0; a value that is infinite or null is missing', () => {
    const measures = measuresOf({ outputs, precision: null });
    expect(measures.map(({ name, statistic, read }) => [name, statistic, read(run)])).toEqual([
      ['Peak', 'mean', 300.5],
      ['Peak day', 'mean', 7],
      ['Extinct', 'share', 0],
    ]);
    expect(measures.map(({ read }) => read({ Peak: '"Infinity"', Extinct: 'null' }))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('has a name that means the same formula as the written text', () => {
    for (const written of ['Q(Peak, 0.0000001)', 'Q( Peak , .9)', 'P( Peak>3 )']) {
      const { name } = measureOf(outputs, written);
      expect(measureOf(outputs, name).name).toBe(name);
    }
  });

  test('is refused if its formula names no output', () => {
    expect(thrownBy(() => measureOf(outputs, 'P(1 > 0)'))).toMatchObject({ code: 'INVALID_EXPRESSION' });
  });

  test.each([
    ['P(Peak > 300)', 'share', 1],
    ['P(Peak >= 301)', 'share', 0],
    ['P(`Peak day` < 7)', 'share', 0],
    ['P(`Peak day` <= 7)', 'share', 1],
    ['P(not Extinct and Peak > 300)', 'share', 1],
    ["P(Ending == 'died out')", 'share', 1],
    ['Q(Peak, 0.9)', 'quantile', 300.5],
    ['Q(max(Peak, `Peak day`), .5)', 'quantile', 300.5],
  ])('may be %s, with the statistic %s and the value %d', (written, statistic, value) => {
    const measure = measureOf(outputs, written);
    expect([measure.statistic, measure.read(run)]).toEqual([statistic, value]);
  });

  test('has a name with uniform blanks and numbers; a quantile of a single output has the units of this output', () => {
    expect(measureOf(outputs, ' p ( Peak > 300 ) ').name).toBe('P(Peak > 300)');
    expect(measureOf(outputs, 'q(`peak DAY` , 0.50)')).toMatchObject({
      name: 'Q(`peak DAY`, 0.5)',
      probability: 0.5,
      units: 'DAY',
      sources: ['Peak day'],
    });
    expect(measureOf(outputs, 'Q(2 * Peak, 0.5)').units).toBeNull();
    expect(measureOf(outputs, 'extinct')).toMatchObject({ name: 'Extinct', statistic: 'share' });
  });

  test('is missing if a run lacks an output of the formula, or if foray cannot read or compute a value', () => {
    expect(measureOf(outputs, 'P(Peak > `Peak day`)').read({ Peak: '3' })).toBeUndefined();
    expect(measureOf(outputs, 'Q(Peak / `Peak day`, 0.5)').read({ ...run, 'Peak day': '0' })).toBeUndefined();
    expect(measureOf(outputs, "P(Ending == 'x')").read({ Ending: '"not JSON' })).toBeUndefined();
  });

  test('a name that looks like a formula means the output with this name', () => {
    const odd: CampaignOutput = { name: 'P(Peak > 300)', type: 'DOUBLE', units: null };
    expect(measureOf([...outputs, odd], 'P(Peak > 300)').statistic).toBe('mean');
  });

  test.each([
    ['Peek', 'UNKNOWN_OUTPUT', /keeps no output "Peek"/, /mean "Peak"\?/],
    ['Course', 'INVALID_VALUE', /"Course" is DATA_SET, neither a number nor true or false/, /Known: "Peak"/],
    ['Ending', 'INVALID_VALUE', /"Ending" is STRING/, /Known: "Peak"/],
    ['P(Peek > 300)', 'INVALID_EXPRESSION', /no output of one value "Peek"/, /mean "Peak"\?/],
    ['P(Course > 300)', 'INVALID_EXPRESSION', /no output of one value "Course"/, /Known/],
    ['P(Ending > 300)', 'INVALID_EXPRESSION', /"300" is a number, but "Ending" is a text/, /quotes/],
    ['P(Peak)', 'INVALID_EXPRESSION', /gives a number, not true or false/, /Compare it/],
    ['P(Peak day > 3)', 'INVALID_EXPRESSION', /"day" is not expected/, /backticks/],
    ['P(Peak > 300', 'INVALID_EXPRESSION', /does not end with its closing bracket/, /^Write P\(Peak > 300\)/],
    ['P()', 'INVALID_EXPRESSION', /The expression is empty/, /^Write P\(/],
    ['P(Peak >)', 'INVALID_EXPRESSION', /ends too early/, /^Write P\(/],
    ['Q(Peak)', 'INVALID_EXPRESSION', /needs a probability between 0 and 1/, /Q\(Peak, 0\.9\)/],
    ['Q(Peak, 90)', 'INVALID_EXPRESSION', /needs a probability between 0 and 1/, /Q\(Peak, 0\.9\)/],
    ['Q(Extinct, 0.9)', 'INVALID_EXPRESSION', /gives true or false, not a number/, /Write/],
  ])('%s is refused', (written, code, says, hint) => {
    const error = thrownBy(() => measureOf(outputs, written));
    expect(error).toMatchObject({ code, message: expect.stringMatching(says) });
    expect(error.hint).toMatch(hint);
  });
});
