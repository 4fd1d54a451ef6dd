import { createHash } from 'node:crypto';
import type { ExperimentType } from '../../api/constants.ts';
import type { InputItem, RequestInputItem } from '../../api/resources.ts';
import { canonicalValue, nameKey, ValueError } from '../../api/values.ts';
import { ServiceError } from '../errors.ts';

/** Canonical values of all inputs of a version, by input name, in the template's order. */
export type CanonicalInputs = Record<string, string>;

/**
 * The inputs that a request asks for: names matched trimmed and ignoring case, of a repeated name the first, omitted
 * ones at the template's defaults, values canonical by the template's type whatever type the request states.
 *
 * @throws ServiceError UNKNOWN_INPUT or INVALID_VALUE naming the input
 */
export function canonicalInputs(
  template: readonly InputItem[],
  requested: readonly RequestInputItem[],
): CanonicalInputs {
  const known = new Set(template.map(({ name }) => nameKey(name)));
  const given = new Map<string, RequestInputItem['value']>();
  for (const { name, value } of requested) {
    const key = nameKey(name);
    if (!known.has(key)) throw new ServiceError('UNKNOWN_INPUT', `The model has no input "${name}".`);
    if (!given.has(key)) given.set(key, value);
  }
  return Object.fromEntries(
    template.map(({ name, type, value }) => {
      const raw = given.get(nameKey(name));
      return [name, raw === undefined ? value : canonicalOrRefuse(name, type, raw)];
    }),
  );
}

/** SHA-256 of what makes two requests the same run. */
export function identityOf(
  versionId: string,
  experimentType: ExperimentType,
  inputs: CanonicalInputs,
): string {
  const canonical = JSON.stringify([versionId, experimentType, Object.entries(inputs)]);
  return createHash('sha256').update(canonical).digest('hex');
}

function canonicalOrRefuse(name: string, type: InputItem['type'], raw: RequestInputItem['value']): string {
  try {
    return canonicalValue(type, raw);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new ServiceError('INVALID_VALUE', `The value of "${name}" (${type}) ${error.message}.`);
  }
}
