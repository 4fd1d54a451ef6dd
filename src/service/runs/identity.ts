import { hash } from 'node:crypto';
import type { ExperimentType, InputType } from '../../api/constants.ts';
import type { InputItem } from '../../api/resources.ts';

/** Canonical values of all inputs of a version, by input name, in the template's order. */
export type CanonicalInputs = Record<string, string>;

/** The content of a request for a run. */
export interface Settings {
  experimentType: ExperimentType;
  inputs: CanonicalInputs;
  /** The range or random types of inputs that have one, by input name, in the template's order. */
  types: Record<string, InputType>;
}

/** The type of an input in a request: its range or random type, otherwise the template's type. */
export function typeIn({ types }: Pick<Settings, 'types'>, { name, type }: InputItem): InputType {
  return Object.hasOwn(types, name) ? types[name]! : type;
}

/** The SHA-256 of everything that makes two requests the same run. */
export function identityOf(versionId: string, { experimentType, inputs, types }: Settings): string {
  const parts = [versionId, experimentType, Object.entries(inputs)];
  if (Object.keys(types).length > 0) parts.push(Object.entries(types));
  return hash('sha256', JSON.stringify(parts));
}
