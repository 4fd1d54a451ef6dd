import { realpathSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { publicModules } from './own-files.ts';

interface ClosedFolder {
  /** The beginning of the URLs of the folder's files. */
  beginning: string;
  /** The files that its modules get when they import this package, by the imported name. */
  modules: Readonly<Record<string, string>>;
}

const closed = new Map<string, ClosedFolder>();

/**
 * Closes a folder: its modules get the given files when they import this package. They cannot import other files from
 * outside the folder, except installed packages.
 *
 * @param modules - files by the imported name
 */
export function closeFolder(folder: string, modules: Readonly<Record<string, string>>): void {
  const beginning = pathToFileURL(`${realpathSync(folder)}${sep}`).href;
  closed.set(beginning, { beginning, modules: { ...publicModules, ...modules } });
}

function closedFolderOf(importer: string | undefined): ClosedFolder | undefined {
  if (importer === undefined || closed.size === 0) return undefined;
  return [...closed.values()].find(({ beginning }) => importer.startsWith(beginning));
}

function isElsewhere(url: string, { beginning }: ClosedFolder): boolean {
  return url.startsWith('file:') && !url.startsWith(beginning) && !url.includes('/node_modules/');
}

// A model or a definition may be in a folder in which the package foray is not installed. It then gets the package of
// the running program.
registerHooks({
  resolve: (specifier, context, next) => {
    const folder = closedFolderOf(context.parentURL);
    const modules = folder?.modules ?? publicModules;
    // a package may have the name of a property that every object has
    const file = Object.hasOwn(modules, specifier) ? modules[specifier] : undefined;
    if (file !== undefined) return next(pathToFileURL(file).href, context);
    // Node throws an error for a name of this package that its "exports" do not list
    const found = next(
      specifier,
      specifier.startsWith('foray/') ? { ...context, parentURL: import.meta.url } : context,
    );
    if (folder && isElsewhere(found.url, folder)) {
      throw new Error(`it imports ${specifier}, which is not stored with the version of the model`);
    }
    return found;
  },
});

// `npm install` writes a package.json without "type". Node then warns about each module in this folder that has an
// "import". The warning is dropped, because definitions and models run anyway.
const warn = process.emitWarning.bind(process) as (...given: unknown[]) => void;
process.emitWarning = (...given: unknown[]): void => {
  const [, options] = given as [unknown, { code?: unknown } | undefined];
  if (options?.code !== 'MODULE_TYPELESS_PACKAGE_JSON') warn(...given);
};
