import { extname, join, resolve } from 'node:path';

/** The extension of this program's modules: `.ts` in a checkout, because it runs from source, `.js` in the package. */
const EXTENSION = extname(import.meta.filename);

/** The folder of the modules: the checkout, or `dist` in the package. Both have the same subfolders. */
const MODULES = resolve(import.meta.dirname, '../..');

/** Whether this program runs from the package; false in a checkout. */
export const isBuilt = EXTENSION === '.js';

/** The folder of package.json. */
export const PACKAGE = isBuilt ? resolve(MODULES, '..') : MODULES;

/** The path of a module. The name has no extension, and is relative to the folder of the modules. */
export function ownModule(name: string): string {
  return ownFile(`${name}${EXTENSION}`);
}

/** The path of a file or folder beside the modules. */
export function ownFile(name: string): string {
  return join(MODULES, name);
}

/** The public modules of this package, by the names of its exports. */
export const publicModules: Readonly<Record<string, string>> = {
  foray: ownModule('src/index'),
  'foray/model': ownModule('src/service/models/model'),
  'foray/kernel': ownModule('models/kernel/index'),
};
