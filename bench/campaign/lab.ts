import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findTemporalCli } from '../../src/dev/temporal-cli.ts';
import { Process, type ProcessOptions } from '../process.ts';
import { Stub } from './stub/control.ts';
import { Temporal } from './temporal.ts';

/** The environment of every measurement: one stub, one Temporal server, one folder for files. */
export interface Lab {
  stub: Stub;
  temporal: Temporal;
  folder: string;
  /** Starts a process. The process ends when the lab closes, if it has not ended before. */
  start(options: ProcessOptions): Process;
  close(): Promise<void>;
}

/** A key that no real service knows. The stub accepts any key. */
export const KEY = 'bench-0000-4000-8000-000000000000';

export async function openLab(): Promise<Lab> {
  const folder = mkdtempSync(join(tmpdir(), 'foray-bench-'));
  const processes: Process[] = [];
  const own = (started: Process): Process => {
    processes.push(started);
    return started;
  };
  let temporal: Temporal | undefined;
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    await temporal?.close();
    // end clients before the servers that they call
    for (const each of processes.toReversed()) await each.end();
    rmSync(folder, { recursive: true, force: true });
  };
  const closeOnce = (): Promise<void> => (closing ??= close());
  const onSignal = (): void => void closeOnce().finally(() => process.exit(130));
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  try {
    const service = own(new Process({ name: 'stub', args: [resolve(import.meta.dirname, 'stub/main.ts')] }));
    const [, origin] = await service.says(/^ready (\S+)/);
    temporal = await Temporal.start(await findTemporalCli(progress), folder, own);
    const start = (options: ProcessOptions): Process => own(new Process(options));
    return { stub: new Stub(origin!), temporal, folder, start, close: closeOnce };
  } catch (error) {
    await closeOnce();
    throw error;
  }
}

/** Prints a line of progress to standard error, because standard output is for figures. */
export function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}
