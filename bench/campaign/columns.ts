import type { Measured } from './measure.ts';
import type { Column } from '../report.ts';

/** Columns of the tables of several parts. CPU, requests and events are per run. */
export const columns = {
  way: { title: 'way', of: ({ way }) => way },
  runs: { title: 'runs', of: ({ runs }) => runs },
  seconds: { title: 's', of: ({ seconds }) => seconds, digits: 1 },
  fromStart: { title: 's from submit', of: ({ secondsFromStart }) => secondsFromStart, digits: 1 },
  rate: { title: 'runs/s', of: ({ runs, seconds }) => runs / seconds, digits: 0 },
  requests: { title: 'requests', of: ({ requests }) => requests, digits: 2 },
  events: { title: 'events', of: ({ events }) => events, digits: 3 },
  cpu: { title: 'CPU ms', of: ({ cpuMs }) => cpuMs, digits: 2 },
  serverCpu: { title: 'server CPU ms', of: ({ serverCpuMs }) => serverCpuMs, digits: 2 },
  peak: { title: 'peak MB', of: ({ peakMb }) => peakMb },
} as const satisfies Record<string, Column<Measured>>;

const { way, runs, rate, seconds, fromStart, requests, events, cpu, serverCpu, peak } = columns;
/** How fast a way is. */
export const pace: readonly Column<Measured>[] = [way, runs, rate, seconds, fromStart];
/** What a way costs. */
export const costs: readonly Column<Measured>[] = [requests, events, cpu, serverCpu, peak];
