import path from 'node:path';
import { type Described, MODULE_LOAD_LIMIT, printedBy } from './describe.ts';
import { filesOf, isModule, isPython, type ModelCode, PYTHON_HELPER } from './folder.ts';
import { withOwnCopy } from './own-copy.ts';
import { programOf } from './program.ts';
import { buildIn } from './python-build.ts';

/**
 * The Python and the packages with which the program of a declared model is loaded. The program says them if it uses
 * `serve` of foray_model.py, which is then a file of the model. It is loaded in a copy of the model, because a program
 * may write into its folder.
 *
 * @returns undefined for other models, and if the program cannot be loaded here: an executor elsewhere may have what it
 *   needs
 * @throws ForayError MODEL_UNREADABLE
 */
export async function packagesOf(code: ModelCode, signal?: AbortSignal): Promise<Described['python']> {
  const isServed =
    !isModule(code.entry) &&
    !isPython(code.entry) &&
    filesOf(code).some(({ file }) => path.basename(file) === path.basename(PYTHON_HELPER));
  if (!isServed) return undefined;
  const { command, loop } = programOf(code);
  if (!loop) return undefined;
  return withOwnCopy(code, async (copy) => {
    const options = { modelFolder: copy, limit: MODULE_LOAD_LIMIT, signal };
    const printed = await printedBy(command, options).catch(() => {
      signal?.throwIfAborted();
      return '';
    });
    return readyIn(printed);
  });
}

/** What the line `{"ready": {…}}` says about Python, in what a program has printed. */
function readyIn(printed: string): Described['python'] {
  const line = printed.split('\n').find((each) => each.startsWith('{"ready":'));
  try {
    const { ready } = JSON.parse(line ?? '{}') as { ready?: Record<string, unknown> };
    const build = ready && buildIn(ready);
    return build && { ...build, program: String(ready['program']), folders: ready['folders'] as string[] };
  } catch {
    // the line is the program's own, and its first run will tell what is wrong with it
    return undefined;
  }
}
