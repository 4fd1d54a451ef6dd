import type { Campaign, ModelVersion } from './types.ts';

type Versioned = Pick<Campaign, 'model' | 'versions'>;

/**
 * The version of the model that a run was requested with.
 *
 * @param version its number; null of a run that has the campaign's first one
 */
export function versionOf({ model, versions = [model] }: Versioned, version: number | null): ModelVersion {
  return versions.find((one) => version === null || one.version === version) ?? model;
}

/** What is written of the version of a run that is requested now: its number once the campaign has had several. */
export function versionNow({ model, versions }: Versioned): number | null {
  return versions ? model.version : null;
}

/** The versions of a campaign that goes on with another one. */
export function versionsWith(
  { model, versions = [versionIn(model)] }: Versioned,
  next: ModelVersion,
): ModelVersion[] {
  return [...versions, versionIn(next)];
}

function versionIn({ versionId, version }: ModelVersion): ModelVersion {
  return { versionId, version };
}
