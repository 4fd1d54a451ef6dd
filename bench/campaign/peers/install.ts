import { resolve } from 'node:path';
import { pythonWith } from '../../../test/support/python.ts';
import { progress } from '../lab.ts';

/** A Python of the bench's own that has the peers. */
export interface Peers {
  /** The folder with `python` and what the peers install beside it. */
  bin: string;
}

export async function installPeers(): Promise<Peers> {
  const requirements = resolve(import.meta.dirname, 'requirements.txt');
  return { bin: await pythonWith('bench-peers', requirements, progress) };
}
