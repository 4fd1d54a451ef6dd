import { appendFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import circus from 'jest-circus/runner';
import { cpuSeconds, CPU_OF_FILES } from './cpu-of-files.js';

const require = createRequire(import.meta.url);
const urlOf = (...parts) => pathToFileURL(join(import.meta.dirname, ...parts)).href;

const TESTS = urlOf('..', '/');
/** What stands for `@jest/globals`. */
const GLOBALS = urlOf('globals.js');
/** A module of src, and what stands for it in tests. */
const OWN_FILES = urlOf('../../src/package/own-files.ts');
const OWN_FILES_OF_TESTS = urlOf('own-files.ts');
/** The property of the global object in which circus keeps its event handlers. */
const HANDLERS = Symbol.for('EVENT_HANDLERS');

/** The number of test files that this process has begun. */
let begun = 0;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: `${GLOBALS}?${begun}`, shortCircuit: true };
    const found = next(specifier, context);
    if (found.url === OWN_FILES_OF_TESTS || context.parentURL === OWN_FILES_OF_TESTS) return found;
    if (found.url === OWN_FILES) return { ...found, url: OWN_FILES_OF_TESTS };
    return found.url.startsWith(TESTS) ? { ...found, url: `${found.url}?${begun}` } : found;
  },
});

/**
 * Runs a test file with Jest's own circus, but Node loads its modules. Jest would evaluate all packages and all modules of
 * `src` again for each test file, in a global object of its own, which took a quarter of the CPU time of the tests. Node
 * evaluates them once in each process. Modules of `test` are evaluated for each test file, because some have hooks.
 *
 * So the test files of a process share the global object and what modules of `src` keep. After each file, its mocks end
 * (environment.js), and the environment variables are as before.
 */
export default async function runner(globalConfig, config, environment, _runtime, testPath, sendMessage) {
  begun += 1;
  const cpuBefore = cpuSeconds();
  const variables = { ...process.env };
  const runtime = {
    requireInternalModule: loadAgain,
    requireModule: require,
    setGlobalsForRuntime: (globals) => {
      globalThis.globalsOfJest = { ...globals, jest: jestOf(environment) };
    },
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (file) => import(pathToFileURL(file).href),
    enterTestCode: () => {},
    leaveTestCode: () => {},
  };
  try {
    return await circus.default(globalConfig, config, environment, runtime, testPath, sendMessage);
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
    Object.assign(process.env, variables);
    const row = { file: testPath, seconds: cpuSeconds() - cpuBefore };
    appendFileSync(CPU_OF_FILES, `${JSON.stringify(row)}\n`);
  }
}

/** Loads a module of circus again, because it keeps the tests of the file before. */
function loadAgain(file) {
  delete globalThis[HANDLERS];
  delete require.cache[file];
  return require(file);
}

/** The functions of `jest` that tests use. */
function jestOf({ moduleMocker, fakeTimersModern: timers }) {
  return {
    spyOn: moduleMocker.spyOn.bind(moduleMocker),
    restoreAllMocks: moduleMocker.restoreAllMocks.bind(moduleMocker),
    useFakeTimers: timers.useFakeTimers.bind(timers),
    useRealTimers: timers.useRealTimers.bind(timers),
    advanceTimersByTimeAsync: timers.advanceTimersByTimeAsync.bind(timers),
    getTimerCount: timers.getTimerCount.bind(timers),
  };
}
