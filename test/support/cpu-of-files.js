import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One line of JSON for each test file that has ended: its path, and the CPU seconds that it took. */
export const CPU_OF_FILES = join(import.meta.dirname, '../../reports/cpu.jsonl');

/**
 * The CPU seconds of this process and of its children that have ended. Where the system does not tell about children, they
 * are left out.
 */
export function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + secondsOfChildren();
}

function secondsOfChildren() {
  try {
    // proc(5): the 16th and 17th field, in ticks of a hundredth of a second; the second field may have blanks
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return 0;
  }
}
