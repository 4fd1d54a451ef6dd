import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import type { FastifyServerOptions } from 'fastify';
import { printable } from './text/printable.ts';

/**
 * The log of a process that serves: lines on standard error. With `--log json`, each line is a JSON object: `time`,
 * `level`, `part` (the command), `what`, and further fields such as `campaign`, `run`, `activity` or `code`.
 */

export type LogLevel = 'info' | 'warn' | 'error';

/** The name under which the threads of a process find the part of foray whose log is JSON lines. */
const JSON_PART = 'foray.log';

/** From now on, this process and its new threads log JSON lines, also for warnings of Node. */
export function logAsJson(part: string): void {
  setEnvironmentData(JSON_PART, part);
  process.removeAllListeners('warning');
  process.on('warning', ({ message, name }) => writeLog('warn', message, message, { warning: name }));
}

/** Whether the log is JSON lines. */
export function logsJson(): boolean {
  return jsonPart() !== undefined;
}

function jsonPart(): string | undefined {
  return getEnvironmentData(JSON_PART) as string | undefined;
}

/**
 * Writes an entry of the log. Control characters in it have no effect on a terminal.
 *
 * @param what - the message for JSON lines
 * @param text - the entry as text, in one or more lines
 */
export function writeLog(level: LogLevel, what: string, text: string, fields: object = {}): void {
  const part = jsonPart();
  const line =
    part === undefined
      ? text
      : JSON.stringify({ time: new Date().toISOString(), level, part, what, ...fields });
  process.stderr.write(`${printable(line)}\n`);
}

/** The logger of an HTTP server. Its lines are always JSON, in the form of {@link writeLog}. */
export function httpLogger(
  log: NodeJS.WritableStream | undefined,
  options: Exclude<FastifyServerOptions['logger'], boolean | undefined>,
): NonNullable<FastifyServerOptions['logger']> {
  if (!log) return false;
  return {
    ...options,
    stream: { write: (line: string) => void log.write(printable(line)) },
    base: { part: jsonPart() },
    messageKey: 'what',
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (level) => ({ level }) },
  };
}
