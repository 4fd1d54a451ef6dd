import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';
import { messageOf } from '../errors.ts';
import { printableLine } from '../text/printable.ts';

/** An executor has no workflows on purpose. */
const EXPECTED = 'No workflows registered, not polling for workflow tasks';

/** One line per entry, without stacks: the Web UI shows what goes wrong with a campaign too. */
export function logLine({ level, message, meta }: LogEntry): void {
  if (message === EXPECTED) return;
  const error: unknown = meta?.error;
  const why = error === undefined ? '' : `: ${messageOf(error).split('\n')[0]}`;
  const workflow = typeof meta?.workflowId === 'string' ? ` (campaign ${meta.workflowId})` : '';
  const line = `${new Date().toISOString()} ${level} ${message.split('\n')[0]}${workflow}${why}`;
  process.stderr.write(`${printableLine(line)}\n`);
}

/** Makes the workers of this process log warnings and errors, a line each. */
export function installLog(): void {
  Runtime.install({ logger: new DefaultLogger('WARN', logLine) });
}
