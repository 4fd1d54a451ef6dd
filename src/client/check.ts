import type { PointFile } from '../campaign/designs/table.ts';
import type { Campaign } from '../campaign/types.ts';
import type { CloudClient } from '../cloud/index.ts';
import {
  type DefinitionSource,
  fileOf,
  type ResolvedDefinition,
  resolveDefinition,
} from '../resolve/index.ts';
import { FilesOnDisk } from './files.ts';

/** A definition that can be submitted: resolved against the model's version, with the files that it names. */
export interface CheckedCampaign extends ResolvedDefinition {
  /** Content of the files, by hash. */
  contents: ReadonlyMap<string, Uint8Array>;
  /** Files of points, by their path as it is written. */
  pointFiles: Record<string, PointFile>;
}

/**
 * Reads a definition and every file it names, and checks all of it against the model's version at the service.
 * Nothing is written or started.
 *
 * @param pinned the version that `latest` is to mean, of a campaign that has begun
 * @throws ForayError with the place in the definition
 */
export async function checkCampaign(
  cloud: CloudClient,
  source: DefinitionSource,
  pinned?: Campaign['model'],
): Promise<CheckedCampaign> {
  const files = new FilesOnDisk(fileOf(source));
  const resolved = await resolveDefinition(cloud, source, files, pinned);
  return { ...resolved, contents: files.contents, pointFiles: files.points };
}
