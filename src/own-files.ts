import { extname, join, resolve } from 'node:path';

/** What the names of this program's modules end with: `.ts` in a checkout, which runs from source, `.js` in the package. */
const EXTENSION = extname(import.meta.filename);

/** The folder of the modules: the checkout, or `dist` of the package, which has the same folders. */
const MODULES = resolve(import.meta.dirname, '..');

/** Whether this is the package, and not a checkout. */
export const isBuilt = EXTENSION === '.js';

/** The folder of package.json. */
export const PACKAGE = isBuilt ? resolve(MODULES, '..') : MODULES;

/** The path of a module, which is named without its extension, from the folder of the modules. */
export function ownModule(name: string): string {
  return ownFile(`${name}${EXTENSION}`);
}

/** The path of a file or folder that lies beside the modules. */
export function ownFile(name: string): string {
  return join(MODULES, name);
}

/** What others may import of this package: the modules behind the names of its exports. */
export const publicModules: Readonly<Record<string, string>> = {
  foray: ownModule('src/index'),
  'foray/model': ownModule('src/service/models/model'),
  'foray/kernel': ownModule('models/kernel/index'),
};
