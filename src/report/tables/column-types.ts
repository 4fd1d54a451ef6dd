import type { InputType, OutputType, Unit } from '../../api/index.ts';
import type { Campaign, CampaignOutput, VariedInput } from '../../campaign/types.ts';
import { type Kind, kindOfInput, kindOfOutput } from './value-kinds.ts';

export interface Column {
  name: string;
  kind: Kind;
  /** The exact type of its values; undefined for texts of foray. INSTANT is a time in UTC. */
  type?: InputType | OutputType | 'INSTANT';
  units?: Unit | null;
  /** Whether it shows inputs or outputs of the model; undefined for columns of foray. */
  of?: 'input' | 'output';
}

/** A text column of foray. */
export function text(name: string): Column {
  return { name, kind: 'text' };
}

/** A number column of foray. */
export function number(name: string): Column {
  return { name, kind: 'number' };
}

/** A number of things. */
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
 * Columns with unique names. A model may have an input "status", or an input and an output with the same name. Columns
 * of foray keep their names, and those of the model get `(input)` or `(output)` at the end.
 */
export function uniquelyNamed(columns: readonly Column[]): Column[] {
  const taken = new Set(columns.filter((column) => !column.of).map(({ name }) => name));
  return columns.map((column) => {
    if (!column.of) return column;
    let { name } = column;
    while (taken.has(name)) name += ` (${column.of})`;
    taken.add(name);
    return { ...column, name };
  });
}
