import { join, resolve } from 'node:path';

/** The program as the package has it, built before the tests. Commands of a checkout take more than twice as long to start. */
export const PROGRAM = resolve(import.meta.dirname, '../../node_modules/.cache/foray/program');

/** `foray` as the tests start it. */
export const MAIN = join(PROGRAM, 'src/cli/foray.mjs');
