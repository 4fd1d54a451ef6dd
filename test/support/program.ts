import { join, resolve } from 'node:path';

/**
 * The folder of the program in the form of the package. It is built before the tests, because commands of a checkout
 * take more than twice as long to start.
 */
export const PROGRAM = resolve(import.meta.dirname, '../../node_modules/.cache/foray/program');

/** The command by which the tests start `foray`. */
export const MAIN = join(PROGRAM, 'src/cli/foray.mjs');
