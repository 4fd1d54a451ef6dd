import { join } from 'node:path';
import type { WorkflowBundlePath } from '@temporalio/worker';
import { bundles } from '../../src/dev/workflow-bundle.ts';
import { PROGRAM } from './program.ts';

/**
 * The workflows of the program that is built before the tests. The bundle of a checkout would be made again in each
 * process of Jest, and each test file would compare it with the source.
 */
export function builtWorkflowBundle(of: keyof typeof bundles = 'campaigns'): WorkflowBundlePath {
  return { codePath: join(PROGRAM, 'dist', `${bundles[of].file}.js`) };
}
