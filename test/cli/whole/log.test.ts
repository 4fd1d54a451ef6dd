import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { cleanEnv, MAIN } from '../../support/cli.ts';
import { ownPort } from '../../support/own-port.ts';
import { until } from '../../support/until.ts';
import { entriesOf, type Entry, usual } from '../log-entries.ts';
import { testFolder } from '../../support/test-folder.ts';

const folder = testFolder();

/** Runs a command with `--log json` until its log has an entry and it has ended, by SIGTERM if it goes on. */
async function logged(
  args: string[],
  env: NodeJS.ProcessEnv,
  isThere: (entry: Entry) => boolean,
): Promise<{ entries: Entry[]; stdout: string }> {
  const child = spawn(process.execPath, [MAIN, ...args, '--log', 'json'], {
    cwd: folder,
    env: { ...cleanEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (said[name] += text));
  // the last line may not be whole
  const whole = (): string => said.stderr.slice(0, said.stderr.lastIndexOf('\n') + 1);
  try {
    await until('the log has the entry', () => entriesOf(whole()).some(isThere));
  } finally {
    child.kill('SIGTERM');
  }
  await ended;
  return { entries: entriesOf(said.stderr), stdout: said.stdout };
}

test('foray service logs JSON lines, and its new key is not in them', async () => {
  const args = ['service', '--port', '0', '--data', 'service', '--executors', '1'];
  const { entries, stdout } = await logged(args, {}, ({ what }) => String(what).includes('Model service'));
  expect(entries).toContainEqual({
    ...usual,
    level: 'info',
    part: 'service',
    what: expect.stringMatching(/^Model service http:\S+ \(process \d+\)$/),
  });
  const [, key] = /API key +(\S+)/.exec(stdout)!;
  expect(JSON.stringify(entries)).not.toContain(key);
});

test('foray server logs JSON lines, and no address for a login is in them', async () => {
  const { entries, stdout } = await logged(['server', '--port', '0'], {}, ({ what }) =>
    String(what).startsWith('API '),
  );
  expect(entries).toContainEqual({ ...usual, level: 'info', part: 'server', what: expect.any(String) });
  const [, code] = /login#(\S+)/.exec(stdout)!;
  expect(JSON.stringify(entries)).not.toContain(code);
});

test.each(['worker', 'executor'])(
  'foray %s logs the error with which it ends as a JSON line',
  async (part) => {
    const nobody = `127.0.0.1:${await ownPort()}`;
    const env = {
      TEMPORAL_ADDRESS: nobody,
      FORAY_SERVICE_URL: `http://${nobody}`,
      FORAY_EXECUTOR_KEY: 'a-secret-key',
      FORAY_API_KEY: 'a-secret-key',
    };
    const { entries } = await logged([part], env, ({ level }) => level === 'error');
    const code = part === 'worker' ? 'TEMPORAL_UNREACHABLE' : 'SERVICE_UNREACHABLE';
    expect(entries).toContainEqual({ ...usual, level: 'error', part, code, hint: expect.any(String) });
    expect(JSON.stringify(entries)).not.toContain('a-secret-key');
  },
);
