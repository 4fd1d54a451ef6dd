import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import type { Pruned, VersionSummary } from '../../../src/api/extensions.ts';
import { writeCommandModel } from '../../service/command-model.ts';
import {
  KEY,
  outputsOf,
  startTestService,
  temporaryFolder,
  until,
  versionsOf,
} from '../../service/support.ts';
import { foray } from '../../support/cli.ts';

test('old versions can be listed, run by hand and pruned', async () => {
  const models = temporaryFolder();
  const write = (factor: number) =>
    writeCommandModel(models, 'Echo', `say({ outputs: { Out: inputs.N * ${factor} } });`);
  write(1);
  const service = await startTestService({ modelDirs: [models] });
  const first = await service.latest('Echo');
  await outputsOf(service, first, { N: 2 });
  write(2);
  await until(async () => (await versionsOf(service, 'Echo')).length === 2 || undefined, 'version 2');
  // the local time of the command is 12 hours behind the times of versions, which are in UTC
  const env = { FORAY_SERVICE_URL: service.running.url, FORAY_API_KEY: KEY, TZ: 'Etc/GMT+12' };
  const run = (...args: string[]) => foray(models, ['models', ...args], { env });
  const { dataDir } = service;

  const listed = await run('versions', 'echo');
  const [, title, head, one, two] = listed.stdout.split('\n');
  expect([title, head]).toEqual([
    'Versions of Echo',
    expect.stringMatching(/version +made +state +size +runs/),
  ]);
  expect(one).toMatch(/^ {2}1 +\d{4}-\S+ \d\d:\d\d +kept +[\d.]+ K?B +1$/);
  expect(two).toMatch(/^ {2}2 +\S+ \S+ +current /);
  const asJson = JSON.parse((await run('versions', 'Echo', '--json')).stdout) as VersionSummary[];
  expect(asJson).toEqual(await versionsOf(service, 'Echo'));

  const checked = async (...args: string[]) => {
    const { stdout } = await run('check', ...args, '--data', dataDir, '--input', 'N=5', '--json');
    return (JSON.parse(stdout) as [{ outputs: { Out: number } }])[0].outputs.Out;
  };
  expect(await checked('Echo', '--version', '1')).toBe(5);
  expect(await checked('Echo')).toBe(10);
  // a folder of the given name must be a valid model; if there is no such folder, foray finds the model by its name
  writeFileSync(path.join(models, 'Echo', 'model.yaml'), 'name: [');
  expect((await run('check', 'Echo', '--version', '1', '--data', dataDir)).code).toBe(2);
  rmSync(path.join(models, 'Echo'), { recursive: true });
  expect(await checked('echo', '--version', '2')).toBe(10);
  write(2);

  for (const [flags, code, message] of [
    [['--version', '9', '--data', dataDir], 2, /no version 9 of a model "Echo"/],
    [['--version', '1', '--data', 'nowhere'], 2, /no data of a model service in .*nowhere/],
    [['--version', '0'], 2, /--version/],
  ] as const) {
    const { code: ended, stderr } = await run('check', 'Echo', ...flags);
    expect([ended, stderr]).toEqual([code, expect.stringMatching(message)]);
  }

  expect((await run('prune', 'Echo')).stderr).toContain('either --keep or --before');
  expect((await run('prune', 'Echo', '--before', 'May')).code).toBe(2);
  const asked = await run('prune', 'Echo', '--keep', '1');
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
  const [made] = /\d{4}-\d\d-\d\d \d\d:\d\d/.exec(one!)!;
  for (const before of [made, `${made.replace(' ', 'T')}:00.000+00:00`]) {
    const early = await run('prune', 'Echo', '--before', before, '--yes', '--json');
    expect(JSON.parse(early.stdout)).toEqual({ pruned: [], busy: [], bytes: 0 } satisfies Pruned);
  }
  // foray asks for no confirmation when there is nothing to prune
  for (const flags of [
    ['--before', '2020-01-01'],
    ['--keep', '2'],
  ]) {
    const { code, stdout } = await run('prune', 'Echo', ...flags);
    expect([code, stdout]).toEqual([0, 'Echo has no such old version to prune.\n']);
  }
  const pruned = await run('prune', 'Echo', '--keep', '1', '--yes');
  expect(pruned.stdout).toMatch(/^Version 1 pruned; [\d.]+ K?B freed\.\n$/);
  expect((await run('versions', 'Echo')).stdout).toMatch(/ 1 .* retired .* its files were pruned\n/);
  const retired = await run('check', 'Echo', '--version', '1', '--data', dataDir);
  expect([retired.code, retired.stderr]).toEqual([
    2,
    expect.stringContaining('Version 1 of "Echo" cannot be run: its files were pruned'),
  ]);
});
