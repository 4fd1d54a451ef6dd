import { resolve } from 'node:path';
import { Process, type ProcessOptions } from './process.ts';

/** The command line of this checkout. */
export const MAIN = resolve(import.meta.dirname, '../src/cli/main.ts');
/** The key with which the benches use a model service. */
export const KEY = 'bench-0000-4000-8000-000000000000';

/** A model service in a process of its own. */
export interface ModelService {
  process: Process;
  /** The root address of the interface. */
  url: string;
}

/** @param own registers the process, so that the bench always ends it */
export async function startModelService(
  { args, env }: Pick<ProcessOptions, 'args' | 'env'>,
  own: (started: Process) => Process,
): Promise<ModelService> {
  const flags = ['--port', '0', '--api-key', KEY];
  const started = own(
    new Process({ name: 'service', args: [MAIN, 'service', ...flags, ...args], ...(env && { env }) }),
  );
  const [, url] = await started.says(/^Model service\s+(\S+)/);
  return { process: started, url: url! };
}
