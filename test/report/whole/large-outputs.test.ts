import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openStore } from '../../../src/store/index.ts';
import { campaign, done, points } from '../../store/fixtures.ts';
import { cleanEnv } from '../../support/cli.ts';

/** The texts of all runs have more bytes than the memory of the reader, in MB. */
const [RUNS, LENGTH, MEMORY] = [50, 5_000_000, 200];
const folder = mkdtempSync(join(tmpdir(), 'foray-large-outputs-'));
const address = `sqlite:${join(folder, 'store.db')}`;

beforeAll(async () => {
  const store = await openStore(address);
  const outputs = [{ name: 'Log', type: 'STRING' as const, units: null }];
  const varied = ['a', 'b'].map((name) => ({ name, type: 'STRING' as const, units: null }));
  const record = {
    campaign: { ...campaign('flu'), varied, outputs },
    definition: 'campaign: flu\n',
    digest: 'd',
  };
  await store.addCampaign(record, 1_000);
  await store.addPoints('flu', points(RUNS), 1);
  for (let seq = 0; seq < RUNS; seq += 1) {
    await store.observe('flu', [done(seq, 'new', { Log: 'x'.repeat(LENGTH) })], 2_000);
  }
  await store.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

test(`${RUNS} runs, each with a text of ${LENGTH} characters that compresses well, are read in each way in little memory`, async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [`--max-old-space-size=${MEMORY}`, join(import.meta.dirname, 'large-outputs-reader.ts'), address],
    { env: cleanEnv() },
  );
  const got = Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ')),
  ) as Record<string, string>;
  for (const way of ['csv', 'jsonl', 'followed']) expect(Number(got[way])).toBeGreaterThan(RUNS * LENGTH);
  expect(Number(got['table'])).toBeGreaterThan(0);
  // the file has the text only once in each row group
  expect(Number(got['parquet'])).toBeGreaterThan(LENGTH / 100);
  expect([got['pages'], got['looks']]).toEqual([String(RUNS), String(RUNS)]);
});
