import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Connection } from '@temporalio/client';
import type { Foray } from '../../src/client/index.ts';
import { isForayError } from '../../src/errors.ts';
import { ownPort } from './own-port.ts';
import { until } from './until.ts';

/** A Temporal development server that can be killed and started again. */
export interface TemporalProcess {
  address: string;
  /** Starts the server, always at the same address. Resolves when it accepts requests. */
  start(): Promise<void>;
  /** Stops all work of the server. It keeps its connections, and answers nothing. */
  freeze(): void;
  thaw(): void;
  /** Kills the server with SIGKILL. Resolves when the server has ended. */
  kill(): Promise<void>;
}

/**
 * @param file - the server's database. Without it, the server loses its state when it ends
 * @param options - more options of the server
 */
export async function temporalProcess(
  file?: string,
  options: readonly string[] = [],
): Promise<TemporalProcess> {
  const port = await ownPort();
  const address = `127.0.0.1:${port}`;
  const args = [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)],
    ...['--headless', '--log-level', 'never'],
    ...(file === undefined ? [] : ['--db-filename', file]),
    ...options,
  ];
  let child: ChildProcess | undefined;
  const hasEnded = (): boolean => !child || child.exitCode !== null || child.signalCode !== null;
  return {
    address,
    async start() {
      child = spawn(process.env.FORAY_TEMPORAL_CLI!, args, { stdio: 'ignore' });
      await until('Temporal accepts connections', async () => {
        if (hasEnded()) throw new Error(`Temporal at ${address} ended during its start`);
        return (await isListening(port)) && isServing(address);
      });
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async kill() {
      if (!child || hasEnded()) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** The gRPC client would wait a second before it tries again, so this is asked first. */
function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

async function isServing(address: string): Promise<boolean> {
  try {
    const connection = await Connection.connect({ address, connectTimeout: 5_000 });
    await connection.close();
    return true;
  } catch {
    return false;
  }
}

/**
 * Connects a client to Temporal. The client gives up after 5 s, so on a slow machine its first call might fail. Later
 * calls use the same connection.
 */
export async function connected(foray: Foray): Promise<void> {
  await until('the client is connected to Temporal', () =>
    foray['context'].temporal.reach().then(
      () => true,
      (error: unknown) => {
        if (isForayError(error) && error.code === 'TEMPORAL_UNREACHABLE') return false;
        throw error;
      },
    ),
  );
}
