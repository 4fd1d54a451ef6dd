import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { folder } from '../support.ts';
import { cleanEnv } from '../../support/cli.ts';

test('foray reads 300,000 points in a process whose memory is too small for all points as objects', async () => {
  const count = 300_000;
  // with these texts, not all points fit into memory; without these texts, the process takes less than 64 MB
  const title = (at: number): string => `${at}`.padEnd(150, ' of many');
  let content = 'Days,Title\n';
  for (let at = 0; at < count; at += 1) content += `${at},${title(at)}\n`;
  writeFileSync(join(folder, 'many.csv'), content);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--max-old-space-size=80', join(import.meta.dirname, '../files/many-points.ts'), folder, 'many.csv'],
    { env: cleanEnv() },
  );
  expect(JSON.parse(stdout)).toEqual({
    inputs: ['Days', 'Title'],
    count,
    points: count,
    // `expand` does not drop repeated points, so the keys show whether all points differ
    distinct: count,
    some: [0, 123_456, 299_999].map((at) => [String(at), title(at).trim()]),
  });
});
