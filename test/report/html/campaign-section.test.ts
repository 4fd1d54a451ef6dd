import { describe, expect, test } from '@jest/globals';
import {
  campaignSection,
  durationText,
  replicationsText,
} from '../../../src/report/html/campaign-section.ts';
import { countsOf, sampleRecord } from '../support.ts';

test('a duration has one or two units, beginning with its largest unit', () => {
  const told = [0, 1_449, 9_990, 59_700, 3_599_000, 3_600_000, 3_690_000, 86_400_000, 30 * 3_600_000].map(
    durationText,
  );
  expect(told).toEqual([
    '0 s',
    '1.4 s',
    '10 s',
    '1 min',
    '59 min 59 s',
    '1 h',
    '1 h 2 min',
    '1 d',
    '1 d 6 h',
  ]);
});

test('the report shows the number of replications, and the precision if the campaign has one', () => {
  const { campaign } = sampleRecord({ replications: 20 });
  expect(replicationsText(campaign)).toBe('20 of each point');
  const precision = {
    min: 10,
    max: 1_000,
    outputs: ['A', 'B'],
    relative: 0.05,
    absolute: 2,
    confidence: 0.99,
  };
  expect(replicationsText({ ...campaign, precision })).toBe(
    '10 to 1,000 of each point, until A, B are known within 5 % and ±2 with 99 % confidence',
  );
});

describe('the section about the campaign', () => {
  const base = [
    { name: '{RANDOM_SEED}', type: 'LONG' as const, units: null, value: '1' },
    { name: 'Contact rate', type: 'DOUBLE' as const, units: 'PER_DAY' as const, value: '1.66' },
    { name: 'Days', type: 'INTEGER' as const, units: 'DAY' as const, value: '14' },
  ];
  const inputsOf = (seed: number | null) => {
    const { text } = campaignSection(sampleRecord({ base, seed }), countsOf(3), 0);
    return [
      ...text.slice(text.indexOf('<details>')).matchAll(/<th>(.*?)<\/th>\s*<td>\s*(.*?)\s*<\/td>/gs),
    ].map(([, name, value]) => [name, value]);
  };

  test('lists only the inputs that have the same value in all runs', () => {
    expect(inputsOf(null)).toEqual([
      ['{RANDOM_SEED}', '1'],
      ['Days', '14 days'],
    ]);
    expect(inputsOf(7)).toEqual([['Days', '14 days']]);
  });

  test('has the exact text of the definition', () => {
    const definition = '\ncampaign: <flu> # "a" & b\n';
    const { text } = campaignSection({ ...sampleRecord(), definition }, countsOf(3), 0);
    expect(text).toContain('<pre tabindex="0">\ncampaign: &#60;flu&#62; # &#34;a&#34; &#38; b\n</pre>');
  });
});
