import { Batched } from '../../batched.ts';
import type {
  Analysis,
  InputIndices,
  Interval,
  PairIndices,
  TimeIndices,
} from '../../sensitivity/analysis.ts';
import { number, text } from '../tables/column-types.ts';
import type { Cell, Table } from '../tables/result-table.ts';

type Key = Exclude<
  keyof InputIndices | 'second',
  'input' | 'aliases' | 'lowAt' | 'highAt' | `${string}Interval`
>;

/** The indices of all methods, in the order of their columns. Indices with `hasEnds` may have an interval. */
const KEYS: readonly { key: Key; hasEnds?: true }[] = [
  { key: 'first', hasEnds: true },
  { key: 'total', hasEnds: true },
  { key: 'second', hasEnds: true },
  { key: 'mu' },
  { key: 'muStar', hasEnds: true },
  { key: 'sigma' },
  { key: 'src', hasEnds: true },
  { key: 'srrc', hasEnds: true },
  { key: 'prcc', hasEnds: true },
  { key: 'share', hasEnds: true },
  { key: 'low' },
  { key: 'high' },
  { key: 'effect', hasEnds: true },
  { key: 'elasticity', hasEnds: true },
  { key: 'p' },
];

/** A row of the table: an input, or a pair of inputs. */
interface Row {
  output: string;
  time: number | undefined;
  input: string;
  with: string | undefined;
  numbers: Partial<Record<Key, number>>;
  ends: Partial<Record<Key, Interval>>;
  /** The values of the input at `low` and `high`, if they are not numbers. */
  lowAt?: string | undefined;
  highAt?: string | undefined;
  aliases: readonly string[];
}

/**
 * Makes a table of analyses. Each output has one row per input, then one row per pair of inputs. A curve has these rows
 * for each of its times. The columns depend on the method. Columns that end in `Low` and `High` are the ends of an
 * interval.
 */
export function analysisTable(analyses: readonly Analysis[]): Table {
  const rows = analyses.flatMap(rowsOf);
  const has = (is: (row: Row) => boolean): boolean => rows.some(is);
  const keys = KEYS.filter(({ key }) => has(({ numbers }) => numbers[key] !== undefined)).map(
    ({ key, hasEnds }) => ({ key, hasEnds: hasEnds && has(({ ends }) => ends[key] !== undefined) }),
  );
  const hasTimes = has(({ time }) => time !== undefined);
  const hasPairs = has((row) => row.with !== undefined);
  const hasValues = has(({ lowAt }) => lowAt !== undefined);
  const hasAliases = has(({ aliases }) => aliases.length > 0);
  const columns = [
    text('output'),
    ...(hasTimes ? [number('time')] : []),
    text('input'),
    ...(hasPairs ? [text('with')] : []),
    ...keys.flatMap(({ key, hasEnds }) => [key, ...(hasEnds ? [`${key}Low`, `${key}High`] : [])].map(number)),
    ...(hasValues ? [text('lowAt'), text('highAt')] : []),
    ...(hasAliases ? [text('aliases')] : []),
  ];
  const cells = (row: Row): Cell[] => [
    row.output,
    ...(hasTimes ? [numberCell(row.time)] : []),
    row.input,
    ...(hasPairs ? [row.with ?? null] : []),
    ...keys.flatMap(({ key, hasEnds }) =>
      [row.numbers[key], ...(hasEnds ? (row.ends[key] ?? [undefined, undefined]) : [])].map(numberCell),
    ),
    ...(hasValues ? [row.lowAt ?? null, row.highAt ?? null] : []),
    ...(hasAliases ? [row.aliases.join(', ') || null] : []),
  ];
  return { columns, rows: Batched.of(rows.map(cells)) };
}

function rowsOf({ output, indices = [], secondOrder = [], times = [] }: Analysis): Row[] {
  const rowsAt = (time: number | undefined, found: Pick<TimeIndices, 'indices' | 'secondOrder'>): Row[] => [
    ...found.indices.map((one) => inputRow(output, time, one)),
    ...(found.secondOrder ?? []).map((one) => pairRow(output, time, one)),
  ];
  return [...rowsAt(undefined, { indices, secondOrder }), ...times.flatMap((one) => rowsAt(one.time, one))];
}

function inputRow(output: string, time: number | undefined, indices: InputIndices): Row {
  const { input, lowAt, highAt, aliases = [], ...rest } = indices;
  const numbers: Row['numbers'] = {};
  const ends: Row['ends'] = {};
  for (const { key } of KEYS) {
    if (key === 'second') continue;
    numbers[key] = rest[key];
    const interval = (rest as Record<string, unknown>)[`${key}Interval`];
    if (interval) ends[key] = interval as Interval;
  }
  return { output, time, input, with: undefined, numbers, ends, lowAt, highAt, aliases };
}

function pairRow(
  output: string,
  time: number | undefined,
  { inputs, value, interval, effect, effectInterval, p, aliases = [] }: PairIndices,
): Row {
  return {
    output,
    time,
    input: inputs[0],
    with: inputs[1],
    numbers: { second: value, effect, p },
    ends: { second: interval, effect: effectInterval },
    aliases,
  };
}

function numberCell(value: number | undefined): Cell {
  return value === undefined || !Number.isFinite(value) ? null : String(value);
}
