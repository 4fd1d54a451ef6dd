import { appendFileSync } from 'node:fs';
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';
import { keepCompiledCode } from './compile-cache.js';
import { cpuSeconds, CPU_OF_FILES } from './cpu-of-files.js';
import { givePackages, loadPackages } from './packages.ts';

// this runs once in each process of Jest
keepCompiledCode();
const packages = await loadPackages();

/**
 * Jest's environment for Node with an ordinary global object. Jest's own global object is a proxy with interceptors.
 * Each `Math` or `Map` in a test goes through the interceptors, which made loops three times slower.
 */
export default class PlainEnvironment extends TestEnvironment {
  constructor(config, context) {
    const { createContext } = vm;
    const before = cpuSeconds();
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(config, context);
      givePackages(this.global, packages);
      this.noteCpu = () => {
        const row = { file: context.testPath, seconds: cpuSeconds() - before };
        appendFileSync(CPU_OF_FILES, `${JSON.stringify(row)}\n`);
      };
    } finally {
      vm.createContext = createContext;
    }
  }

  async teardown() {
    await super.teardown();
    this.noteCpu();
  }
}
