/** A figure and its limit: a maximum or a minimum. */
export interface Goal {
  what: string;
  figure: number;
  most?: number;
  least?: number;
}

/** The result of one part of the bench. */
export interface Part<Row = unknown> {
  name: string;
  title: string;
  rows: Row[];
  columns: Column<Row>[];
  goals: Goal[];
  /** Remarks that readers of the table need. */
  notes?: string[];
}

export interface Column<Row> {
  title: string;
  /** This is a method and not a property, so that TypeScript also accepts a column for a more general type of rows. */
  of(row: Row): string | number | undefined;
  digits?: number;
}

export function isMet({ figure, most = Infinity, least = -Infinity }: Goal): boolean {
  return figure <= most && figure >= least;
}

/** Formats a part as text: its title, its table, its goals. */
export function textOf<Row>({ title, rows, columns, goals, notes = [] }: Part<Row>): string {
  const cells = rows.map((row) => columns.map((column) => cellOf(column.of(row), column.digits)));
  const goalCells = goals.map((goal) => [
    goal.what,
    cellOf(goal.figure, 3),
    goal.most === undefined ? `>= ${goal.least}` : `<= ${goal.most}`,
    isMet(goal) ? 'met' : 'MISSED',
  ]);
  return [
    title,
    ...aligned([columns.map((column) => column.title), ...cells]),
    ...notes,
    ...aligned(goalCells).map((line) => `  ${line}`),
    '',
  ].join('\n');
}

export function documentOf({ name, title, rows, goals, notes }: Part) {
  return { name, title, rows, goals: goals.map((goal) => ({ ...goal, isMet: isMet(goal) })), notes };
}

function cellOf(value: string | number | undefined, digits = 0): string {
  if (typeof value === 'number') return Number.isFinite(value) ? value.toFixed(digits) : '–';
  return value ?? '';
}

/** Pads columns to their widest cell. The first column is aligned left, and the others are aligned right. */
function aligned(rows: string[][]): string[] {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]!.length))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
      .join('  ')
      .trimEnd(),
  );
}
