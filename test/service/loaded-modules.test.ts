import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { ownModule } from '../../src/package/own-files.ts';
import { SHIPPED_MODELS, temporaryFolder } from './support.ts';

/** The names of the packages that a program loads. */
function packagesOf(program: string): string[] {
  const hooked = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
    ${program}
    console.log(JSON.stringify(urls));`;
  // the program is in a file, because the processes of models inherit the flags of Node
  const file = path.join(temporaryFolder(), 'program.mjs');
  writeFileSync(file, hooked);
  const printed = execFileSync(process.execPath, [file], { encoding: 'utf8' });
  const urls = JSON.parse(printed) as string[];
  return [...new Set(urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))];
}

const moduleUrl = (name: string): string => JSON.stringify(pathToFileURL(ownModule(name)).href);

test('a service on one machine loads no packages for Temporal, PostgreSQL or S3', () => {
  const packages = packagesOf(`
    const { addService } = await import(${moduleUrl('src/cli/service')});
    const { startService } = await import(${moduleUrl('src/service/service')});
    const service = await startService({
      dataDir: ${JSON.stringify(temporaryFolder())}, modelDirs: [${JSON.stringify(SHIPPED_MODELS)}], executors: 1,
    });
    await service.close();`);
  expect(packages).toContain('fastify');
  // @temporalio/envconfig reads the settings of all commands, and connects to nothing
  const settings = ['@temporalio/envconfig', '@temporalio/common'];
  const heavy = packages.filter((name) => /temporal|^(pg|kysely|aws4fetch|got)/.test(name));
  expect(heavy.filter((name) => !settings.includes(name))).toEqual([]);
});
