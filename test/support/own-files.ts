import { join } from 'node:path';
import * as own from '../../src/package/own-files.ts';
import { PROGRAM } from './program.ts';

/**
 * `src/package/own-files.ts` for the tests (jest.config.js). Threads start from the built program, as commands do,
 * because they need half the CPU time there.
 */

export const { isBuilt, PACKAGE, ownFile, publicModules } = own;

const THREADS = [
  'src/search/thread/course-thread',
  'src/server/jobs/job-thread',
  'src/server/live/gather-thread',
];

export function ownModule(name: string): string {
  return THREADS.includes(name) ? join(PROGRAM, 'dist', `${name}.js`) : own.ownModule(name);
}
