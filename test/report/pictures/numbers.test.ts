import { expect, test } from '@jest/globals';
import {
  binCells,
  inputCell,
  inputColumn,
  numbersJson,
  PictureNumbers,
} from '../../../src/report/pictures/numbers.ts';
import { axisOf } from '../../../src/report/summary/input-axis.ts';
import { doubles } from '../support.ts';

interface Shown {
  columns: { title: string; values: unknown[]; texts?: string[]; ranges?: ([number, number] | null)[] }[];
}

const shown = (numbers: PictureNumbers): Shown => JSON.parse(numbersJson(numbers, [], [])) as Shown;

test('values of inputs and whole numbers are exact, and results have nine digits', () => {
  const numbers = new PictureNumbers([inputColumn({ name: 'Rate' }), { title: 'Cost' }]);
  numbers.add([1.20123456789, 1_234_567_891]);
  numbers.add([0.30000000000004, 1.20123456789]);
  const [rate, cost] = shown(numbers).columns;
  expect(rate!.values).toEqual([1.20123456789, 0.30000000000004]);
  expect(cost!.values).toEqual([1_234_567_891, 1.20123457]);
});

test('a mark of grouped values has the first and the last one; a mark of one value has no range', () => {
  const input = doubles('Rate', []);
  const cellsOf = (most: number) => {
    const numbers = new PictureNumbers([inputColumn(input)]);
    for (const cell of binCells(axisOf(input, ['1', '2', '4', '8', '9'], most))) numbers.add([cell]);
    return shown(numbers).columns[0]!;
  };
  expect(cellsOf(2)).toMatchObject({
    texts: ['1 to 4', '8 to 9'],
    ranges: [
      [1, 4],
      [8, 9],
    ],
  });
  expect(cellsOf(4).ranges).toEqual([[1, 2], null, null, null]);
  expect(cellsOf(5).ranges).toBeUndefined();
});

test('a whole number of an input that JavaScript would round keeps its digits, and a drag filters by the number', () => {
  const input = { name: 'Case', type: 'LONG', units: null } as const;
  const levels = ['9007199254740991', '9007199254740993', '-9223372036854775808'];
  const cells = [
    ...levels.map((level) => inputCell(input, level)),
    ...binCells(axisOf(input, levels, 3)),
    ...binCells(axisOf(input, levels.slice(0, 2), 1)),
  ];
  const numbers = new PictureNumbers([inputColumn(input)]);
  for (const cell of cells) numbers.add([cell]);
  const { values, ranges } = shown(numbers).columns[0]!;
  const [safe, odd, least] = [9007199254740991, '9007199254740993', '-9223372036854775808'];
  expect(values).toEqual([safe, odd, least, least, safe, odd, 2 ** 53 - 0.5]);
  const [ofOdd, ofLeast] = [2 ** 53, -(2 ** 63)].map((value) => [value, value]);
  expect(ranges).toEqual([null, ofOdd, ofLeast, ofLeast, null, ofOdd, [safe, 2 ** 53]]);
});
