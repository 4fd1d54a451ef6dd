/** The calls that `Temporal.call` makes. An import of this file loads Temporal's SDK. */
export { changeCampaign, giveUpChange, setConcurrency } from './change.ts';
export { TemporalConnection } from './connection.ts';
export {
  answers,
  endDeletedOf,
  failures,
  firstRunIdOf,
  flights,
  hasOpenChange,
  isClosed,
  runIdOf,
  signal,
  terminate,
} from './messages.ts';
export { blockedBy, progressOf } from './progress.ts';
export { startNotices, startToStop, startWorkflow } from './start.ts';
