/** `.ci/run` starts this file to make the Python of the tests beside its other steps. */
import { pythonOfGallery, pythonOfTests } from './python.ts';

const say = (line: string): boolean => process.stderr.write(`${line}\n`);
await Promise.all([pythonOfTests(say), pythonOfGallery(say)]);
