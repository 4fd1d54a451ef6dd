import type { Process } from '../process.ts';
import type { Lab } from './lab.ts';
import { type Usage, usageOf } from '../usage.ts';

/** What one way took; CPU, requests and events are a run. */
export interface Measured {
  way: string;
  runs: number;
  /** From the first request at the service to the last result. */
  seconds: number;
  /** From the start of it all, which is the submit of a campaign, to the last result. */
  secondsFromStart: number;
  requests: number;
  /** History events in Temporal; undefined where there is no history. */
  events?: number | undefined;
  /** Of the process, or processes, that make the requests. */
  cpuMs: number;
  /** Of the server that keeps the place, where there is one. */
  serverCpuMs?: number | undefined;
  peakMb: number;
}

interface Measurement {
  way: string;
  runs: number;
  /** Processes that make the requests. */
  workers: Process[];
  server?: Process | undefined;
}

/** Measures work that takes `runs` runs at the stub, from its last reset on. `work` resolves to when the last result came. */
export async function measure(
  lab: Lab,
  { way, runs, workers, server }: Measurement,
  work: () => Promise<{ endedAt: number; events?: number }>,
): Promise<Measured> {
  const cpuOf = (process: Process): number => usageOf(process.pid).cpuMs;
  const used = workers.map(cpuOf);
  const served = server ? cpuOf(server) : undefined;
  const startedAt = Date.now();
  const { endedAt, events } = await work();
  const usages: Usage[] = workers.map(({ pid }) => usageOf(pid));
  const servedNow = server ? cpuOf(server) : undefined;
  const { requests, firstAskedAt } = await lab.stub.stats();
  const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
  return {
    way,
    runs,
    seconds: (endedAt - firstAskedAt) / 1_000,
    secondsFromStart: (endedAt - startedAt) / 1_000,
    requests: requests / runs,
    events: events === undefined ? undefined : events / runs,
    cpuMs: sum(usages.map(({ cpuMs }, at) => cpuMs - used[at]!)) / runs,
    serverCpuMs: servedNow === undefined ? undefined : (servedNow - served!) / runs,
    peakMb: sum(usages.map(({ peakMb }) => peakMb)),
  };
}
