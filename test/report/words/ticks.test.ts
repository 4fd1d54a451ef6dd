import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import { steps, wholeTicks } from '../../../src/report/pictures/scales.ts';
import { draw } from '../../../src/report/pictures/vega.ts';
import { ticksBetween } from '../../../src/report/words/ticks.ts';
import { estimateTexts, intervalText } from '../../../src/report/words/words.ts';

/** Two ends of an axis, from 1e-6 to 1e12 apart. */
const domains = fc
  .tuple(
    fc.double({ min: -1e9, max: 1e9, noNaN: true }),
    fc.double({ min: -6, max: 12, noNaN: true }),
    fc.integer({ min: 2, max: 20 }),
  )
  .map(([low, power, most]) => ({ low, high: low + 10 ** power, most }))
  .filter(({ low, high }) => high - low > 1e-6);

describe('the ticks of an axis', () => {
  test('lie within the axis at equal distances, and have the digits of their step and no more', () => {
    fc.assert(
      fc.property(domains, fc.boolean(), ({ low, high, most }, isWhole) => {
        const ticks = ticksBetween(low, high, most, isWhole);
        expect(ticks.length).toBeLessThanOrEqual(Math.max(2, most));
        expect(new Set(ticks.map(({ text }) => text)).size).toBe(ticks.length);
        if (ticks[0]!.value === low && ticks.length === 2) return;
        const step = ticks[1]!.value - ticks[0]!.value;
        const digits = ticks.map(({ text }) => text.split('.')[1]?.length ?? 0);
        expect(new Set(digits).size).toBe(1);
        // one digit fewer could not tell neighbours of this step apart
        if (digits[0]! > 0) expect(10 ** -digits[0]!).toBeLessThanOrEqual(step * (1 + 1e-3));
        if (digits[0]! > 0) expect(10 ** (1 - digits[0]!)).toBeGreaterThan(step * (1 - 1e-3));
        for (const [at, { value, text }] of ticks.entries()) {
          expect(Number(text.replaceAll(',', ''))).toBeCloseTo(value, digits[0]! + 3);
          expect(value - ticks[0]!.value).toBeCloseTo(at * step, 4);
          expect(value).toBeGreaterThanOrEqual(low - 1e-6 * step);
          expect(value).toBeLessThanOrEqual(high + 1e-6 * step);
          if (isWhole) expect(Number.isInteger(value)).toBe(true);
        }
      }),
    );
  });

  test.each([
    [0, 1, 5, false, ['0.0', '0.2', '0.4', '0.6', '0.8', '1.0'].slice(0, 6), 6],
    [1.2, 2.2, 12, false, ['1.2', '1.3', '1.4', '1.5', '1.6', '1.7', '1.8', '1.9', '2.0', '2.1', '2.2'], 12],
    [8, 12, 12, true, ['8', '9', '10', '11', '12'], 12],
    [10, 60, 7, true, ['10', '20', '30', '40', '50', '60'], 7],
    [0, 5_000, 6, false, ['0', '1,000', '2,000', '3,000', '4,000', '5,000'], 6],
  ] as const)('from %d to %d are round', (low, high, _most, isWhole, texts, most) => {
    expect(ticksBetween(low, high, most, isWhole).map(({ text }) => text)).toEqual(texts);
  });

  test('of an input with whole numbers are whole in a drawn picture', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -50, max: 50 }),
        fc.integer({ min: 1, max: 30 }),
        async (low, span) => {
          const x = {
            field: 'x',
            type: 'quantitative',
            scale: { domain: [low, low + span], nice: false },
            axis: { tickCount: 10, ...wholeTicks({ type: 'INTEGER' }) },
            title: null,
          };
          const spec = { width: 400, data: { values: [{ x: low }] }, mark: 'point', encoding: { x } };
          const { svg } = await draw(spec, 'p', 'a picture');
          const texts = [...svg.matchAll(/>([^<>]+)<\/text>/g)].map(([, text]) =>
            text!.replace('\u2212', '-'),
          );
          expect(texts.length).toBeGreaterThan(0);
          for (const text of texts) expect(text).toMatch(/^-?\d+$/);
          expect(new Set(texts).size).toBe(texts.length);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('a value with an interval', () => {
  test.each([
    [120.6, 1.168, '120.6 ± 1.2'],
    [17.4321, 0.0312, '17.432 ± 0.031'],
    [1_234.5, 12.3, '1,235 ± 12'],
    [0.5, 0, '0.5 ± 0'],
    [3, 0.4, '3.00 ± 0.40'],
    [3.2, 0.41, '3.20 ± 0.41'],
    [-0.001, 1, '0.0 ± 1.0'],
    [1_234_568, 52_341, '1,235,000 ± 52,000'],
    [12_345.6, 99.6, '12,350 ± 100'],
    [-3, 5_000, '0 ± 5,000'],
    [12.3456789, 5.2e-9, '1.23456789000e+1 ± 5.2e-9'],
    [3.2345678e-7, 1.2e-12, '3.234568e-7 ± 1.2e-12'],
    [1.23456789e15, 12e9, '1.234568e+15 ± 12,000,000,000'],
    [0, 1.2e-12, '0 ± 1.2e-12'],
  ])('%d with a half-width of %d is %s', (value, half, text) => {
    expect(intervalText({ statistic: 'mean', units: null }, value, [value - half, value + half])).toBe(text);
  });

  test('is not finer than the second digit of the half-width', () => {
    const halves = fc.double({ min: -6, max: 6, noNaN: true }).map((power) => 10 ** power);
    fc.assert(
      fc.property(
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        halves,
        fc.boolean(),
        (value, half, isShare) => {
          const measure = { statistic: isShare ? 'share' : 'mean', units: null } as const;
          const scale = isShare ? 100 : 1;
          for (const [at, text] of estimateTexts(measure, value, [value - half, value + half]).entries()) {
            const exact = scale * [value, value - half, value + half][at]!;
            const shown = text.replace(' %', '').replaceAll(',', '');
            const decimals = shown.split('.')[1]?.length ?? 0;
            if (decimals > 0) expect(10 ** -decimals).toBeGreaterThan((scale * half) / 105);
            // rounding loses less than a tenth of the half-width
            expect(Math.abs(Number(shown) - exact)).toBeLessThanOrEqual(
              Math.max(0.05 * scale * half, 0.5) * 1.001,
            );
          }
        },
      ),
    );
  });
});

test('a logarithmic axis has at least two ticks, however short it is', () => {
  expect(steps(2.1, 4.8)).toEqual([2.5, 3, 3.5, 4, 4.5]);
  expect(steps(1, 5)).toEqual([1, 2, 5]);
  fc.assert(
    fc.property(
      fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
      fc.double({ min: 1.01, max: 30, noNaN: true }),
      (low, ratio) => {
        const found = steps(low, low * ratio);
        expect(found.length).toBeGreaterThan(1);
        for (const one of found)
          expect(one >= low * (1 - 1e-9) && one <= low * ratio * (1 + 1e-9)).toBe(true);
      },
    ),
  );
});
