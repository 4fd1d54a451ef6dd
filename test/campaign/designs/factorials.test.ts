import { describe, expect, test } from '@jest/globals';
import { levelsOf, mostRows, sizeOf } from '../../../src/campaign/designs/index.ts';
import { epidemic, expectRefused, HEAD } from '../support.ts';
import { checkedDesign, expectDesignRefused, keysOf, pointsOf, rowsIn } from './support.ts';

describe('factorial', () => {
  test('has the same combinations as a grid', () => {
    const inputs = { Days: [7, 14, 21], Title: ['a', 'b'], Population: { from: 1, to: 5, count: 2 } };
    expect(keysOf({ factorial: { inputs } })).toEqual(keysOf({ grid: inputs }));
    const { design } = checkedDesign({ factorial: { inputs } });
    expect([sizeOf(design), mostRows(design)]).toEqual([12, 12]);
    expect(levelsOf(design).get('Days')).toEqual(['7', '14', '21']);
  });

  test('with a resolution has a fraction of all combinations, and each combination once', () => {
    const inputs = {
      Days: [7, 14],
      Population: [500, 1000],
      'Contact rate': [1.2, 2.2],
      Stochastic: [false, true],
    };
    const written = { factorial: { inputs, resolution: 4 } };
    expect(rowsIn(written)).toEqual([
      '7 500 1.2 false',
      '7 500 2.2 true',
      '7 1000 1.2 true',
      '7 1000 2.2 false',
      '14 500 1.2 true',
      '14 500 2.2 false',
      '14 1000 1.2 false',
      '14 1000 2.2 true',
    ]);
    const { design } = checkedDesign(written);
    expect([sizeOf(design), mostRows(design)]).toEqual([8, 8]);
    const all = new Set(keysOf({ grid: inputs }));
    expect(keysOf(written).every((key) => all.has(key))).toBe(true);
  });

  test('without a resolution can be part of other designs, and can have a condition', () => {
    const factorial = { inputs: { Days: [7, 14], Population: [500, 1000] } };
    expect(keysOf({ union: [{ factorial }, { grid: { Days: [7, 21] } }] })).toHaveLength(6);
    expect(rowsIn({ factorial, where: 'Days > 7' })).toEqual(['14 500', '14 1000']);
  });

  test.each([
    ['{inputs: {Days: §[7]}}', 'INVALID_VALUE', /"Days" has one value/, /at least two/],
    [
      '{resolution: 3, inputs: {Days: §[7, 14, 21], Budget: [1, 2], Population: [1, 2]}}',
      'INVALID_VALUE',
      /"Days" has 3 values/,
      /two values/,
    ],
    ['{inputs: {Days: [7, §7]}}', 'INVALID_VALUE', /appears twice/, undefined],
    ['{inputs: {§Dais: [7, 14]}}', 'UNKNOWN_INPUT', /no input "Dais"/, /mean "Days"/],
    [
      '{resolution: §4, inputs: {Days: [7, 14], Budget: [1, 2], Population: [1, 2]}}',
      'INVALID_VALUE',
      /No fraction of the combinations of 3 inputs has resolution 4/,
      /all combinations/,
    ],
    ['{resolution: §2, inputs: {Days: [7, 14]}}', 'DEFINITION_INVALID', /at least 3/, undefined],
  ] as const)('refuses %s', (design, code, says, hint) => {
    expectDesignRefused(code, `{factorial: ${design}}`, says, hint);
  });
});

describe('onePerInput', () => {
  test('has one unchanged point, then two points for each input: one with a smaller value and one with a larger value', () => {
    // the values outside the design are Days 14, Contact rate 1.66 and Population 763
    const written = { onePerInput: { change: 0.05, inputs: ['Days', 'Contact rate', 'population'] } };
    expect(rowsIn(written)).toEqual([
      '14 1.66 763',
      '13 1.66 763',
      '15 1.66 763',
      '14 1.577 763',
      '14 1.743 763',
      '14 1.66 725',
      '14 1.66 801',
    ]);
    const { design } = checkedDesign(written);
    expect([sizeOf(design), mostRows(design)]).toEqual([7, 7]);
    expect(rowsIn({ onePerInput: { inputs: ['Contact rate'] } })).toEqual(['1.66', '1.494', '1.826']);
  });

  test('changes large whole numbers by whole numbers', () => {
    const rest = { inputs: { Budget: 1700000000000 } };
    expect(rowsIn({ onePerInput: { inputs: ['Budget'], change: 1e-12 } }, rest)).toEqual([
      ...['1700000000000', '1699999999998', '1700000000002'],
    ]);
  });

  test('starts from the values of the experiment', () => {
    const rest = { experiment: 'Baseline' };
    expect(rowsIn({ onePerInput: { inputs: ['Contact rate'] } }, rest)).toEqual(['2', '1.8', '2.2']);
  });

  test('changes inputs from their values under `inputs`', () => {
    const points = pointsOf({ onePerInput: { inputs: ['Days'], change: 0.5 } }, { inputs: { Days: 20 } });
    expect(points.map(({ values }) => values.join())).toEqual(['20', '10', '30']);
  });

  test('takes a low and a high value for each input, with units', () => {
    const inputs = {
      'Contact rate': { low: 1, high: 4, units: 'PER_DAY' as const },
      Days: { low: 1, high: 20 },
    };
    expect(pointsOf({ onePerInput: { inputs } }).map(({ values }) => values.join(' '))).toEqual([
      '1.66 14',
      '1 14',
      '4 14',
      '1.66 1',
      '1.66 20',
    ]);
  });

  test('is refused for an input with the value 0, and the hint asks for a low and a high value', () => {
    const { version } = epidemic;
    const inputs = version.experimentTemplate.inputs.map((input) =>
      input.name === 'Days' ? { ...input, value: '0' } : input,
    );
    const facts = { ...epidemic, version: { ...version, experimentTemplate: { inputs, outputs: [] } } };
    expectRefused(`${HEAD}design: {onePerInput: {inputs: [§Days]}}\n`, {
      code: 'INVALID_VALUE',
      says: /^"Days" has the value 0 outside the design\. A share of 0 is 0, so the design cannot change the input\.$/,
      hint: /"inputs": {Days: {low: NUMBER, high: NUMBER}}\.$/,
      facts,
    });
  });

  test.each([
    ['{inputs: [§Dais]}', 'UNKNOWN_INPUT', /no input "Dais"/, /mean "Days"/],
    ['{inputs: [Days, §days]}', 'INVALID_VALUE', /given more than once/, undefined],
    ['{inputs: [§Title]}', 'INVALID_VALUE', /takes STRING, not a number/, /oneAtATime/],
    ['{inputs: {Days: §{low: 14, high: 20}}}', 'INVALID_VALUE', /"Days" is 14 outside/, /a "low" below/],
    ['{inputs: {Days: {low: §1.5, high: 20}}}', 'INVALID_VALUE', /whole number/, undefined],
    ['{inputs: {Days: {low: 1, high: 20, units: §HOUR}}}', 'INVALID_VALUE', /DAY/, undefined],
    ['{change: §1, inputs: [Days]}', 'DEFINITION_INVALID', /less than 1/, undefined],
    ['§{change: 0.2, inputs: {Days: {low: 1, high: 20}}}', 'DEFINITION_INVALID', /no "change"/, undefined],
    ['{inputs: §[]}', 'DEFINITION_INVALID', /at least one input/, undefined],
  ] as const)('refuses %s', (design, code, says, hint) => {
    expectDesignRefused(code, `{onePerInput: ${design}}`, says, hint);
  });
});
