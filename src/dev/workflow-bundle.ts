import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
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
  // in the first line, as the bundle's source map counts lines
  const mark = `/* ${sourceHash(PACKAGE)} */`;
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

/**
 * Changes with every module that may be a part of the bundle, and with the packages that are installed: what npm wrote beside
 * them, as package-lock.json may be newer than they are.
 *
 * @param folder a checkout
 */
export function sourceHash(folder: string): string {
  const hash = createHash('sha256');
  const locks = ['package-lock.json', 'node_modules/.package-lock.json'];
  const files = [
    // other package managers write neither
    ...locks.filter((file) => existsSync(join(folder, file))),
    ...globSync('src/**/*.ts', { cwd: folder }).sort(),
  ];
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(folder, file)));
  return hash.digest('hex');
}
