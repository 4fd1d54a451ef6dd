import { fileIn, type FileReference } from '../api/index.ts';
import type { CampaignOutput } from './types.ts';

/**
 * The largest output file that is kept, in bytes. A larger file stays a reference, because a kept file is held in
 * memory and in a column of the database.
 */
export const MOST_KEPT_BYTES = 64 * 1_048_576;

/** The references to files at the service in the outputs of a run, by name. */
export function filesOfRun(
  outputs: readonly CampaignOutput[],
  values: Readonly<Record<string, string>>,
): Map<string, FileReference> {
  const found = outputs.flatMap(({ name, type }): [string, FileReference][] => {
    const file = type === 'OUTPUT_FILE' ? fileIn(values[name]) : undefined;
    return file ? [[name, file]] : [];
  });
  return new Map(found);
}
