import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleOption } from '@temporalio/worker';
import { isBuilt, ownModule, PACKAGE } from '../package/own-files.ts';
import { version } from '../package/own-version.ts';
import { replaceFile } from '../system/replace-file.ts';

const INTERCEPTORS = '@temporalio/interceptors-opentelemetry/lib/workflow-interceptors.js';

/**
 * The bundles of workflows, each with the module of its workflows, its file in the package, and modules of interceptors:
 * for campaigns, for campaigns with traces, and for lanes (a lane keeps one executor on another machine at work). A worker
 * needs the code of its workflows in one file.
 */
export const bundles = {
  campaigns: { module: 'src/workflows/index', file: 'src/workflows/bundle', interceptors: [] },
  traced: {
    module: 'src/workflows/index',
    file: 'src/workflows/traced-bundle',
    interceptors: [INTERCEPTORS],
  },
  lanes: { module: 'src/service/fleet/lane-workflow', file: 'src/service/fleet/bundle', interceptors: [] },
} as const;

/**
 * Returns the bundle of the workflows. The package contains the bundle. In a checkout, webpack makes the bundle from
 * the source, which takes seconds. This bundle is reused until the source changes.
 */
export async function workflowBundle(of: keyof typeof bundles = 'campaigns'): Promise<WorkflowBundleOption> {
  const { module, file: built, interceptors } = bundles[of];
  if (isBuilt) return { codePath: ownModule(built) };
  const file = join(PACKAGE, `node_modules/.cache/foray/${of === 'campaigns' ? 'workflows' : of}.js`);
  // the mark is put into the first line of the bundle, because a new line would shift its source map
  const mark = `/* ${sourceHash(PACKAGE)} */`;
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept.startsWith(mark)) return { code: kept };
  const code = mark + (await bundle(ownModule(module), interceptors));
  try {
    await mkdir(dirname(file), { recursive: true });
    await replaceFile(file, code);
  } catch {
    // if the folder is not writable, the next worker makes the bundle again
  }
  return { code };
}

/**
 * The id of a build: foray's version, and a hash of the code of the workflows. The marks of the bundle and its source map
 * are left out, because they differ between checkouts.
 */
export async function buildIdOf(bundle: WorkflowBundleOption): Promise<string> {
  const code = 'code' in bundle ? bundle.code : await readFile(bundle.codePath, 'utf8');
  const bare = code.replace(/^\/\*.*?\*\//, '').replace(/\/\/# sourceMappingURL=\S*\s*$/, '');
  return `${version}-${createHash('sha256').update(bare).digest('hex').slice(0, 12)}`;
}

/**
 * Makes a bundle with webpack.
 *
 * @param workflows - the path of the module that exports the workflows
 * @param interceptors - modules of packages with interceptors of workflows
 */
export async function bundle(workflows: string, interceptors: readonly string[] = []): Promise<string> {
  const { resolve } = createRequire(import.meta.url);
  const { code } = await bundleWorkflowCode({
    workflowsPath: workflows,
    workflowInterceptorModules: interceptors.map((name) => resolve(name)),
    logger: new DefaultLogger('ERROR'),
  });
  return code;
}

/**
 * A hash that changes with every module that may be part of the bundle, and with the installed packages. The hash
 * includes the lock file that npm writes into node_modules, because package-lock.json may be newer than the packages.
 *
 * @param folder - the folder of a checkout
 */
export function sourceHash(folder: string): string {
  const hash = createHash('sha256');
  const locks = ['package-lock.json', 'node_modules/.package-lock.json'];
  const files = [
    // other package managers write neither lock file
    ...locks.filter((file) => existsSync(join(folder, file))),
    ...globSync('src/**/*.ts', { cwd: folder }).sort(),
  ];
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(folder, file)));
  return hash.digest('hex');
}
