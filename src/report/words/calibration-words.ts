import type { CalibrationSummary } from '../../search/abc/story.ts';
import type { Campaign } from '../../campaign/types.ts';
import { stopText } from './stop-words.ts';
import { amount, counted, numberText, percent } from './words.ts';

/**
 * The progress of a calibration in one line: "generation 4, distances up to 2.1: 120 of 200 points accepted, 1,843
 * asked for".
 */
export function calibrationText({
  generation,
  tolerance,
  accepted,
  particles,
  asked,
  failed,
  stoppedBy,
}: CalibrationSummary): string {
  const failures = failed > 0 ? `, ${failed} failed` : '';
  const stop = stoppedBy === null ? '' : `; it ended because ${stopText(stoppedBy, 'calibration')}`;
  return `generation ${generation}, ${toleranceText(tolerance)}: ${accepted} of ${counted(particles, 'point')} accepted, ${asked.toLocaleString('en-US')} asked for${failures}${stop}`;
}

export function toleranceText(tolerance: number | null): string {
  return tolerance === null ? 'all distances' : `distances up to ${numberText(tolerance)}`;
}

/** The posterior, one line per input: "Contact rate: mean 1.67 per day, sd 0.04; 95 % between 1.59 and 1.75". */
export function posteriorLines(
  { base }: Pick<Campaign, 'base'>,
  { posterior }: Pick<CalibrationSummary, 'posterior'>,
): string[] {
  if (!posterior) return [];
  return Object.entries(posterior.inputs).map(([name, marginal]) => {
    if ('shares' in marginal) {
      const shares = Object.entries(marginal.shares).sort(([, a], [, b]) => b - a);
      return `${name}: ${shares.map(([value, share]) => `${value} ${percent(Number(share.toFixed(3)))}`).join(', ')}`;
    }
    const { mean, sd, low, high } = marginal;
    const units = base.find((input) => input.name === name)?.units ?? null;
    return `${name}: mean ${amount(numberText(mean), units)}, sd ${numberText(sd)}; 95 % between ${numberText(low)} and ${numberText(high)}`;
  });
}
