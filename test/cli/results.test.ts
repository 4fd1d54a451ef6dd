import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { Foray, ForayError, resultObjects } from '../../src/index.ts';
import { campaign, done } from '../store/fixtures.ts';
import { cleanEnv, MAIN } from '../support/cli.ts';
import { address, env, finish, folder, run, store } from './flu-store.ts';
import { withoutServers } from '../support/without-servers.ts';

describe('-o -', () => {
  test.each([['results'], ['report']])('makes foray %s write to standard output', async (command) => {
    const { code, stdout, stderr } = await run(
      command,
      'flu',
      '-o',
      '-',
      ...(command === 'report' ? [] : ['--format', 'csv']),
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(command === 'report' ? /^<!doctype html>/ : /^point,replication,/);
    expect(readdirSync(folder.path)).not.toContain('-');
  });
});

describe('foray results', () => {
  test('writes complete Parquet files, and reports values that are not of the type of the output', async () => {
    const { code, stderr } = await run('results', 'flu', '-o', 'out/flu.parquet');
    expect(code).toBe(0);
    expect(stderr).toBe(
      '1 value of "Fit error" is not DOUBLE, and therefore null in the file; CSV and JSON Lines have the original text.\nWrote out/flu.parquet\n',
    );
    expect(readdirSync(join(folder.path, 'out'))).toEqual(['flu.parquet']);
    const bytes = readFileSync(join(folder.path, 'out/flu.parquet'));
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    expect(await parquetReadObjects({ file })).toMatchObject([
      { point: 'a', replication: 1, Days: 0, 'Fit error': 0.5, Orders: 2n ** 63n - 1n },
      { point: 'a', replication: 2, Days: 0, 'Fit error': 3.5 },
      { point: 'b', replication: 1, Days: 1, 'Fit error': null },
    ]);
    const { key_value_metadata: metadata } = parquetMetadata(file);
    expect(metadata).toContainEqual({ key: 'foray.definition', value: 'campaign: flu\n' });
  });

  test('writes wide and long tables, of runs and of points', async () => {
    await finish(4);
    const lines = async (...flags: string[]): Promise<string[]> =>
      (await run('results', 'flu', '--format', 'csv', ...flags)).stdout.trim().split('\n');
    expect(await lines('--long')).toEqual(
      expect.arrayContaining([
        'point,replication,status,Days,output,units,value,text,reason',
        'a,1,done,0,Orders,,9223372036854775807,,',
        'b,2,failed,1,Fit error,,,,too many',
      ]),
    );
    expect((await lines('--points'))[1]).toMatch(/^a,0,2,0,2,2,/);
    expect((await lines('--points', '--long'))[1]).toMatch(/^a,0,2,0,Fit error,,2,2,/);
  });

  test('writes each value of a curve as a row of a long table, in every format', async () => {
    const curves = {
      ...campaign('curves'),
      varied: [],
      outputs: [
        { name: 'Infected', type: 'DATA_SET', units: 'PERSON' } as never,
        { name: 'Peak', type: 'DOUBLE', units: null } as const,
      ],
    };
    await store.addCampaign({ campaign: curves, definition: 'campaign: curves\n', digest: '' }, 1);
    await store.addPoints('curves', [{ ordinal: 0, key: 'a', values: [] }], 2);
    await store.setPhase('curves', 'running', 2);
    await store.intend('curves', [0], 1);
    const Infected = '{"dataX":[0,0.5],"dataY":[1,22.5]}';
    await store.observe('curves', [done(0, 'new', { Infected, Peak: '22.5' })], 3);
    const long = async (...flags: string[]) => (await run('results', 'curves', '--long', ...flags)).stdout;
    expect((await long('--format', 'csv')).trim().split('\n')).toEqual([
      'point,replication,status,output,units,time,value,text,reason',
      'a,1,done,Infected,PERSON,0,1,,',
      'a,1,done,Infected,PERSON,0.5,22.5,,',
      'a,1,done,Peak,,,22.5,,',
    ]);
    const lines = (await long('--format', 'jsonl')).trim().split('\n');
    expect(JSON.parse(lines[1]!)).toMatchObject({ output: 'Infected', time: 0.5, value: 22.5, text: null });
    expect(await long('--format', 'table')).toMatch(/Infected +\S+ +0\.5 +22\.5/);
    await long('-o', 'curves.parquet');
    const bytes = readFileSync(join(folder.path, 'curves.parquet'));
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    expect((await parquetReadObjects({ file }))[1]).toMatchObject({
      output: 'Infected',
      time: 0.5,
      value: 22.5,
    });
  });

  test.each([
    [['--follow', '--points'], /^foray: --follow cannot be used with --points\./],
    [['--all', '--points'], /^foray: --all cannot be used with --points\./],
    [['--files', 'x.d', '--points'], /^foray: --files cannot be used with --points\./],
    [['--files', 'x.d'], /^foray: The campaign "flu" keeps no output of type OUTPUT_FILE\./],
    [['--follow', '--format', 'parquet'], /^foray: --follow cannot write Parquet\./],
    [['--follow', '-o', 'x.csv'], /^foray: --follow cannot be used with -o\./],
    [['-o', 'x.xlsx'], /^foray: There is no format for files that end in \.xlsx\. .*parquet/],
  ])('%j is refused', async (flags, message) => {
    const { code, stderr } = await run('results', 'flu', ...flags);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(readdirSync(folder.path).filter((name) => name.startsWith('x.'))).toEqual([]);
  });
});

describe('foray results --follow', () => {
  test('prints each row when its run finishes, and ends when the campaign closes', async () => {
    const child = spawn(process.execPath, [MAIN, 'results', 'flu', '--follow', '--format', 'csv'], {
      cwd: folder.path,
      env: { ...cleanEnv(), ...env() },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (count: number): Promise<string[]> => {
      const found: string[] = [];
      while (found.length < count) found.push(String((await lines.next()).value));
      return found;
    };
    expect(await next(4)).toEqual([
      'point,replication,status,Days,Fit error,Orders,reason',
      'a,1,done,0,0.5,9223372036854775807,',
      'b,1,done,1,many,9223372036854775807,',
      'a,2,done,0,3.5,9223372036854775807,',
    ]);
    await finish(4);
    expect(await next(1)).toEqual(['b,2,failed,1,,,too many']);
    await finish(2);
    await store.setPhase('flu', 'completed', 4);
    expect(await next(1)).toEqual(['c,1,done,2,2.5,9223372036854775807,']);
    expect((await lines.next()).done).toBe(true);
    expect(await ended).toEqual([0, null]);
  });

  test('ends with exit code 1 if the campaign was cancelled', async () => {
    await store.setPhase('flu', 'cancelled', 4);
    const { code, stdout } = await run('results', 'flu', '--follow');
    expect(code).toBe(1);
    expect(stdout.split('\n')).toHaveLength(5);
  });
});

describe('rows from a program', () => {
  let client: Foray;
  beforeEach(async () => {
    client = await Foray.open(withoutServers(address()));
  });
  afterEach(() => client.close());

  test('are plain objects with typed values', async () => {
    const rows = await Array.fromAsync(resultObjects(client, 'flu'));
    expect(rows[0]).toEqual({
      point: 'a',
      replication: 1,
      status: 'done',
      Days: 0,
      'Fit error': 0.5,
      Orders: 2n ** 63n - 1n,
      reason: null,
    });
    expect(rows[2]).toMatchObject({ point: 'b', 'Fit error': 'many' });
    const [point] = await Array.fromAsync(
      resultObjects<{ 'Fit error mean': number }>(client, 'flu', { points: true }),
    );
    expect(point!['Fit error mean']).toBe(2);
  });

  test('can follow a campaign', async () => {
    const rows = resultObjects<{ point: string; replication: number }>(client, 'flu', { follow: true });
    for (let told = 0; told < 3; told++) await rows.next();
    const next = rows.next();
    await finish(5);
    expect((await next).value).toMatchObject({ point: 'c', replication: 2 });
    await store.setPhase('flu', 'completed', 4);
    expect((await rows.next()).done).toBe(true);
    await expect(resultObjects(client, 'flu', { follow: true, points: true }).next()).rejects.toThrow(
      ForayError,
    );
  });
});

describe('foray results -o', () => {
  const flags = ['results', 'flu', '--format', 'csv', '-o'];

  test('writes the same to a named pipe as to standard output, and keeps the pipe', async () => {
    const pipe = join(folder.path, 'pipe');
    await once(spawn('mkfifo', [pipe]), 'exit');
    const reader = spawn('cat', [pipe]);
    const [read, { code }] = await Promise.all([text(reader.stdout), run(...flags, pipe)]);
    expect([code, read]).toEqual([0, (await run('results', 'flu', '--format', 'csv')).stdout]);
    expect(lstatSync(pipe).isFIFO()).toBe(true);
  });

  test('writes to the target of a link, and keeps the link', async () => {
    const [link, file] = [join(folder.path, 'link.csv'), join(folder.path, 'file.csv')];
    writeFileSync(file, 'old');
    symlinkSync('file.csv', link);
    expect((await run(...flags, link)).code).toBe(0);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, 'utf8')).toMatch(/^point,/);
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test.each([
    ['a file in a folder that nobody can create', '/proc/nope/x.csv'],
    ['a file below a file', '/dev/null/x.csv'],
    ['a folder', '/proc'],
  ])('%s is refused', async (_, file) => {
    const { code, stderr } = await run(...flags, file);
    expect(stderr).toMatch(new RegExp(`^foray: The file ${file} cannot be written \\(E[A-Z]+\\)\\.`));
    expect(code).toBe(2);
  });
});

test('foray results refuses an empty name of a folder after --files', async () => {
  const { code, stderr } = await run('results', 'flu', '--files', '');
  expect([code, stderr]).toEqual([2, expect.stringContaining('--files needs the name of a folder')]);
});
