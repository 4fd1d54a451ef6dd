import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU time in /proc in hundredths of a second on every machine that Node runs on. */
const MS_A_TICK = 10;

/** The CPU time and memory of a process and its descendants. NaN without /proc. */
export interface Usage {
  cpuMs: number;
  /** The largest memory so far: the sum of the largest memory of each process. */
  peakMb: number;
}

export function usageOf(pid: number): Usage {
  const [own, ...others] = familyOf(pid).map(ownUsage);
  // the CPU time of a parent includes a descendant that has just ended
  const usages = [own!, ...others.filter(({ cpuMs }) => !Number.isNaN(cpuMs))];
  return {
    cpuMs: usages.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    peakMb: usages.reduce((sum, { peakMb }) => sum + peakMb, 0),
  };
}

/** User and system time, including the time of ended children (proc(5): fields 14 to 17). */
function ownUsage(pid: number): Usage {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // the name, the second field, may contain any character
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return { cpuMs: ticks * MS_A_TICK, peakMb: Number(peak?.[1] ?? NaN) / 1024 };
  } catch {
    return { cpuMs: NaN, peakMb: NaN };
  }
}

function familyOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(familyOf)];
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
