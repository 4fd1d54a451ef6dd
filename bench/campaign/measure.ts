import type { Process } from '../process.ts';
import type { Lab } from './lab.ts';
import { type Usage, usageOf } from '../usage.ts';

/** The figures of one way to execute the runs. CPU, requests and events are per run. */
export interface Measured {
  way: string;
  runs: number;
  /** Time from the first request for a run or its results to the last result. */
  seconds: number;
  /** Time from the start (the submit of a campaign) to the last result. */
  secondsFromStart: number;
  requests: number;
  /** History events in Temporal; undefined without Temporal. */
  events?: number | undefined;
  /** CPU time of the processes that make the requests. */
  cpuMs: number;
  /** CPU time of the server that keeps the state, if there is one. */
  serverCpuMs?: number | undefined;
  peakMb: number;
}

interface Measurement {
  way: string;
  runs: number;
  /** The processes that make the requests. */
  workers: Process[];
  server?: Process | undefined;
}

/**
 * Measures the work of `runs` runs. The caller resets the stub first. `work` resolves to the time of the last result.
 */
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
