import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { Mistakes } from '../../../src/yaml/mistake-collector.ts';
import { UploadedFiles } from '../../../src/resolve/files/uploaded.ts';
import { testFolder } from '../../support/test-folder.ts';

let folder: string;
beforeAll(() => {
  folder = testFolder();
  for (const name of ['days.csv', 'nameless']) writeFileSync(join(folder, name), 'Days\n7\n');
});

const check = { columns: (names: readonly string[]) => [...names], row: () => ['7'] };
const pointsAt = (path: string) =>
  new UploadedFiles({ folder, hint: 'Send it.' }).findPoints(
    path,
    { file: 'definition', line: 1, column: 1 },
    check,
  );

test.each(['days.csv', 'data/days.csv', '/etc/days.csv', '..\\days.csv'])(
  'the path %s selects the uploaded file with its last part',
  async (path) => {
    expect(await pointsAt(path)).toMatchObject({ inputs: ['Days'] });
  },
);

test.each(['', '.', '..', 'data/', '../..', '/etc/passwd'])('the path "%s" selects no file', async (path) => {
  await expect(pointsAt(path)).rejects.toMatchObject({ code: 'DEFINITION_UNREADABLE' });
});

test('two paths with the same last part are refused, also as files of inputs', async () => {
  const place = { file: 'definition', line: 1, column: 1, path: '' };
  const files = new UploadedFiles({ folder, hint: 'Send it.' });
  const mistakes = new Mistakes();
  const found = (...paths: string[]) =>
    files.find(
      paths.map((path) => ({ input: 'Weather', path, place })),
      mistakes,
    );
  expect(await found('case1/days.csv', './case1//days.csv', 'nameless')).toHaveLength(3);
  mistakes.throwAny();
  expect(await found('case2/days.csv')).toEqual([]);
  expect(() => mistakes.throwAny()).toThrow(
    expect.objectContaining({
      code: 'INVALID_VALUE',
      message: 'The files "case1/days.csv" and "case2/days.csv" have the same name.',
      hint: expect.stringContaining('"foray submit"'),
    }),
  );
  await expect(files.findPoints('days.csv', place, check)).rejects.toMatchObject({ code: 'INVALID_VALUE' });
});
