import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { healthOf, outputsOf, requestRun, startTestService, temporaryFolder, until } from './support.ts';

test.each([
  ['removed', (file: string) => rmSync(file), false],
  ['without its log', (file: string) => rmSync(`${file}-wal`), false],
  ['taken away and put back', (file: string) => renameSync(file, `${file}-aside`), true],
])(
  'a service whose database is %s accepts no run meanwhile, says why, and goes on with the same file',
  async (_what, lose, isBack) => {
    const lines: string[] = [];
    const service = await startTestService({ onProblem: (line) => lines.push(line) });
    const version = await service.latest('Rehearsal');
    await outputsOf(service, version, { Value: 1 });
    const file = path.join(service.dataDir, 'service.db');
    lose(file);
    const codes = async () => (await healthOf(service.running.url)).problems.map(({ code }) => code);
    await until(async () => (await codes()).includes('DATABASE_LOST') || undefined, 'the loss in the health');
    expect((await requestRun(service, version, { Value: 2 })).status).toBe(503);
    expect(lines).toContainEqual(
      expect.stringContaining(`The database ${file} or its log (-wal) was removed or replaced.`),
    );
    if (!isBack) return;
    renameSync(`${file}-aside`, file);
    await until(async () => ((await codes()).length === 0 ? true : undefined), 'the end of the problem');
    expect((await outputsOf(service, version, { Value: 2 })).size).toBeGreaterThan(0);
  },
);

test('a service whose database is away while its log is there does not start with an empty database', async () => {
  const dataDir = temporaryFolder();
  writeFileSync(path.join(dataDir, 'service.db-wal'), '');
  await expect(startTestService({ dataDir })).rejects.toMatchObject({ code: 'STORE_LOST' });
  expect(existsSync(path.join(dataDir, 'service.db'))).toBe(false);
});
