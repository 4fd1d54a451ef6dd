import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { changed, checkChange, relaid } from '../../src/campaign/change.ts';
import { pointKey } from '../support/definition.ts';
import { expand, fixedInputs, runInputs } from '../../src/campaign/points.ts';
import type { Campaign } from '../../src/campaign/types.ts';
import { pointMaker } from '../../src/search/point-maker.ts';
import { folder, refusal, resolve, write } from './support.ts';

/** Files that differ between the points of a campaign. */

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
const CASES = 'Observed cases';

beforeAll(() => {
  for (const name of ['years', 'years/points']) mkdirSync(join(folder, name));
  write('years/1978.csv', 'flu of 1978');
  write('years/1979.csv', 'flu of 1979');
  write('copy.csv', 'flu of 1978');
  write('years/points/list.csv', `${CASES},Days\n../1978.csv,7\n../1979.csv,9\n./../1978.csv,8\n`);
  write('years/points/list.jsonl', `{"${CASES}": "../1979.csv", "Days": 3}\n`);
  write('huge.csv', '');
  truncateSync(join(folder, 'huge.csv'), 256 * 2 ** 20 + 1);
  write('large.csv', '');
  truncateSync(join(folder, 'large.csv'), 256 * 2 ** 20);
});

async function campaignOf(body: string): Promise<Campaign & { contents: ReadonlyMap<string, Uint8Array> }> {
  const { campaign, contents } = await resolve(body);
  return { ...campaign, id: 'flu', service: '', contents };
}

describe('an input that takes a file differs between points', () => {
  const old = { input: CASES, path: 'years/1978.csv', hash: hashOf('flu of 1978') };
  const later = { input: CASES, path: 'years/1979.csv', hash: hashOf('flu of 1979') };

  test.each([
    ['grid', `design: {grid: {${CASES}: [years/1978.csv, ./years/1979.csv]}}\n`, [[old.path], [later.path]]],
    [
      'zip',
      `design: {zip: {${CASES}: [years/1978.csv, years//1979.csv], Days: [7, 9]}}\n`,
      [
        [old.path, '7'],
        [later.path, '9'],
      ],
    ],
    [
      'a list of points',
      `design: {points: [{${CASES}: years/1978.csv}, {${CASES}: years/1979.csv}]}\n`,
      [[old.path], [later.path]],
    ],
    [
      'a point file, whose paths are relative to it',
      'design: {points: years/points/list.csv}\n',
      [
        [old.path, '7'],
        [later.path, '9'],
        [old.path, '8'],
      ],
    ],
    ['a point file in JSON Lines', 'design: {points: years/points/list.jsonl}\n', [[later.path, '3']]],
    [
      'a change of one input at a time, from a fixed file',
      `files: {${CASES}: years/1978.csv}\ndesign: {oneAtATime: {${CASES}: [years/1979.csv]}}\n`,
      [[old.path], [later.path]],
    ],
    [
      'a fixed file and the same file in another spelling',
      `files: {${CASES}: ./years//1978.csv}\ndesign: {oneAtATime: {${CASES}: [years/1978.csv, years/1979.csv]}}\n`,
      [[old.path], [later.path]],
    ],
  ])('in %s', async (_, body, rows) => {
    const campaign = await campaignOf(body);
    const points = [...expand(campaign, campaign.contents)];
    // people read the path; the service and the key have the content
    expect(points.map(({ values }) => values)).toEqual(rows);
    for (const { key, values } of points) {
      const sent = runInputs(campaign, { key, values }, 1);
      const content = values[0] === old.path ? old.hash : later.hash;
      expect(sent.find(({ name }) => name === CASES)!.value).toBe(content);
      const names = campaign.varied.map(({ name }) => name);
      const given = sent.filter(({ name }) => names.includes(name));
      expect(key).toBe(pointKey([...fixedInputs(campaign), ...given]));
    }
    for (const file of campaign.variedFiles!) expect([old, later]).toContainEqual(file);
    expect([...campaign.contents.keys()]).toEqual(
      expect.arrayContaining(campaign.variedFiles!.map(({ hash }) => hash)),
    );
  });

  test('in a sample, a search and a calibration that choose among files', async () => {
    const choice = `{${CASES}: [years/1978.csv, years/1979.csv]}`;
    const sample = await campaignOf(`design: {random: {points: 20, inputs: ${choice}}}\n`);
    const drawn = new Set([...expand(sample)].map(({ values }) => values[0]));
    expect(drawn).toEqual(new Set([old.path, later.path]));
    const search = await campaignOf(`search: {minimize: Fit error, over: ${choice}, stop: {points: 2}}\n`);
    expect(search.variedFiles).toEqual([old, later]);
    expect(search.strategy).toMatchObject({ inputs: [{ kind: 'choice', values: [old.path, later.path] }] });
    const { key } = pointMaker(search)([later.path]);
    expect(key).toBe(pointKey([...fixedInputs(search), { name: CASES, value: later.hash }]));
  });

  test('equal content at another path is the same point', async () => {
    const [a, b] = await Promise.all(
      ['years/1978.csv', 'copy.csv'].map((path) => campaignOf(`design: {grid: {${CASES}: [${path}]}}\n`)),
    );
    expect([...expand(a!)][0]!.key).toBe([...expand(b!)][0]!.key);
  });
});

