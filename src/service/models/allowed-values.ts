import { type Allowed, checkAllowed as checkCanonical } from '../../api/allowed-values.ts';
import type { InputType } from '../../api/constants.ts';
import { canonicalValue, type RawValue } from '../../api/values.ts';

/** The allowed values of an input in a model's declaration, as written. */
export interface DeclaredAllowed extends Omit<Allowed, 'values'> {
  type: InputType;
  values?: readonly RawValue[] | undefined;
}

/** The allowed values of an input with canonical texts. */
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
