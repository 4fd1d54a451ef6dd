import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { knownProgram } from '../dev/temporal-program.ts';

/** What package.json says of foray. */
export const { version, description } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string; description: string };

/** The versions of foray and of what it stands on, and where its parts are, a line each. */
export function versionText(): string {
  const require = createRequire(import.meta.url);
  const { version: sdk } = require('@temporalio/client/package.json') as { version: string };
  const server = knownProgram(process.env) ?? 'none yet; "foray dev" gets one';
  return [
    `foray ${version} (${resolve(import.meta.dirname, '../..')})`,
    `Node ${process.versions.node} (${process.execPath})`,
    `Temporal SDK ${sdk}`,
    `Temporal server: ${server}`,
  ].join('\n');
}
