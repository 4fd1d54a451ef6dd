import type { StopReason } from '../campaign/search/log.ts';

const stops: Record<StopReason, string> = {
  points: 'it may ask no more points',
  runs: 'it may ask no more runs',
  value: 'it found a value that is good enough',
  gain: 'it expects too little of further points',
  stall: 'it found no better point for long enough',
  exhausted: 'there are no new points',
  failures: 'all points failed',
  tolerance: 'it reached its tolerance',
  generations: 'it had all its generations',
  acceptance: 'too few points came near enough',
};

/** Why it ended. Of a calibration some rules mean something else. */
export function stopText(by: StopReason, of: 'search' | 'calibration' = 'search'): string {
  return of === 'calibration' && by === 'stall' ? 'its tolerance no longer shrinks' : stops[by];
}
