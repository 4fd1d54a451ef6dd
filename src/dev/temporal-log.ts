import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';
import { messageOf } from '../errors.ts';
import { printableLine } from '../text/printable.ts';

/** The SDK's warning about a worker without workflows. It is expected, because an executor has no workflows. */
const EXPECTED = 'No workflows registered, not polling for workflow tasks';

/** Writes a log entry as one line without the stack. Temporal's Web UI shows the details of errors. */
export function logLine({ level, message, meta }: LogEntry): void {
  if (message === EXPECTED) return;
  const error: unknown = meta?.error;
  const why = error === undefined ? '' : `: ${messageOf(error).split('\n')[0]}`;
  const workflow = typeof meta?.workflowId === 'string' ? ` (campaign ${meta.workflowId})` : '';
  const line = `${new Date().toISOString()} ${level} ${message.split('\n')[0]}${workflow}${why}`;
  process.stderr.write(`${printableLine(line)}\n`);
}

/** Makes the workers of this process log warnings and errors, one line each. */
export function installLog(): void {
  Runtime.install({ logger: new DefaultLogger('WARN', logLine) });
}
