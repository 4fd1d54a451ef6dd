import { fileIn, type FileReference } from '../api/index.ts';
import type { CampaignOutput } from './types.ts';

/**
 * A file of an output that has more bytes is not kept, its value stays a reference: what is kept passes through memory whole, and
 * through a column of the database.
 */
export const MOST_KEPT_BYTES = 64 * 1_048_576;

/** What the outputs of a run refer to at the service, by name; a value that is no reference is left out. */
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
