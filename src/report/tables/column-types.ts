import type { InputType, OutputType, Unit } from '../../api/index.ts';
import type { Campaign, CampaignOutput, VariedInput } from '../../campaign/types.ts';
import { type ValueKind, kindOfInput, kindOfOutput } from './value-kinds.ts';

export interface Column {
  name: string;
  kind: ValueKind;
  /** The exact type of the values; undefined for some of the columns that foray adds. INSTANT is a time in UTC. */
  type?: InputType | OutputType | 'INSTANT';
  units?: Unit | null;
  /** Whether the column shows an input or an output of the model; undefined for columns that foray adds. */
  of?: 'input' | 'output';
  /** Whether a narrow terminal leaves the column out before other columns. */
  isDetail?: boolean;
  /** Whether readers need all digits of a number, because they copy it. */
  isExact?: boolean;
}

/** A column of texts that foray adds. */
export function text(name: string): Column {
  return { name, kind: 'text' };
}

/** A column of numbers that foray adds. */
export function number(name: string): Column {
  return { name, kind: 'number' };
}

/** A column of whole numbers that foray adds, such as a count of runs. */
export function count(name: string): Column {
  return { name, kind: 'number', type: 'INTEGER' };
}

export function inputColumns({ varied }: Pick<Campaign, 'varied'>): Column[] {
  return varied.map(({ name, type, units }: VariedInput) => ({
    name,
    kind: kindOfInput(type),
    type,
    units,
    of: 'input',
  }));
}

export function outputColumn({ name, type, units }: CampaignOutput): Column {
  return { name, kind: kindOfOutput(type), type, units, of: 'output' };
}

/**
 * Makes the names of columns unique. A model may have an input "status", or an input and an output with the same name.
 * Columns that foray adds keep their names. A column of the model gets `(input)` or `(output)` at the end if its name
 * is taken. The longer name is never the own name of another column.
 */
export function uniquelyNamed(columns: readonly Column[]): Column[] {
  const own = new Set(columns.map(({ name }) => name));
  const taken = new Set(columns.filter((column) => !column.of).map(({ name }) => name));
  return columns.map((column) => {
    if (!column.of) return column;
    let { name } = column;
    while (taken.has(name) || (name !== column.name && own.has(name))) name += ` (${column.of})`;
    taken.add(name);
    return { ...column, name };
  });
}
