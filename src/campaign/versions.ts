import type { Campaign, ModelVersion } from './types.ts';

type Versioned = Pick<Campaign, 'model' | 'versions'>;

/**
 * The version of the model that a run was requested with.
 *
 * @param version the number of the version; null for a run with the campaign's first version
 */
export function versionOf({ model, versions = [model] }: Versioned, version: number | null): ModelVersion {
  const found = version === null ? versions[0] : versions.find((one) => one.version === version);
  return found ?? model;
}

/**
 * The number of the version that the store records for a newly requested run; null if the campaign has had only one
 * version.
 */
export function versionNow({ model, versions }: Versioned): number | null {
  return versions ? model.version : null;
}

/** The versions of a campaign after it changed to another version. */
export function versionsWith(
  { model, versions = [onlyVersion(model)] }: Versioned,
  next: ModelVersion,
): ModelVersion[] {
  return [...versions, onlyVersion(next)];
}

/** A version without the other fields of a model. */
function onlyVersion({ versionId, version }: ModelVersion): ModelVersion {
  return { versionId, version };
}
