/** A value of an input, or of an expression. A date is a text in ISO form. */
export type Value = number | string | boolean;

export type ValueType = 'number' | 'text' | 'boolean';

/** Gives an expression the values of inputs, by their names as the model spells them. */
export type Values = (name: string) => Value;

/** A compiled part of an expression: the type of its value, and the function that computes it. */
export interface Part {
  type: ValueType;
  run: (values: Values) => Value;
}
