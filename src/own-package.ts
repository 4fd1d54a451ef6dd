import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { publicModules } from './own-files.ts';

// a model or a definition may be anywhere, also where no package foray is installed, and gets that of the program that runs it
registerHooks({
  resolve: (specifier, context, next) => {
    // a package may be called as something that every object has
    const file = Object.hasOwn(publicModules, specifier) ? publicModules[specifier] : undefined;
    if (file !== undefined) return next(pathToFileURL(file).href, context);
    // what else it asks this package for is refused by its exports
    return next(
      specifier,
      specifier.startsWith('foray/') ? { ...context, parentURL: import.meta.url } : context,
    );
  },
});
