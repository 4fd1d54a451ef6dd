import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { cleanEnv, ROOT } from '../../support/cli.ts';
import { until } from '../../support/until.ts';
import { testFolder } from '../../support/test-folder.ts';

/** The program of the checkout. It starts the Node that npm has installed. */
const MAIN = join(ROOT, 'src/cli/foray.mjs');
const folder = testFolder();

/** The address of a module. A Node process that loads the module reports an older version. */
const OLDER = `data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } });",
)}`;

/**
 * The address of a module. A process that loads the module runs `body` on a SIGINT. In the body, `emit()` gives the
 * signal to the process.
 */
const treatSigint = (body: string): string =>
  `data:text/javascript,${encodeURIComponent(`
    const emitted = process.emit;
    process.emit = function (event, ...rest) {
      const emit = () => emitted.call(this, event, ...rest);
      if (event !== 'SIGINT') return emit();
      ${body}
    };
  `)}`;

/** The address of a module with which a parent receives a signal late, as on a busy machine. */
const late = (ms: number): string => treatSigint(`return setTimeout(emit, ${ms});`);

/** The address of a module with which a child lives for a second after a SIGINT, so that a later signal reaches it. */
const LINGERS = treatSigint('setTimeout(() => {}, 1_000); return emit();');

function runInOlderNode(program: string, args: string[]): ChildProcess {
  return run([`--import=${OLDER}`, program, ...args]);
}

function run(args: string[], ...further: 'pipe'[]): ChildProcess {
  return spawn(process.execPath, args, {
    cwd: folder,
    env: cleanEnv(),
    // the process leads a process group, as if a shell had started it
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...further],
  });
}

const SERVICE = ['service', '--port', '0', '--data', folder];

async function startService(child = runInOlderNode(MAIN, SERVICE)): Promise<ChildProcess> {
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  }
  await until('the service is ready', () => {
    if (child.exitCode !== null) throw new Error(`the service ended early: ${said}`);
    return /http:\/\/127\.0\.0\.1:\d+/.test(said);
  });
  return child;
}

test('in a checkout, a SIGINT that only the parent process gets ends the service with exit code 0', async () => {
  const child = await startService();
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
});

test.each([0, 200])(
  'a Ctrl-C that reaches parent and child counts once, even if the parent forwards its signal to the child after %i ms',
  async (ms) => {
    const child = await startService(run([`--import=${OLDER}`, `--import=${late(ms)}`, MAIN, ...SERVICE]));
    const ended = once(child, 'exit');
    process.kill(-child.pid!, 'SIGINT');
    expect(await ended).toEqual([0, null]);
  },
);

test('a Ctrl-C also counts once if the parent forwards its signal before the child has got its own signal', async () => {
  const child = await startService(
    run([`--import=${LINGERS}`, join(dirname(MAIN), 'behind-older-node.mjs'), ...SERVICE], 'pipe'),
  );
  const ended = once(child, 'exit');
  let said = '';
  child.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()));
  (child.stdio[3] as Writable).write('!');
  await until('the service stops', () => said.includes('Stopping'));
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
});

test('foray says on one line what to do if its package of Node is missing and the installed Node is too old', async () => {
  const bin = join(folder, 'node_modules/foray/src/cli');
  mkdirSync(bin, { recursive: true });
  copyFileSync(MAIN, join(bin, 'foray.mjs'));
  const child = runInOlderNode(join(bin, 'foray.mjs'), ['demo']);
  const [said, ended] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
  expect(said).toMatch(/^foray: this is Node 20\.19\.0; foray needs Node 24 or newer: .*\n$/);
  expect(ended).toEqual([4, null]);
});
