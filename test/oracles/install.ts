import { resolve } from 'node:path';
import { pythonWith } from '../support/python.ts';

/** Installs SALib for the bench of sensitivity analysis. Returns the path of the Python program that can use SALib. */
export async function pythonWithSalib(say?: (line: string) => void): Promise<string> {
  const bin = await pythonWith('salib', resolve(import.meta.dirname, 'salib-requirements.txt'), say);
  return resolve(bin, 'python');
}
