import type { StopReason } from '../../campaign/search/log.ts';

const stops: Record<StopReason, string> = {
  points: 'it may ask for no more points',
  runs: 'it may ask for no more runs',
  value: 'it found a value that is good enough',
  gain: 'it expects too little improvement from further points',
  stall: 'it found no better point for long enough',
  all: 'it has asked for all possible points',
  optimiser: 'its optimiser asked for no further point',
  exhausted: 'it found no new points',
  failures: 'all points failed',
  tolerance: 'it reached its tolerance',
  generations: 'it finished its last generation',
  acceptance: 'too few points came near enough',
};

/** Why a search or a calibration ended. The rule `stall` has another meaning in a calibration. */
export function stopText(reason: StopReason, of: 'search' | 'calibration' = 'search'): string {
  if (of === 'calibration' && reason === 'stall') return 'all accepted points have the same distance';
  return stops[reason];
}
