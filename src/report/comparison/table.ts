import { Batched } from '../../batched.ts';
import type { ComparedPoint, Comparison } from './compare.ts';
import { intervalName } from './differences.ts';
import { type Column, inputColumns, text, uniquelyNamed } from '../tables/column-types.ts';
import type { Cell, Table } from '../tables/result-table.ts';

const NUMBERS = ['n A', 'mean A', 'n B', 'mean B', 'difference', 'low', 'high'];

/**
 * Makes a table of a comparison with one row per point and output. The first cells of a row are the key of the point,
 * the values of the varied inputs, the campaigns that have the point (`both`, `A` or `B`), and the name of the output.
 * The next cells are the number of values and the mean in A and in B, the difference B - A, the ends of its interval,
 * and the method of the interval. The last cell is true if the interval excludes 0, or if exact values are not equal.
 */
export function comparisonTable(
  { matching, outputs, method }: Comparison,
  points: AsyncIterable<ComparedPoint>,
): Table {
  const columns: Column[] = [
    text('point'),
    ...inputColumns(matching),
    ...[text('in'), text('output')],
    ...NUMBERS.map((name): Column => ({ name, kind: 'number' })),
    text('interval'),
    { name: 'differs', kind: 'boolean' },
  ];
  return { columns: uniquelyNamed(columns), rows: Batched.single(rowsOf(points)) };

  async function* rowsOf(compared: AsyncIterable<ComparedPoint>): AsyncIterable<Cell[]> {
    for await (const { key, in: where, values, outputs: found } of compared) {
      for (const [at, output] of outputs.entries()) {
        const { a, b, difference, low, high, differs } = found[at]!;
        yield [
          key,
          ...values,
          where,
          output.name,
          ...[a.n, a.mean, b.n, b.mean, difference, low, high].map(cell),
          low === null ? null : intervalName(output, method === 'paired'),
          cell(differs),
        ];
      }
    }
  }
}

function cell(value: number | boolean | null): Cell {
  return value === null ? null : String(value);
}
