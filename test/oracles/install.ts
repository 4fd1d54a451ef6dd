import { resolve } from 'node:path';
import { pythonWith } from '../support/python.ts';

/** A Python with SimPy, Ciw and SciPy, for the tests and for the bench of the kernel. */
export async function pythonWithSimulators(say?: (line: string) => void): Promise<string> {
  const bin = await pythonWith('simulators', resolve(import.meta.dirname, 'requirements.txt'), say);
  return resolve(bin, 'python');
}

/** A Python with pandas, PyArrow and DuckDB, for the tests and for the bench of tables. */
export async function pythonWithTables(say?: (line: string) => void): Promise<string> {
  const bin = await pythonWith('tables', resolve(import.meta.dirname, 'tables-requirements.txt'), say);
  return resolve(bin, 'python');
}

/** A Python with SALib, for the bench of sensitivity analysis. */
export async function pythonWithSalib(say?: (line: string) => void): Promise<string> {
  const bin = await pythonWith('salib', resolve(import.meta.dirname, 'salib-requirements.txt'), say);
  return resolve(bin, 'python');
}
