import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import { ForayError } from '../../../src/errors.ts';
import { extensionOf, fileNames } from '../../../src/report/files/file-names.ts';
import { type FilesWritten, writingFiles } from '../../../src/report/files/files.ts';
import type { ResultRow } from '../../../src/store/index.ts';

describe('names of files', () => {
  const name = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ maxLength: 400 }),
    fc.constantFrom(
      '..',
      '.',
      '/',
      '../../etc/passwd',
      'a/b',
      'a\\b',
      'NUL',
      'nul',
      'con',
      'Com1',
      '%2E',
      '',
    ),
    fc.constantFrom('map', 'Map', 'MAP', 'ä'.repeat(200), `${'ä'.repeat(200)}b`, 'a\0b', '\ud800', '\ud801'),
  );

  test('are safe, and differ within a campaign on every file system', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 12 }), (names) => {
        const files = [...fileNames(names).values()];
        expect(files).toHaveLength(names.length);
        expect(new Set(files.map((file) => file.toLowerCase())).size).toBe(names.length);
        for (const file of files) {
          expect(file).toMatch(/^[A-Za-z0-9_%~-]{1,200}$/);
          expect(file).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)$/i);
        }
      }),
    );
  });

  test('are the names of the outputs, with other characters than ASCII letters, digits, "-" and "_" percent-encoded', () => {
    expect([...fileNames(['Trajectory', 'Burnt area', 'Größe', 'nul', 'a%20b'])]).toEqual([
      ['Trajectory', 'Trajectory'],
      ['Burnt area', 'Burnt%20area'],
      ['Größe', 'Gr%C3%B6%C3%9Fe'],
      ['nul', '%6Eul'],
      ['a%20b', 'a%2520b'],
    ]);
  });

  test.each([
    ['trajectory.csv', '.csv'],
    ['out/map.tar.GZ', '.GZ'],
    ['.bashrc', ''],
    ['a', ''],
    ['a.', ''],
    ['a.b c', ''],
    ['a.csv/..', ''],
    ['a.csv/../../x', ''],
    ['a.\\..\\x', ''],
    ['a.verylongextension', ''],
    ['a.ä', ''],
    ['a.c\nsv', ''],
    ['', ''],
  ])('have the extension of %j if it is simple: %j', (localPath, extension) => {
    expect(extensionOf(localPath)).toBe(extension);
  });
});

describe('rows with their files', () => {
  const outputs = [
    { name: 'Map', type: 'OUTPUT_FILE' as const, units: null },
    { name: 'Text', type: 'STRING' as const, units: null },
  ];
  const row = (n: number): ResultRow => ({
    point: `p${n}`,
    replication: 1,
    status: 'done',
    values: [],
    reason: null,
    runId: null,
    origin: 'new',
    requestedAt: null,
    finishedAt: null,
    version: null,
    outputs: { Map: JSON.stringify({ hash: `h${n}`, localPath: 'a.csv' }), Text: '"x"' },
  });
  const none = (): FilesWritten => ({ written: 0, there: 0, lacking: new Map() });
  async function* rows(count: number): AsyncGenerator<ResultRow> {
    for (let n = 0; n < count; n += 1) yield Promise.resolve(row(n));
  }

  test('keep their order in whatever order the files are written, and at most 8 files are written at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5), { maxLength: 60 }), async (delays) => {
        let [busy, most] = [0, 0];
        const save = async (value: unknown): Promise<'written'> => {
          most = Math.max(most, (busy += 1));
          const at = Number((value as { hash: string }).hash.slice(1));
          for (let n = 0; n < delays[at]!; n += 1) await turn();
          busy -= 1;
          return 'written';
        };
        const count = none();
        const given = await Array.fromAsync(
          writingFiles({ save }, { outputs }, rows(delays.length), 'd', count),
        );
        expect(given.map(({ outputs: { Map: path } }) => path)).toEqual(
          delays.map((_, n) => JSON.stringify(`d/p${n}/1/Map.csv`)),
        );
        expect(count.written).toBe(delays.length);
        expect(most).toBeLessThanOrEqual(8);
      }),
      { numRuns: 50 },
    );
  });

  test('keep the reference of a file that cannot be fetched, and count the reason', async () => {
    const save = (value: unknown): Promise<'there'> => {
      const { hash } = value as { hash: string };
      return hash === 'h1'
        ? Promise.resolve('there')
        : Promise.reject(new ForayError('FILE_UNAVAILABLE', 'Gone.'));
    };
    const count = none();
    const given = await Array.fromAsync(writingFiles({ save }, { outputs }, rows(3), 'd', count));
    expect(given.map(({ outputs: { Map: cell } }) => cell)).toEqual([
      row(0).outputs.Map,
      '"d/p1/1/Map.csv"',
      row(2).outputs.Map,
    ]);
    expect(count).toEqual({ written: 0, there: 1, lacking: new Map([['Gone.', 2]]) });
  });

  test('come as soon as they exist, without waiting for the next row', async () => {
    async function* slow(): AsyncGenerator<ResultRow> {
      yield* rows(2);
      await new Promise(() => undefined);
    }
    const save = () => Promise.resolve('written' as const);
    const given = writingFiles({ save }, { outputs }, slow(), 'd', none())[Symbol.asyncIterator]();
    for (const n of [0, 1]) expect((await given.next()).value).toMatchObject({ point: `p${n}` });
    // a reader that stops early does not have to wait either
    expect(await given.return!()).toEqual({ done: true, value: undefined });
  });

  test('end with the error if a file cannot be written, and with any unexpected error', async () => {
    for (const error of [new ForayError('OUTPUT_UNWRITABLE', 'Full.'), new Error('broken')]) {
      const save = (value: unknown) =>
        (value as { hash: string }).hash === 'h3'
          ? Promise.reject(error)
          : Promise.resolve('written' as const);
      const given: string[] = [];
      const reading = (async () => {
        for await (const { point } of writingFiles({ save }, { outputs }, rows(9), 'd', none()))
          given.push(point);
      })();
      await expect(reading).rejects.toBe(error);
      expect(given).toEqual(['p0', 'p1', 'p2']);
    }
  });

  test('have no file if the run has none', async () => {
    const save = () => Promise.reject(new Error('no file may be saved'));
    async function* failed(): AsyncGenerator<ResultRow> {
      yield { ...row(0), outputs: {} };
      yield Promise.resolve({ ...row(1), outputs: { Map: 'null' } });
    }
    const given = await Array.fromAsync(writingFiles({ save }, { outputs }, failed(), 'd', none()));
    expect(given.map(({ outputs: values }) => values)).toEqual([{}, { Map: 'null' }]);
  });
});
