import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { replaceFile } from '../../src/system/replace-file.ts';
import { ROOT } from '../support/cli.ts';
import { runModule, startModule } from '../support/module.ts';
import { smallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';
import { testFolder } from '../support/test-folder.ts';

const importIt = `import { replaceFile } from ${JSON.stringify(join(ROOT, 'src/system/replace-file.ts'))};`;

let folder: string;
let file: string;
beforeEach(() => {
  folder = testFolder();
  file = join(folder, 'file.txt');
  writeFileSync(file, 'the old file');
});

describe('a writer that has too little space', () => {
  test('keeps the old file, and no part of the new file, at a limit for the size of files', async () => {
    const source = `${importIt} await replaceFile(${JSON.stringify(file)}, 'x'.repeat(100_000)).catch(({ code }) => console.log(code));`;
    expect(await runModule(source, { mostBytes: 8192 })).toMatchObject({ stdout: 'EFBIG\n', code: 0 });
    expect(readFileSync(file, 'utf8')).toBe('the old file');
    expect(readdirSync(folder)).toEqual(['file.txt']);
  });

  test('keeps the old file on a real disk with room for 8 KB, until a new file fits', async () => {
    const disk = smallDisk('8k');
    if (!disk) return console.warn('left out: a file system cannot be mounted here');
    try {
      const small = join(disk.folder, 'file.txt');
      writeFileSync(small, 'the old file');
      await expect(replaceFile(small, 'x'.repeat(6_000))).rejects.toMatchObject({ code: 'ENOSPC' });
      expect(readFileSync(small, 'utf8')).toBe('the old file');
      expect(readdirSync(disk.folder)).toEqual(['file.txt']);
      await replaceFile(small, 'x'.repeat(4_000));
      expect(readFileSync(small, 'utf8')).toHaveLength(4_000);
    } finally {
      disk.remove();
    }
  });
});

test('a writer that is killed leaves the old file unchanged; the next writer removes the temporary file of the killed writer', async () => {
  const source = `${importIt}
    await replaceFile(${JSON.stringify(file)}, async (unfinished) => {
      await unfinished.append('a part of the new file');
      process.kill(process.pid, 'SIGKILL');
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    });`;
  expect((await runModule(source)).code).toBeNull();
  expect(readFileSync(file, 'utf8')).toBe('the old file');
  expect(readdirSync(folder)).toHaveLength(2);
  await replaceFile(file, 'the new file');
  expect(readFileSync(file, 'utf8')).toBe('the new file');
  expect(readdirSync(folder)).toEqual(['file.txt']);
});

test('with two writers at once, a reader always sees one complete file', async () => {
  const size = 100_000;
  writeFileSync(file, 'o'.repeat(size));
  const writers = [...'ab'].map((letter) => {
    const source = `${importIt} for (let n = 0; n < 20; n++) await replaceFile(${JSON.stringify(file)}, '${letter}'.repeat(${size}));`;
    return startModule(source);
  });
  const seen = new Set<string>();
  await until('both writers have ended', () => {
    for (let look = 0; look < 100; look++) {
      const text = readFileSync(file, 'utf8');
      seen.add(text === text[0]!.repeat(size) ? text[0]! : 'a part');
    }
    return writers.every(({ exitCode }) => exitCode !== null);
  });
  expect(writers.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect([...seen].sort().join('')).toMatch(/^a?b?o?$/);
  expect(readdirSync(folder)).toEqual(['file.txt']);
});

test('a writer that fails leaves the old file unchanged', async () => {
  const failing = replaceFile(file, async (unfinished) => {
    await unfinished.append('a part');
    throw new Error('no more');
  });
  await expect(failing).rejects.toThrow('no more');
  expect(readFileSync(file, 'utf8')).toBe('the old file');
  expect(readdirSync(folder)).toEqual(['file.txt']);
});

test('appended content can be removed', async () => {
  await replaceFile(file, async (unfinished) => {
    await unfinished.append('a long first try');
    await unfinished.clear();
    await unfinished.append(Buffer.from('ü'));
    expect(unfinished.size).toBe(2);
  });
  expect(readFileSync(file, 'utf8')).toBe('ü');
});

test('a new file keeps the permissions of the old file, a symbolic link leads to the new file, and long names are allowed', async () => {
  chmodSync(file, 0o640);
  const link = join(folder, 'link');
  symlinkSync('file.txt', link);
  await replaceFile(link, 'new', 0o600);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['new', 0o640]);
  const long = join(folder, 'ü'.repeat(127));
  await replaceFile(long, 'new', 0o600);
  expect([readFileSync(long, 'utf8'), statSync(long).mode & 0o777]).toEqual(['new', 0o600]);
});
