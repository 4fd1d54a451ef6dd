import type { Quantity } from './decimals.ts';

/** A value of an input, or of an expression. A date is a text in ISO form. */
export type Value = number | string | boolean;

export type ValueType = 'number' | 'text' | 'boolean';

/** The types of the values with a name. An expression cannot use a file. */
export type NamedTypes = ReadonlyMap<string, ValueType | 'file'>;

/** Gives an expression the values of inputs, by their names as the model spells them. */
export type ValueOf = (name: string) => Value;

/** A compiled part of an expression that gives a number. */
export interface NumberPart {
  type: 'number';
  run: (values: ValueOf) => Quantity;
  /** The inputs with which the number changes at almost every step, however small. `round` and `min` have none. */
  follows: readonly string[];
}

export interface TextPart {
  type: 'text';
  run: (values: ValueOf) => string;
}

export interface BooleanPart {
  type: 'boolean';
  run: (values: ValueOf) => boolean;
  /** How far the values are from giving the wanted result; 0 if they give it. */
  lack: (values: ValueOf, wanted: boolean) => number;
  /** For each equality of numbers that must hold if the part is true: the inputs that its sides follow. */
  equations: readonly (readonly string[])[];
}

/** A compiled part of an expression: the type of its value, and the function that computes it. */
export type Part = NumberPart | TextPart | BooleanPart;
