import { resolve } from 'node:path';
import { pythonWith } from '../../../test/support/python.ts';
import { progress } from '../lab.ts';

/** A Python environment for the bench with the alternatives installed. */
export interface Peers {
  /** The folder with `python` and the installed programs. */
  bin: string;
}

export async function installPeers(): Promise<Peers> {
  const requirements = resolve(import.meta.dirname, 'requirements.txt');
  return { bin: await pythonWith('bench-peers', requirements, progress) };
}
