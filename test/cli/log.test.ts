import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { cleanEnv, ROOT } from '../support/cli.ts';
import { entriesOf, usual } from './log-entries.ts';

test('lines of Temporal, of threads and of Node are in the same form', () => {
  const program = `
    import { Worker } from 'node:worker_threads';
    import { logLine } from './src/dev/temporal-log.ts';
    import { logAsJson } from './src/log.ts';
    logAsJson('worker');
    const meta = { workflowId: 'flu', activityType: 'advance', error: new Error('lost\\nat a place') };
    logLine({ level: 'WARN', message: 'Activity failed', timestampNanos: 0n, meta });
    const log = JSON.stringify(new URL('./src/log.ts', 'file://' + process.cwd() + '/').href);
    new Worker('import(' + log + ').then(({ writeLog }) => writeLog("info", "a\\\\u009bthread", ""))', { eval: true });
    process.emitWarning('old');`;
  const args = ['--input-type=module', '--eval', program];
  const { stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env: cleanEnv() });
  const entries = entriesOf(stderr);
  expect(entries).toEqual(
    expect.arrayContaining([
      {
        ...usual,
        level: 'warn',
        part: 'worker',
        what: 'Activity failed',
        campaign: 'flu',
        activity: 'advance',
        error: 'lost',
      },
      { ...usual, level: 'info', part: 'worker', what: 'a\u009bthread' },
      { ...usual, level: 'warn', part: 'worker', what: 'old', warning: 'Warning' },
    ]),
  );
});
