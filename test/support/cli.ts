import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Foray } from '../../src/client/index.ts';
import { readAddresses } from '../../src/dev/home.ts';
import { MAIN } from './program.ts';
import { connected } from './temporal.ts';
import { until } from './until.ts';

export { MAIN };

export const ROOT = resolve(import.meta.dirname, '../..');

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The environment without NODE_OPTIONS and the variables of foray, Temporal, traces and Jest. The path of the Temporal CLI stays. */
export function cleanEnv(): NodeJS.ProcessEnv {
  const names = Object.keys(process.env).filter(
    (name) => !/^(FORAY|TEMPORAL|OTEL)_|^NODE_OPTIONS$|^JEST/.test(name),
  );
  const env = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  return { ...env, FORAY_TEMPORAL_CLI: process.env.FORAY_TEMPORAL_CLI };
}

/** Runs `foray` in a folder, and waits for its end. */
export async function foray(
  folder: string,
  args: string[],
  { input, env = {}, program = MAIN }: { input?: string; env?: NodeJS.ProcessEnv; program?: string } = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [program, ...args], { cwd: folder, env: { ...cleanEnv(), ...env } });
  // a command that does not read its input may end before the write
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/** A running `foray dev` with all its parts, in its own folder. */
export interface Dev {
  folder: string;
  child: ChildProcess;
  /** The output so far. */
  said(): string;
  pidOf(part: 'Worker' | 'Model service' | 'Temporal'): number;
  temporal: string;
  /**
   * Sends SIGINT, as Ctrl-C does, waits for the end of the process, and removes the folder. Resolves to the exit code.
   */
  stop(): Promise<number | null>;
}

export async function startDev({
  folder = mkdtempSync(join(tmpdir(), 'foray-dev-')),
  env = {},
  args = [],
  program = MAIN,
}: { folder?: string; env?: NodeJS.ProcessEnv; args?: string[]; program?: string } = {}): Promise<Dev> {
  const child = spawn(process.execPath, [program, 'dev', ...args], {
    cwd: folder,
    env: { ...cleanEnv(), ...env },
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  try {
    await until('foray dev is ready', () => {
      if (hasEnded()) throw new Error(`foray dev ended: ${said}`);
      return said.includes('Ready.');
    });
  } catch (error) {
    child.kill('SIGINT');
    throw error;
  }
  const addresses = JSON.parse(readFileSync(join(folder, '.foray/addresses.json'), 'utf8')) as {
    temporal: { address: string };
  };
  return {
    folder,
    child,
    said: () => said,
    // takes the last printed process id, because a restarted part has another id
    pidOf: (part) => {
      const lines = said.split('\n').filter((line) => line.toLowerCase().includes(part.toLowerCase()));
      return Number(/process (\d+)/.exec(lines.findLast((line) => line.includes('process '))!)![1]);
    },
    temporal: addresses.temporal.address,
    async stop() {
      if (!hasEnded()) {
        const ended = once(child, 'exit');
        child.kill('SIGINT');
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
      return child.exitCode;
    },
  };
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (!existsSync('/proc')) return true;
  try {
    // an ended process exists until its parent reads its exit code; this may take a while for an orphan
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // the process has ended in the meantime
    return false;
  }
}

/** A client of a running `foray dev`. Most tests use the client and not the command line: commands start slowly. */
export async function clientOf({ folder }: Pick<Dev, 'folder'>): Promise<Foray> {
  const { service, store, temporal } = readAddresses(join(folder, '.foray'))!;
  const client = await Foray.open({
    service,
    store,
    taskQueue: 'foray',
    temporal: { namespace: 'default', connectionOptions: { address: temporal.address } },
    owner: 'tests',
    webUi: temporal.webUi,
  });
  await connected(client);
  return client;
}
