import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const MODULE = join(import.meta.dirname, '../../src/system/marked-processes.ts');
/** Starts a process with a mark, uses up all descriptors, and ends what has the mark. */
const PROGRAM = `
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { MarkedProcesses } from ${JSON.stringify(MODULE)};
const child = spawn('sleep', ['600'], { stdio: 'ignore', detached: true, env: { ...process.env, MARK_OF_TEST: '1' } });
await once(child, 'spawn');
const processes = new MarkedProcesses('MARK_OF_TEST=1', process.pid);
let refused = '';
while (!refused) try { openSync('/dev/null'); } catch (error) { refused = error.code; }
const exited = once(child, 'exit');
const ended = await processes.end();
if (ended.length === 0) child.kill('SIGKILL');
const [, signal] = await exited;
process.stdout.write(JSON.stringify({ refused, ended, signal }));
`;

const onLinux = existsSync('/proc/self/environ') ? test : test.skip;

onLinux('processes are found and ended when all descriptors are used up', () => {
  const command =
    'ulimit -n 64; exec "$0" --input-type=module --disable-warning=ExperimentalWarning --eval "$1"';
  const said = execFileSync('bash', ['-c', command, process.execPath, PROGRAM], { encoding: 'utf8' });
  expect(JSON.parse(said)).toEqual({ refused: 'EMFILE', ended: ['sleep 600'], signal: 'SIGKILL' });
});
