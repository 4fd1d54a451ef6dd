import type { InputType } from '../../api/constants.ts';
import { canonicalValue, type RawValue, ValueError } from '../../api/values.ts';

/** What a model's declaration allows for an input, beside its type. */
export interface Allowed {
  type: InputType;
  min?: number | undefined;
  max?: number | undefined;
  values?: readonly RawValue[] | undefined;
}

/** @throws ValueError when a canonical value is not one that is allowed */
export function checkAllowed({ type, min, max, values }: Allowed, canonical: string): void {
  const number = Number(canonical);
  if (min !== undefined && number < min) throw new ValueError(`is ${canonical}, and must be at least ${min}`);
  if (max !== undefined && number > max) throw new ValueError(`is ${canonical}, and must be at most ${max}`);
  const known = values?.map((value) => canonicalValue(type, value));
  if (known && !known.includes(canonical)) {
    throw new ValueError(`is ${JSON.stringify(canonical)}, and must be one of ${known.join(', ')}`);
  }
}
