import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cleanEnv, MAIN } from './cli.ts';
import { lastingPort } from './lasting-port.ts';
import { until } from './until.ts';
import { KEY } from './world.ts';

/** A model service in a separate process. It can be killed, and started again at the same address. */
export interface ServiceProcess {
  url: string;
  /** Kills the service with SIGKILL, and starts it again with its data. */
  killAndRestart(): Promise<void>;
  /** Kills the service with SIGKILL. */
  close(): Promise<void>;
}

/** @param database - the address of a database in PostgreSQL; without it, the service has its database in its folder */
export async function startServiceProcess(dataDir: string, database?: string): Promise<ServiceProcess> {
  const port = await lastingPort();
  let { child, url } = await start(dataDir, port, database);
  const kill = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return {
    url,
    async killAndRestart() {
      await kill();
      ({ child, url } = await start(dataDir, port, database));
    },
    close: kill,
  };
}

async function start(
  dataDir: string,
  port: number,
  database = '',
): Promise<{ child: ChildProcess; url: string }> {
  const args = ['service', '--port', String(port), '--data', dataDir, '--executors', '4'];
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...cleanEnv(), FORAY_API_KEY: KEY, FORAY_SERVICE_DATABASE: database },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const url = await until('the model service is ready', () => {
    if (child.exitCode !== null) throw new Error(`the model service ended: ${said}`);
    return /http:\S+/.exec(said)?.[0];
  });
  return { child, url };
}
