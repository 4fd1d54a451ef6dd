import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { fileIn } from '../../../src/api/index.ts';
import { epidemic, folder, KEEP, LINK, results, submit, world } from '../epidemic-files.ts';

describe('foray results --files', () => {
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');

  test('writes files, and their paths in CSV and JSON lines; later it writes only files that are missing or have changed', async () => {
    await submit(epidemic([2.01, 2.02], KEEP), 'flu');
    await submit(epidemic([2.01, 2.02], LINK), 'linked');
    const rows = await world.rows('flu');
    for (const id of ['flu', 'linked']) {
      const { code, stdout, stderr } = await results(id, '--files', `out/${id}`, '--format', 'csv');
      expect([code, stderr]).toEqual([0, `Wrote 2 files to out/${id}\n`]);
      const paths = rows.map(({ point }) => `out/${id}/${point}/1/Trajectory.csv`);
      expect(
        stdout
          .trim()
          .split('\n')
          .slice(1)
          .map((line) => line.split(',').at(-2)),
      ).toEqual(paths);
      for (const [at, path] of paths.entries()) {
        const { hash } = fileIn(rows[at]!.outputs.Trajectory)!;
        expect(createHash('sha256').update(read(path)).digest('base64url')).toBe(hash);
      }
      expect(readdirSync(join(folder, 'out', id, rows[0]!.point, '1'))).toEqual(['Trajectory.csv']);
    }
    // one of the written files changes
    const path = `out/linked/${rows[0]!.point}/1/Trajectory.csv`;
    const before = read(path);
    writeFileSync(join(folder, path), 'changed');
    const jsonl = await results('linked', '--files', 'out/linked', '--format', 'jsonl', '--long');
    expect(jsonl.stderr).toBe('Wrote 1 file to out/linked; 1 file existed\n');
    expect(read(path)).toBe(before);
    expect(jsonl.stdout).toContain(`"output":"Trajectory","units":null,"value":null,"text":"${path}"`);
    const followed = await results('flu', '--files', 'out/flu', '--format', 'csv', '--follow');
    expect([followed.code, followed.stderr]).toEqual([0, 'Wrote 0 files to out/flu; 2 files existed\n']);
    expect(followed.stdout).toContain(`,out/flu/${rows[0]!.point}/1/Trajectory.csv,`);
    const parquet = await results('flu', '--files', join(folder, 'abs'), '-o', 'flu.parquet');
    expect(parquet.stderr).toMatch(/^Wrote flu\.parquet\nWrote 2 files to \/.*abs\n$/);
  });

  test('writes kept files that the service has lost, and reports other files that are missing at the service', async () => {
    for (const [id, outputs] of [
      ['safe', KEEP],
      ['unsafe', LINK],
    ] as const)
      await submit(epidemic([2.11, 2.12], outputs), id);
    rmSync(join(world.folder, 'service/files'), { recursive: true });
    const safe = await results('safe', '--files', 'safe', '--format', 'csv');
    expect([safe.code, safe.stderr]).toEqual([0, 'Wrote 2 files to safe\n']);
    const unsafe = await results('unsafe', '--files', 'unsafe', '--format', 'jsonl');
    expect(unsafe.code).toBe(1);
    expect(unsafe.stderr).toBe(
      'Wrote 0 files to unsafe\n2 files could not be fetched; the table has references instead:\n' +
        '  2 × The model service does not have the file.\n',
    );
    expect(unsafe.stdout).toContain('"Trajectory":"{\\"hash\\"');
  });
});
