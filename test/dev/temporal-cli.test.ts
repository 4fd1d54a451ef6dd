import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { findTemporalCli } from '../../src/dev/temporal-cli.ts';
import { knownProgram } from '../../src/dev/temporal-program.ts';
import { testFolder } from '../support/test-folder.ts';

let folder: string;
beforeEach(() => void (folder = testFolder()));

function program(...path: string[]): string {
  const file = join(folder, ...path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
  return file;
}

const silent = (): void => undefined;

test('FORAY_TEMPORAL_CLI is used before all other programs', async () => {
  const named = program('named', 'my-temporal');
  program('bin', 'temporal');
  const env = { FORAY_TEMPORAL_CLI: named, PATH: join(folder, 'bin') };
  expect(await findTemporalCli(silent, env)).toBe(named);
});

test('it is an error if FORAY_TEMPORAL_CLI is not a program; foray tries nothing else', async () => {
  program('temporal');
  const env = { FORAY_TEMPORAL_CLI: join(folder, 'nothing'), PATH: folder };
  await expect(findTemporalCli(silent, env)).rejects.toMatchObject({ code: 'TEMPORAL_MISSING' });
});

test('the program on the path is used before the program in the cache', async () => {
  const onPath = program('bin', 'temporal');
  const cached = program('cache', 'foray', 'temporal');
  const cache = { XDG_CACHE_HOME: join(folder, 'cache') };
  expect(await findTemporalCli(silent, { ...cache, PATH: join(folder, 'bin') })).toBe(onPath);
  expect(await findTemporalCli(silent, { ...cache, PATH: join(folder, 'empty') })).toBe(cached);
});

test('an error says what to do if the program cannot be stored, for example because the user has no home folder', async () => {
  const env = { XDG_CACHE_HOME: '/dev/null', PATH: folder };
  await expect(findTemporalCli(silent, env)).rejects.toMatchObject({
    code: 'TEMPORAL_MISSING',
    hint: expect.stringContaining('XDG_CACHE_HOME'),
  });
});

test('a folder does not count as the program', () => {
  mkdirSync(join(folder, 'temporal'));
  expect(knownProgram({ PATH: folder, XDG_CACHE_HOME: folder })).toBeUndefined();
});
