import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { CloudError, type CloudErrorKind } from '../src/cloud/index.ts';
import { errorCodes } from '../src/error-codes.ts';
import { ForayError, isForayError, messageOf } from '../src/errors.ts';
import { serverErrors } from '../src/server/server-error.ts';
import { serviceErrors } from '../src/service/errors.ts';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/reference/errors.md'), 'utf8');

/** The rows of the first table whose first column has this heading. Each row is a list of cells. */
function rowsOf(heading: string): string[][] {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => cellsOf(line)[0] === heading);
  expect(start).toBeGreaterThan(0);
  const rest = lines.slice(start + 2);
  return rest.slice(0, rest.indexOf('')).map(cellsOf);
}

/** The text of all source files except one, whose table has each code. */
function sourceWithout(table: string): string {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && name !== table)
    .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
    .join('\n');
}

function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

describe('docs/reference/errors.md', () => {
  test('has each code once, in the order of the table, with its exit code and meaning', () => {
    const documented = rowsOf('code').map(([code, exit, means]) => [code, exit, means]);
    const table = Object.entries(errorCodes).map(([code, { exit, about }]) => [
      `\`${code}\``,
      String(exit),
      about,
    ]);
    expect(documented).toEqual(table);
  });

  test('says what to do about each error', () => {
    for (const [code, , , todo] of rowsOf('code')) {
      expect([code, todo]).toEqual([code, expect.stringMatching(/^.{10,}\.$/)]);
    }
  });

  test('has each code of the server, with its status and meaning', () => {
    const documented = rowsOf('problem').map(([code, status, means]) => [code, status, means]);
    const table = Object.entries(serverErrors).map(([code, { status, about }]) => [
      `\`${code}\``,
      String(status),
      about,
    ]);
    expect(documented).toEqual(table);
  });

  test('has the kinds of CloudError with their codes, and says which errors are tried again', () => {
    const rows = rowsOf('kind');
    expect(rows).toHaveLength(11);
    for (const [kind, code, , again] of rows) {
      const error = new CloudError(kind!.replaceAll('`', '') as CloudErrorKind, 'text');
      expect([kind, code, again!.startsWith('yes')]).toEqual([kind, `\`${error.code}\``, error.isRetryable]);
    }
  });

  test('has each code of the model service once, in the order of its table, with its status and meaning', () => {
    const documented = rowsOf('answer').map(([code, status, means]) => [code, status, means]);
    const table = Object.entries(serviceErrors).map(([code, { status, about }]) => [
      `\`${code}\``,
      String(status),
      about,
    ]);
    expect(documented).toEqual(table);
    const source = sourceWithout(join('service', 'errors.ts'));
    expect(Object.keys(serviceErrors).filter((code) => !source.includes(`'${code}'`))).toEqual([]);
  });

  test('every code is in use', () => {
    const source = sourceWithout('error-codes.ts');
    const unused = Object.keys(errorCodes).filter((code) => !source.includes(`'${code}'`));
    expect(unused).toEqual([]);
  });
});

describe('ForayError', () => {
  test('is one line with place, message and hint', () => {
    const place = { file: 'campaign.yaml', line: 3, column: 7 };
    expect(new ForayError('USAGE', 'No.').toLine()).toBe('No.');
    expect(new ForayError('USAGE', 'No.', { hint: 'Yes.' }).toLine()).toBe('No. Yes.');
    expect(new ForayError('USAGE', 'No', { hint: 'Yes.' }).toLine()).toBe('No. Yes.');
    expect(new ForayError('USAGE', 'No.', { place, hint: 'Yes.' }).toLine()).toBe(
      'campaign.yaml:3:7: No. Yes.',
    );
  });

  test('is also recognized if it comes from another realm', () => {
    expect(isForayError(new ForayError('USAGE', 'No.'))).toBe(true);
    const foreign = Object.assign(new Error('No.'), { code: 'USAGE', toLine: () => 'No.' });
    expect(isForayError(foreign)).toBe(true);
    for (const other of [
      new Error('No.'),
      Object.assign(new Error('No.'), { code: 'ENOENT', toLine: () => 'No.' }),
      Object.assign(new Error('No.'), { code: 'USAGE' }),
      { code: 'USAGE', toLine: () => 'No.' },
      undefined,
      'USAGE',
    ]) {
      expect(isForayError(other)).toBe(false);
    }
  });

  test('messageOf accepts any thrown value', () => {
    expect([new Error('a'), 'b', 3, null, undefined].map(messageOf)).toEqual([
      'a',
      'b',
      '3',
      'null',
      'undefined',
    ]);
  });
});
