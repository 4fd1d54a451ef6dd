import { createRequire } from 'node:module';
import { PACKAGE } from '../package/own-files.ts';
import { version } from '../package/own-version.ts';
import { knownProgram } from '../dev/temporal-program.ts';

/** The versions of foray and of its main parts, one line each. Most lines also have the path of the part. */
export function versionText(): string {
  const require = createRequire(import.meta.url);
  const { version: sdk } = require('@temporalio/client/package.json') as { version: string };
  const server = knownProgram(process.env) ?? 'none yet; "foray dev" downloads or builds it';
  return [
    `foray ${version} (${PACKAGE})`,
    `Node ${process.versions.node} (${process.execPath})`,
    `Temporal SDK ${sdk}`,
    `Temporal server: ${server}`,
  ].join('\n');
}
