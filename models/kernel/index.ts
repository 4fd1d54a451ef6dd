/** A kernel for discrete-event models: events, random numbers, resources and statistics (docs/reference/kernel.md). */
export type { Action, EventId } from './calendar.ts';
export {
  bernoulli,
  discreteUniform,
  erlang,
  exponential,
  gamma,
  lognormal,
  normal,
  poisson,
  type Random,
  triangular,
  uniform,
  weibull,
} from './distributions.ts';
export { Empirical } from './empirical.ts';
export { Histogram } from './histogram.ts';
export { Mrg32k3a } from './mrg32k3a.ts';
export { runWithProgress } from './progress.ts';
export { Queue } from './queue.ts';
export { Resource } from './resource.ts';
export { Simulation } from './simulation.ts';
export { randomStream } from './streams.ts';
export { Tally } from './tally.ts';
export { TimeSeries } from './time-series.ts';
export { TimeWeighted } from './time-weighted.ts';
export { resetAt } from './warm-up.ts';
