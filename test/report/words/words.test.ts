import { describe, expect, test } from '@jest/globals';
import { unitNames } from '../../../src/api/index.ts';
import {
  amount,
  brief,
  intervalText,
  measureColumn,
  numberColumn,
  numberText,
  shortNumber,
  titleOf,
  unitText,
} from '../../../src/report/words/words.ts';

describe('words', () => {
  test('a unit is written in words or as its usual symbol', () => {
    expect(unitText('PER_DAY')).toBe('per day');
    expect(unitText('SQ_METER')).toBe('square meter');
    expect(unitText('MPS_SQ')).toBe('m/s²');
    for (const unit of unitNames) expect(unitText(unit)).not.toMatch(/_|[A-Z]{2}/);
    // a unit that foray does not know is shown as the author wrote it
    expect(unitText('kWh/m² a')).toBe('kWh/m² a');
    expect(amount('3', '°C')).toBe('3 °C');
    expect(amount('3', 'GIGAWATT_HOUR')).toBe('3 GIGAWATT_HOUR');
    expect(titleOf({ name: 'Contact rate', units: 'PER_DAY' })).toBe('Contact rate (per day)');
    expect(titleOf({ name: 'Population', units: null })).toBe('Population');
  });

  test('an amount has its unit in the singular or the plural', () => {
    expect(amount('3.18', 'DAY')).toBe('3.18 days');
    expect(amount('1', 'DAY')).toBe('1 day');
    expect(amount('0.44', 'PER_DAY')).toBe('0.44 per day');
    expect(amount('2', 'SQ_FOOT')).toBe('2 square feet');
    expect(amount('2', 'LITER_PER_SECOND')).toBe('2 liters per second');
    expect(amount('5', 'KPH')).toBe('5 km/h');
    expect(amount('5', null)).toBe('5');
  });

  test('a number has four digits, or all digits before the decimal point if there are more', () => {
    expect([17.2128, 0, 123456.7, 1e-9, 1.02e-9, -0.5].map(numberText)).toEqual([
      ...['17.21', '0', '123,457', '1e-9', '1.02e-9', '-0.5'],
    ]);
    expect(numberColumn([18.5, 17.213, undefined])).toEqual(['18.50', '17.21', '']);
    // numbers near each other do not look equal
    expect(numberColumn([20190.206, undefined, 20190.264])).toEqual(['20,190.206', '', '20,190.264']);
    expect(numberColumn([1234.2, 987654.3])).toEqual(['1,234', '987,654']);
    expect(numberColumn([12345, 12346])).toEqual(['12,345', '12,346']);
    expect(numberColumn([1234.5, 1234.5 + 1e-12])).toEqual(['1,235', '1,235']);
    expect(numberColumn([1e308, 5, undefined])).toEqual(['1e+308', '5', '']);
    const texts = [
      '1.22998939112',
      '228.20',
      '123456.789',
      '-0.5',
      '20240101',
      '1e-9',
      'Infinity',
      '',
      '-1.7976931348623157e+308',
    ];
    expect(texts.map(shortNumber)).toEqual([
      ...['1.23', '228.2', '123457', '-0.5', '20240101', '1e-9', 'Infinity', '', '-1.7976931348623157e+308'],
    ]);
  });

  test('a share is rounded once, so that all of its decimals are right', () => {
    expect(measureColumn({ statistic: 'share' }, [1 / 6, 1 / 21, 0, undefined], [])).toEqual([
      ...['16.667 %', '4.762 %', '0.000 %', ''],
    ]);
  });

  test('a share has no more decimals than its number of runs can tell apart', () => {
    const column = (...runs: number[]): string[] =>
      measureColumn({ statistic: 'share' }, [21 / 22, 1, undefined], runs);
    expect(column(22, 25)).toEqual(['95 %', '100 %', '']);
    expect(column(100, 25)).toEqual(['95 %', '100 %', '']);
    expect(column(220)).toEqual(['95.5 %', '100.0 %', '']);
    expect(column(22_000)).toEqual(['95.45 %', '100.00 %', '']);
    // a mean of few runs keeps its digits
    expect(measureColumn({ statistic: 'mean' }, [21 / 22], [22])).toEqual(['0.9545']);
  });

  test('an interval that is not symmetric has both of its ends', () => {
    const quantile = { statistic: 'quantile', units: 'DAY' } as const;
    expect(intervalText(quantile, 3.2, [3.1, 4])).toBe('3.20 days (3.10 days to 4.00 days)');
    expect(intervalText({ ...quantile, statistic: 'mean' }, 3.2, [2.8, 3.6])).toBe('3.20 ± 0.40 days');
    expect(intervalText({ statistic: 'share', units: null }, 0.1, [0.05, 0.2])).toBe(
      '10.0 % (5.0 % to 20.0 %)',
    );
  });

  test('a value that does not fit in one cell is described in a few words', () => {
    const briefOf = (type: Parameters<typeof brief>[0]['type'], text: string) =>
      brief({ name: '', kind: 'json', type: type! }, text);
    expect(briefOf('DATA_SET', '{"dataX":[1],"dataY":[2]}')).toBe('1 point');
    expect(briefOf('OUTPUT_FILE', '{"hash":"h","localPath":"a.csv"}')).toBe('a.csv');
    expect(briefOf('HISTOGRAM_DATA', '{"hits":[1,2,3]}')).toBe('3 bins');
    expect(briefOf('STATISTICS_DISCRETE', '{"mean":0.25,"count":3}')).toBe('mean 0.25');
    expect(briefOf('DATA_SET', 'oops')).toBe('oops');
  });
});
