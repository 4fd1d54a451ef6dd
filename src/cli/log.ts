import type { RunLog } from '../api/extensions.ts';
import type { Foray } from '../client/index.ts';
import { counted } from '../report/index.ts';
import { print, tell } from './output.ts';
import { shortReason } from './progress-line.ts';

/** A command that has followed a campaign shows this many lines of the last failure's log. */
export const LAST_LINES = 5;

/** Prints the last lines of a log. A mark before each line shows that the line is not from foray. */
export function printLog(
  { lines, omitted }: RunLog,
  { lines: most, indent = '  ' }: { lines: number; indent?: string },
  show: (line: string) => void = print,
): void {
  const shown = lines.slice(-most);
  const before = omitted + lines.length - shown.length;
  if (before > 0) show(`${indent}| … ${counted(before, 'line')} before`);
  for (const line of shown) show(`${indent}| ${line}`);
}

/** Prints the reason and the last log lines of the run that failed last, on standard error. */
export async function tellLastFailure(foray: Foray, id: string): Promise<void> {
  const log = await foray.lastFailureLog(id);
  if (!log) return;
  tell(
    `Last failure: ${shortReason(log.reason ?? log.cause)} (point ${log.point}, replication ${log.replication})`,
  );
  printLog(log, { lines: LAST_LINES }, tell);
}
