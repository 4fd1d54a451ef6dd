import { expect, test } from '@jest/globals';
import { LogCollector } from '../../src/service/executors/run-log.ts';
import { KEPT_LOG, LogTail } from '../../src/text/log-tail.ts';

test.each([
  ['stdout', 'stderr'],
  ['stderr', 'stdout'],
] as const)('long lines on %s do not displace short lines on %s', (long, short) => {
  const log = new LogCollector(() => undefined);
  for (let line = 0; line < 60; line += 1) log.add(long, `${'x'.repeat(1_900)}\n`);
  for (let line = 0; line < 60; line += 1) log.add(short, `line ${line}\n`);
  const { lines, omitted } = log.end();
  expect(lines.filter((line) => line.startsWith('line'))).toEqual(
    Array.from({ length: 60 }, (_, line) => `line ${line}`),
  );
  expect(lines.length + omitted).toBe(120);
  // the store of campaigns keeps the whole log of the service
  const stored = new LogTail(KEPT_LOG);
  for (const line of lines) stored.add(line);
  expect(stored.lines).toEqual(lines);
});
