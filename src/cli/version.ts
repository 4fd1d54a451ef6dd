import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PACKAGE } from '../own-files.ts';
import { knownProgram } from '../dev/temporal-program.ts';

/** What package.json says of foray. */
export const { version, description } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as {
  version: string;
  description: string;
};

/** The versions of foray and of what it stands on, and where its parts are, a line each. */
export function versionText(): string {
  const require = createRequire(import.meta.url);
  const { version: sdk } = require('@temporalio/client/package.json') as { version: string };
  const server = knownProgram(process.env) ?? 'none yet; "foray dev" gets one';
  return [
    `foray ${version} (${PACKAGE})`,
    `Node ${process.versions.node} (${process.execPath})`,
    `Temporal SDK ${sdk}`,
    `Temporal server: ${server}`,
  ].join('\n');
}
