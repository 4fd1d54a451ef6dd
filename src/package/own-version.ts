import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE } from './own-files.ts';

/** The version and the description of foray, from package.json. */
export const { version, description } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as {
  version: string;
  description: string;
};
