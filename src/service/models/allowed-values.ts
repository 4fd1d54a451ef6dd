import { type Allowed, checkAllowed as checkCanonical } from '../../api/allowed-values.ts';
import type { InputType } from '../../api/constants.ts';
import { canonicalValue, type RawValue } from '../../api/values.ts';

/** The allowed values of an input, as the model's declaration writes them. */
export interface DeclaredAllowed extends Omit<Allowed, 'values'> {
  type: InputType;
  values?: readonly RawValue[] | undefined;
}

/** The allowed values of an input, with the listed values in canonical form. */
export function allowedOf({ type, min, max, values }: DeclaredAllowed): Allowed {
  return {
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(values && { values: values.map((value) => canonicalValue(type, value)) }),
  };
}

/** @throws ValueError if a canonical value is not allowed */
export function checkAllowed(declared: DeclaredAllowed, canonical: string): void {
  checkCanonical(allowedOf(declared), canonical);
}
