/** A value of an input, or of an expression. A date is a text in ISO form. */
export type Value = number | string | boolean;

export type ValueType = 'number' | 'text' | 'boolean';

/** How an expression gets the values of inputs, by the names that the model spells. */
export type Values = (name: string) => Value;

/** A part of an expression: what it gives, and how. */
export interface Part {
  type: ValueType;
  run: (values: Values) => Value;
}
