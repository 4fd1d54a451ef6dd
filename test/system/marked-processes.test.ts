import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../service/support.ts';

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

/** Searches again and again; a process that has left its parent, group and session is born before every second search. */
const BIRTHS = `
import { execFileSync } from 'node:child_process';
import { MarkedProcesses } from ${JSON.stringify(MODULE)};
const processes = new MarkedProcesses('MARK_OF_TEST=2', process.pid);
const environment = { ...process.env, MARK_OF_TEST: '2' };
const wrong = [];
for (let round = 0; round < 30; round++) {
  const none = [...processes.find(), ...processes.find()];
  const options = { env: environment, encoding: 'utf8' };
  const born = Number(execFileSync('setsid', ['sh', '-c', 'sleep 600 >/dev/null 2>&1 & echo $!'], options));
  const found = processes.find();
  const again = processes.find();
  if (none.length > 0 || String(found) !== String(born) || String(again) !== String(born))
    wrong.push({ none, born, found, again });
  process.kill(born, 'SIGKILL');
  while (processes.find().length > 0);
}
process.stdout.write(JSON.stringify(wrong));
`;
/** A process without the mark, and one that has left its parent, work in a folder of the marked ones. */
const WITHOUT = `
import { execFileSync } from 'node:child_process';
import { MarkedProcesses } from ${JSON.stringify(MODULE)};
const [real, link] = process.argv.slice(1);
const born = (cwd) => {
  const command = 'sleep 600 >/dev/null 2>&1 & echo $!';
  return Number(execFileSync('env', ['-i', 'setsid', 'sh', '-c', command], { cwd, encoding: 'utf8' }));
};
const [own, other] = [born(real + '/inside'), born('/')];
const found = new MarkedProcesses('MARK_OF_TEST=3', process.pid, [link]).find();
for (const pid of [own, other]) process.kill(pid, 'SIGKILL');
process.stdout.write(JSON.stringify({ own, found }));
`;
const ARGS = ['--input-type=module', '--disable-warning=ExperimentalWarning', '--eval'];

const onLinux = existsSync('/proc/self/environ') ? test : test.skip;

onLinux('processes are found and ended when all descriptors are used up', () => {
  const command = 'ulimit -n 64; exec "$0" "$@"';
  const said = execFileSync('bash', ['-c', command, process.execPath, ...ARGS, PROGRAM], {
    encoding: 'utf8',
  });
  expect(JSON.parse(said)).toEqual({ refused: 'EMFILE', ended: ['sleep 600'], signal: 'SIGKILL' });
});

onLinux('each search finds the processes that were born since the last one', () => {
  const wrong = execFileSync(process.execPath, [...ARGS, BIRTHS], { encoding: 'utf8' });
  expect(JSON.parse(wrong)).toEqual([]);
});

onLinux('a process without the mark is found in a folder of the marked ones', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'real', 'inside'), { recursive: true });
  symlinkSync('real', join(folder, 'link'));
  const words = [join(folder, 'real'), join(folder, 'link')];
  const said = execFileSync(process.execPath, [...ARGS, WITHOUT, ...words], { encoding: 'utf8' });
  const { own, found } = JSON.parse(said) as { own: number; found: number[] };
  expect(found).toEqual([own]);
});
