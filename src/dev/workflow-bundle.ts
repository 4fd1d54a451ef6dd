import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleOption } from '@temporalio/worker';
import { isBuilt, ownModule, PACKAGE } from '../own-files.ts';
import { replaceFile } from '../replace-file.ts';

/** The code of all workflows in one file, as a worker needs it. */

/**
 * The package has the bundle that was made with it. A checkout bundles its source by webpack, which takes seconds, and keeps
 * the bundle until the source changes.
 */
export async function workflowBundle(): Promise<WorkflowBundleOption> {
  if (isBuilt) return { codePath: ownModule('src/workflows/bundle') };
  const file = join(PACKAGE, 'node_modules/.cache/foray/workflows.js');
  const mark = `// ${sourceHash()}\n`;
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept.startsWith(mark)) return { code: kept };
  const code = mark + (await bundle(ownModule('src/workflows/index')));
  try {
    await mkdir(dirname(file), { recursive: true });
    await replaceFile(file, code);
  } catch {
    // a folder that cannot be written to costs the next worker some seconds
  }
  return { code };
}

/** @param workflows the path of the module that exports the workflows */
export async function bundle(workflows: string): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: workflows,
    logger: new DefaultLogger('ERROR'),
  });
  return code;
}

/** Changes with every module that may be a part of the bundle, and with the versions of packages. */
function sourceHash(): string {
  const hash = createHash('sha256');
  for (const file of ['package-lock.json', ...globSync('src/**/*.ts', { cwd: PACKAGE }).sort()]) {
    hash.update(`${file}\n`).update(readFileSync(join(PACKAGE, file)));
  }
  return hash.digest('hex');
}
