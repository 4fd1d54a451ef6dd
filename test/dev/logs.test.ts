import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { Part } from '../../src/dev/part.ts';
import { temporalFault } from '../../src/dev/stack.ts';
import { MOST_BYTES, MOST_FILES, RotatingLog } from '../../src/dev/rotating-log.ts';
import { ownPort } from '../support/own-port.ts';
import { until } from '../support/until.ts';
import { testFolder } from '../support/test-folder.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = testFolder();
  file = join(folder, 'worker.log');
});

test('a full log is rotated, and the oldest log is deleted', () => {
  const log = new RotatingLog(file, () => expect(true).toBe(false));
  const megabyte = Buffer.alloc(1024 ** 2, 'x');
  // 45 MB are more than three full logs of 10 MB
  for (let n = 0; n < 45; n++) log.write(megabyte);
  log.write('the end\n');
  expect(readdirSync(folder).sort()).toEqual(['worker.log', 'worker.log.1', 'worker.log.2']);
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  expect(sizes).toHaveLength(MOST_FILES);
  for (const size of sizes) expect(size).toBeLessThanOrEqual(MOST_BYTES);
  expect(readFileSync(file, 'utf8').endsWith('xthe end\n')).toBe(true);
});

test('a part of foray dev continues when its log cannot be written, and foray dev reports the error once', async () => {
  if (!existsSync('/dev/full')) return console.warn('left out: there is no /dev/full here');
  symlinkSync('/dev/full', file);
  const ended = join(folder, 'ended');
  const program = join(folder, 'part.mjs');
  // the output fills the pipe several times, so the process ends only if the pipe is read
  writeFileSync(
    program,
    `import { writeFileSync } from 'node:fs';
    process.send('ready');
    for (let n = 0; n < 20; n++) await new Promise((done) => process.stdout.write('x'.repeat(65_536), done));
    writeFileSync(${JSON.stringify(ended)}, '');
    setInterval(() => undefined, 60_000);`,
  );
  const lines: string[] = [];
  const part = new Part({
    name: 'worker',
    command: process.execPath,
    args: [program],
    env: process.env,
    logFile: file,
    report: (line) => lines.push(line),
  });
  await part.start();
  try {
    await until('the part has written all', () => existsSync(ended));
    expect(lines).toEqual([expect.stringMatching(/^the log .*worker\.log cannot be written: ENOSPC/)]);
  } finally {
    await part.stop();
  }
});

test('the error about a part that does not start has the reason from its output', async () => {
  const program = join(folder, 'part.mjs');
  writeFileSync(
    program,
    `console.log('foray: older');
    console.error('foray: The database is damaged. Restore it.');
    console.error('something else');`,
  );
  const part = new Part({
    name: 'model service',
    command: process.execPath,
    args: [program],
    env: process.env,
    logFile: file,
    report: () => undefined,
  });
  await expect(part.start()).rejects.toMatchObject({
    message: 'The model service does not start: The database is damaged. Restore it.',
    hint: `See ${file}.`,
  });
});

test("the error about a Temporal server with a damaged database names the file, which Temporal's own message does not", async () => {
  const database = join(folder, 'temporal.db');
  const port = String(await ownPort());
  writeFileSync(database, 'no database '.repeat(1_000));
  const part = new Part({
    name: 'Temporal server',
    command: process.env.FORAY_TEMPORAL_CLI!,
    args: ['server', 'start-dev', '--headless', '--port', port, '--db-filename', database],
    env: process.env,
    logFile: file,
    isReady: () => Promise.resolve(false),
    reasonIn: (output) => temporalFault(database, output),
    report: () => undefined,
  });
  await expect(part.start()).rejects.toMatchObject({
    message: expect.stringContaining(`: Its database ${database} is damaged. Move it away`),
  });
});
