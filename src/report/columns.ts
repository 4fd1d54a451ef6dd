import type { InputType, OutputType, Unit } from '../api/index.ts';
import type { Campaign, CampaignOutput, VariedInput } from '../campaign/types.ts';
import { type Kind, kindOfInput, kindOfOutput } from './values.ts';

export interface Column {
  name: string;
  kind: Kind;
  /** What its values are more exactly than their kind; undefined of texts of foray's own. INSTANT is a time in UTC. */
  type?: InputType | OutputType | 'INSTANT';
  units?: Unit | null;
  /** The side of the model that it shows; undefined for what foray itself says. */
  of?: 'input' | 'output';
}

/** A text of foray's own. */
export function text(name: string): Column {
  return { name, kind: 'text' };
}

/** A number of foray's own. */
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
 * Columns with names that are unique. A model may call an input "status", or an input and an output alike: foray's own
 * columns keep their names, and the model's get `(input)` or `(output)` behind them.
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
