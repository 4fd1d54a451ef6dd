import vm from 'node:vm';

/**
 * Keeps what V8 compiled, for the next test file of this process. Jest evaluates all modules again for each file, because
 * each file has its own global object. Without a cache, V8 also parses them again: 0.17 CPU seconds for a file that starts
 * a world.
 */
export function keepCompiledCode() {
  const { compileFunction, SourceTextModule } = vm;
  const functions = new Compiled();
  const modules = new Compiled();

  // for CommonJS modules
  vm.compileFunction = (code, parameters, options) => {
    const cachedData = functions.get(options.filename, code);
    const compiled = compileFunction(code, parameters, {
      ...options,
      ...(cachedData ? { cachedData } : { produceCachedData: true }),
    });
    if (compiled.cachedData) functions.set(options.filename, code, compiled.cachedData);
    return compiled;
  };

  // for ES modules
  vm.SourceTextModule = class extends SourceTextModule {
    constructor(code, options) {
      const cachedData = modules.get(options.identifier, code);
      super(code, cachedData ? { ...options, cachedData } : options);
      if (!cachedData) modules.set(options.identifier, code, this.createCachedData());
    }
  };
}

/** What V8 compiled from a file, as long as the file has the same text. V8 itself compares only the length. */
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
