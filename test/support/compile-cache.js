import v8 from 'node:v8';
import vm from 'node:vm';

/**
 * Keeps V8's compiled code for the next test file of this process. Jest evaluates all modules again for each file,
 * because each file has its own global object. Without this cache, V8 would also parse all modules again. This takes
 * 0.17 CPU seconds in a file that starts a world (world.ts).
 *
 * V8's own cache is off, because it would keep the code of all earlier test files, 5 MB for each file.
 */
export function keepCompiledCode() {
  v8.setFlagsFromString('--no-compilation-cache');
  const { compileFunction, SourceTextModule } = vm;
  const functions = new Compiled();
  const modules = new Compiled();

  // Jest uses this function for CommonJS modules
  vm.compileFunction = (code, parameters, options) => {
    const cachedData = functions.get(options.filename, code);
    const compiled = compileFunction(code, parameters, {
      ...options,
      ...(cachedData ? { cachedData } : { produceCachedData: true }),
    });
    if (compiled.cachedData) functions.set(options.filename, code, compiled.cachedData);
    return compiled;
  };

  // Jest uses this class for ES modules
  vm.SourceTextModule = class extends SourceTextModule {
    constructor(code, options) {
      const cachedData = modules.get(options.identifier, code);
      super(code, cachedData ? { ...options, cachedData } : options);
      if (!cachedData) modules.set(options.identifier, code, this.createCachedData());
    }
  };
}

/** V8's compiled code by file. `get` compares the whole text, because V8 compares only the length of the text. */
class Compiled {
  #byFile = new Map();

  get(file, code) {
    const kept = this.#byFile.get(file);
    return kept?.code === code ? kept.data : undefined;
  }

  set(file, code, data) {
    this.#byFile.set(file, { code, data });
  }
}
