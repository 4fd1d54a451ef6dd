import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { cleanEnv, MAIN } from '../support/cli.ts';
import { until } from '../support/until.ts';

test('a command that waits for a frozen service says for what, and prints no result', async () => {
  // the system accepts connections for a frozen process, and nobody answers
  const frozen = createServer();
  frozen.listen(0, '127.0.0.1');
  await once(frozen, 'listening');
  const origin = `http://127.0.0.1:${(frozen.address() as AddressInfo).port}`;
  const folder = mkdtempSync(join(tmpdir(), 'foray-frozen-'));
  const args = [MAIN, 'submit', '-', '--json', '--service-url', origin, '--api-key', 'key'];
  const child = spawn(process.execPath, args, { cwd: folder, env: cleanEnv() });
  try {
    const stdout = text(child.stdout);
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.stdin.end('campaign: frozen\nmodel: {name: Epidemic}\n');
    await until('the command says what it waits for', () => said.includes('\n'));
    expect(said).toBe(
      `The model service at ${origin} does not answer yet. Waiting for it; Ctrl-C stops this command.\n`,
    );
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    expect(await ended).toEqual([null, 'SIGINT']);
    expect(await stdout).toBe('');
  } finally {
    child.kill('SIGKILL');
    frozen.close();
    rmSync(folder, { recursive: true });
  }
});
