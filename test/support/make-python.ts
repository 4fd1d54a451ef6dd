/** `.ci/run` starts this file to make the Python of the tests in parallel with its other steps. */
import { pythonOfTests } from './python.ts';

await pythonOfTests((line) => process.stderr.write(`${line}\n`));
