import { DefaultLogger, type LogEntry, Runtime, type TelemetryOptions } from '@temporalio/worker';
import { messageOf } from '../errors.ts';
import { writeLog } from '../log.ts';
import { printableLine } from '../text/printable.ts';

/** The SDK's warning about a worker without workflows. It is expected, because an executor has no workflows. */
const EXPECTED = 'No workflows registered, not polling for workflow tasks';

/** The fields of an entry that are logged. */
type Entry = Partial<Record<'activityType' | 'attempt' | 'taskQueue' | 'sdkComponent', unknown>>;

/** Writes a log entry as one line without the stack. Temporal's Web UI shows the details of errors. */
export function logLine({ level, message, meta }: LogEntry): void {
  if (message === EXPECTED) return;
  const what = message.split('\n')[0]!;
  const error = meta?.error === undefined ? undefined : messageOf(meta.error).split('\n')[0];
  const why = error === undefined ? '' : `: ${error}`;
  const campaign = typeof meta?.workflowId === 'string' ? meta.workflowId : undefined;
  const workflow = campaign === undefined ? '' : ` (campaign ${campaign})`;
  const line = `${new Date().toISOString()} ${level} ${what}${workflow}${why}`;
  const { activityType: activity, attempt, taskQueue, sdkComponent: source } = (meta ?? {}) as Entry;
  const fields = { campaign, activity, attempt, taskQueue, error, source };
  writeLog(level === 'ERROR' ? 'error' : 'warn', what, printableLine(line), fields);
}

/**
 * Makes the workers of this process log warnings and errors, one line each, also those of Temporal's core. The core then
 * keeps the process alive until its last connection is closed, or {@link endRuntime}.
 *
 * @throws Error when the address of the metrics is in use
 */
export function installRuntime(telemetry: Pick<TelemetryOptions, 'metrics'> = {}): void {
  Runtime.install({
    logger: new DefaultLogger('WARN', logLine),
    telemetryOptions: { ...telemetry, logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
  });
}

/** Ends the runtime when something has failed, perhaps before its first connection. */
export async function endRuntime(): Promise<void> {
  await Runtime.instance().shutdown();
}
