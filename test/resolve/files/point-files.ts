import { expect } from '@jest/globals';
import { expand } from '../../../src/campaign/points.ts';
import { readRows } from '../../../src/campaign/designs/table.ts';
import { refusal, resolve, write } from '../support.ts';

export interface Read {
  inputs: string[];
  rows: string[][];
  keys: string[];
}

/** Writes and reads a point file. */
export async function read(name: string, content: string): Promise<Read> {
  write(name, content);
  const { campaign, contents, pointFiles, points } = await resolve(`design: {points: ${name}}`);
  const { inputs, hash, count } = pointFiles[name]!;
  const rows = [...readRows(contents.get(hash)!)];
  expect([count, points]).toEqual([rows.length, rows.length]);
  return { inputs, rows, keys: [...expand(campaign, contents)].map(({ key }) => key) };
}

/** Expects an error at the §. The file is written without the §. */
export async function expectRefused(
  name: string,
  marked: string,
  code: string,
  message: string,
  hint?: string,
) {
  const [before, after] = marked.split('§');
  write(name, before! + after!);
  const lines = before!.split(/\r\n|\n/);
  const text = (before! + after!).split(/\r\n|\n/)[lines.length - 1]!.replace('\ufeff', '');
  const place = {
    file: name,
    line: lines.length,
    column: lines.at(-1)!.replace('\ufeff', '').length + 1,
    text,
  };
  expect(await refusal(`design: {points: ${name}}`)).toEqual({ code, message, hint, place });
}
