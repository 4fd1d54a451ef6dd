import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Connection } from '@temporalio/client';
import { lastingPort } from './lasting-port.ts';
import { until } from './until.ts';

/** A Temporal development server that keeps its state in a file, so that it can be killed and started again. */
export interface TemporalProcess {
  address: string;
  /** Starts the server, always at the same address and with the same file. Resolves when it accepts requests. */
  start(): Promise<void>;
  /** Kills the server with SIGKILL. Resolves when the server has ended. */
  kill(): Promise<void>;
}

export async function temporalProcess(file: string): Promise<TemporalProcess> {
  const port = await lastingPort();
  const address = `127.0.0.1:${port}`;
  const args = ['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--headless'];
  let child: ChildProcess | undefined;
  return {
    address,
    async start() {
      child = spawn(
        process.env.FORAY_TEMPORAL_CLI!,
        [...args, '--db-filename', file, '--log-level', 'never'],
        { stdio: 'ignore' },
      );
      await until('Temporal accepts connections', () => isServing(address));
    },
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function isServing(address: string): Promise<boolean> {
  try {
    const connection = await Connection.connect({ address, connectTimeout: 1_000 });
    await connection.close();
    return true;
  } catch {
    return false;
  }
}
