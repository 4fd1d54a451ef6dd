import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Place } from '../../src/service/files/open.ts';
import { ownPort } from './own-port.ts';
import { until } from './until.ts';
import { findVersitygw } from './versitygw.ts';

export const S3_KEY = { accessKeyId: 'test-access', secretAccessKey: 'S3-s3cret-of-tests' };

/** An S3-compatible server on 127.0.0.1 with one bucket. */
export interface S3Server {
  endpoint: string;
  place: S3Place;
  /** The names of the stored files. */
  files(): string[];
  /** The path of a stored file. */
  pathOf(hash: string): string;
  /** Starts the server if it does not run, always at the same address and with the same files. */
  start(): Promise<void>;
  /** Kills the server with SIGKILL. Resolves when the server has ended. */
  kill(): Promise<void>;
  remove(): Promise<void>;
}

export async function startS3(secretAccessKey = S3_KEY.secretAccessKey): Promise<S3Server> {
  const program = await findVersitygw();
  const folder = mkdtempSync(join(tmpdir(), 'foray-s3-'));
  const bucket = join(folder, 'runs');
  mkdirSync(bucket);
  const port = await ownPort();
  const endpoint = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const isRunning = (): boolean =>
    child !== undefined && child.exitCode === null && child.signalCode === null;
  const server: S3Server = {
    endpoint,
    place: {
      bucket: { url: `${endpoint}/runs`, region: 'us-east-1' },
      credentials: { ...S3_KEY, secretAccessKey },
    },
    files: () => (existsSync(join(bucket, 'files')) ? readdirSync(join(bucket, 'files')) : []),
    pathOf: (hash) => join(bucket, 'files', hash),
    async start() {
      if (isRunning()) return;
      child = spawn(program, ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', folder], {
        env: { ROOT_ACCESS_KEY_ID: S3_KEY.accessKeyId, ROOT_SECRET_ACCESS_KEY: secretAccessKey },
        stdio: 'ignore',
      });
      await until('the S3 server answers', () => {
        if (child!.exitCode !== null) throw new Error(`versitygw ended with ${child!.exitCode}`);
        return fetch(endpoint).then(
          () => true,
          () => false,
        );
      });
    },
    async kill() {
      if (!isRunning()) return;
      const exited = once(child!, 'exit');
      child!.kill('SIGKILL');
      await exited;
    },
    async remove() {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}
