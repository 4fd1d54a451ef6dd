import type { PointFile } from '../campaign/designs/table.ts';
import type { Campaign } from '../campaign/types.ts';
import type { CloudClient } from '../cloud/index.ts';
import { type DefinitionSource, fileOf } from '../campaign/source.ts';
import { FilesOnDisk } from '../resolve/files/on-disk.ts';
import { UploadedFiles } from '../resolve/files/uploaded.ts';
import { type ResolvedDefinition, resolveDefinition } from '../resolve/index.ts';

/** A definition that can be submitted. It is resolved for one version of the model and has the files that it names. */
export interface CheckedCampaign extends ResolvedDefinition {
  /** The contents of the files, by hash. */
  contents: ReadonlyMap<string, Uint8Array>;
  /** Point files, by the path in the definition. */
  pointFiles: Record<string, PointFile>;
}

/**
 * Reads a definition and every file that it names, and checks all of it against the model's version at the service.
 * Writes and starts nothing.
 *
 * @param pinned - the version that `latest` means for a campaign that has started
 * @throws ForayError with the place in the definition
 */
export async function checkCampaign(
  cloud: CloudClient,
  source: DefinitionSource,
  pinned?: Campaign['model'],
): Promise<CheckedCampaign> {
  const files =
    source.uploads === undefined ? new FilesOnDisk(fileOf(source)) : new UploadedFiles(source.uploads);
  const resolved = await resolveDefinition(cloud, source, files, pinned);
  return { ...resolved, contents: files.contents, pointFiles: files.points };
}
