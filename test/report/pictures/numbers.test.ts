import { expect, test } from '@jest/globals';
import { binCells, inputColumn, numbersJson, PictureNumbers } from '../../../src/report/pictures/numbers.ts';
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
