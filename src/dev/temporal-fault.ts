import { FREE_SPACE } from '../system/disk-full.ts';

/**
 * Finds a fault of the database in the output of Temporal's server. Its messages do not name the file.
 *
 * @param file - the database of Temporal's server
 */
export function temporalFault(file: string, output: string): string | undefined {
  if (/database disk image is malformed|file is not a database/.test(output))
    return `Its database ${file} is damaged. Move it away, and start again: "foray retry ID" then continues an open campaign.`;
  if (output.includes('database or disk is full'))
    return `The disk of its database ${file} is full. ${FREE_SPACE}`;
  return undefined;
}
