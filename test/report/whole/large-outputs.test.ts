import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openStore } from '../../../src/store/index.ts';
import { campaign, done, points } from '../../store/fixtures.ts';
import { cleanEnv } from '../../support/cli.ts';

const RUNS = 120;
const LENGTH = 5_000_000;
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

test.each([
  ['csv', RUNS * LENGTH, 1],
  ['jsonl', RUNS * LENGTH, 1],
  ['followed', RUNS * LENGTH, 1],
  ['table', 0, 1],
  // the file has the text only once in each row group
  ['parquet', LENGTH, 0.01],
  ['pages', RUNS, 1],
  ['looks', RUNS, 1],
])(
  `${RUNS} runs, each with a text of ${LENGTH} characters that compresses well, are read as %s in little memory`,
  async (way, least, share) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--max-old-space-size=200', join(import.meta.dirname, 'large-outputs-reader.ts'), address, way],
      { env: cleanEnv() },
    );
    expect(Number(stdout)).toBeGreaterThanOrEqual(least * share);
  },
);