describe('a file that cannot be used is an error with its place', () => {
  test.each<[string, string, number, RegExp]>([
    ['a missing file', 'grid: {Observed cases: [years/1978.csv, none.csv]}', 43, /"none.csv" .* not there/],
    ['a folder', 'grid: {Observed cases: [years]}', 27, /"years" .* is a folder/],
    ['a large file', 'grid: {Observed cases: [huge.csv]}', 27, /has more than 256 MiB/],
    ['a path outside', 'grid: {Observed cases: [years/../../x.csv]}', 27, /not in the definition's folder/],
    ['an absolute path', 'grid: {Observed cases: [/etc/passwd]}', 27, /not in the definition's folder/],
    ['a number', 'grid: {Observed cases: [7]}', 27, /takes the path of a file/],
    [
      'files that are large together',
      'grid: {Observed cases: [large.csv, years/1978.csv]}',
      38,
      /together have more than 256 MiB/,
    ],
    ['two paths to one file', 'grid: {Observed cases: [copy.csv, ./copy.csv]}', 37, /appears twice/],
    ['equal content', 'grid: {Observed cases: [copy.csv, years/1978.csv]}', 37, /same content as "copy.csv"/],
    ['a range', 'grid: {Observed cases: {from: 1, to: 2, step: 1}}', 26, /not a range of numbers/],
  ])('%s', async (_, design, column, message) => {
    const error = await refusal(`design:\n  ${design}\n`);
    expect(error.message).toMatch(message);
    expect(error.place).toMatchObject({ file: 'campaign.yaml', line: 4, column });
  });

  test('a missing file that a point file names, with the folder to which its path is relative', async () => {
    write('years/points/lost.csv', `${CASES}\n../1977.csv\n`);
    const error = await refusal('design: {points: years/points/lost.csv}\n');
    expect(error).toMatchObject({
      message: expect.stringContaining('"years/1977.csv"'),
      hint: "Paths are relative to the point file's folder.",
      place: { file: expect.stringContaining('lost.csv'), line: 2 },
    });
  });

  test('a pipe is refused, and nobody waits for its writer', async () => {
    for (const name of ['pipe', 'pipe.csv']) execFileSync('mkfifo', [join(folder, name)]);
    for (const body of [
      'design: {grid: {Observed cases: [pipe]}}\n',
      'files: {Observed cases: pipe}\n',
      'design: {points: pipe.csv}\n',
    ])
      expect((await refusal(body)).message).toMatch(/"pipe.*" is a pipe or a device, and not a file\.$/);
  });

  test('an expression that gives a file', async () => {
    const error = await refusal('design: {grid: {Days: [1]}, derive: {Observed cases: Title}}\n');
    expect(error).toMatchObject({
      message: expect.stringMatching(/cannot give a file/),
      place: { column: 38 },
    });
  });

  test('in a point file, the place is the cell', async () => {
    write('bad.csv', `Days,${CASES}\n7,years/1978.csv\n8,none.csv\n`);
    const error = await refusal('design: {points: bad.csv}\n');
    expect(error).toMatchObject({
      code: 'DEFINITION_UNREADABLE',
      message: `The file "none.csv" for "${CASES}" is not there.`,
      place: { file: 'bad.csv', line: 3, column: 2 },
    });
  });
});

test('a changed campaign keeps the files of its former points, and a path keeps its content', async () => {
  const before = await campaignOf(`design: {grid: {${CASES}: [years/1978.csv]}}\n`);
  const after = await campaignOf(`design: {grid: {${CASES}: [years/1979.csv]}}\n`);
  checkChange(before, after);
  expect(changed(before, after).variedFiles!.map(({ path }) => path)).toEqual([
    'years/1979.csv',
    'years/1978.csv',
  ]);
  write('years/1978.csv', 'flu of another year');
  const other = await campaignOf(`design: {grid: {${CASES}: [years/1978.csv]}}\n`);
  expect(() => checkChange(before, other)).toThrow('other content');
  write('years/1978.csv', 'flu of 1978');
});

test('a changed campaign shows the path of a file that all points now have, or had before', async () => {
  const grid = await campaignOf(`design: {grid: {${CASES}: [years/1978.csv], Days: [7]}}\n`);
  const fixed = (path: string) => campaignOf(`files: {${CASES}: ${path}}\ndesign: {grid: {Days: [7]}}\n`);
  const rows = (campaign: Campaign) => [...expand(campaign)].map(({ key, values }) => ({ key, values }));
  const [old, later] = await Promise.all([fixed('years/1978.csv'), fixed('years/1979.csv')]);
  const same = changed(grid, old);
  expect(rows(same)).toEqual([{ key: rows(old)[0]!.key, values: ['7', 'years/1978.csv'] }]);
  expect(rows(changed(grid, later))).toEqual([{ key: rows(later)[0]!.key, values: ['7', 'years/1979.csv'] }]);
  // the input of a second change, whose files are known
  expect(changed(same, old)).toMatchObject({ base: same.base, variedFiles: same.variedFiles });
  const replaced = changed(old, later);
  expect(rows(replaced)).toEqual([{ key: rows(later)[0]!.key, values: ['7', 'years/1979.csv'] }]);
  expect(relaid(old, replaced)!(['7'])).toEqual(['7', 'years/1978.csv']);
  write('years/1978.csv', 'flu of a third year');
  const third = await campaignOf(`design: {grid: {${CASES}: [years/1978.csv], Days: [7]}}\n`);
  // two contents never have the same path
  expect(rows(changed(third, old))[0]!.values).toEqual(['7', hashOf('flu of 1978')]);
});
