import type { Explanation } from '../../client/index.ts';
import { SURE } from '../../statistics/chance.ts';
import { counted, intervalText, numberText, percent } from './words.ts';

/** The precision of an output at a point, as a sentence without its full stop. */
export function precisionText(known: Explanation['precision'][number]): string {
  const { output, of, confidence, wanted, n, mean, low, high, reached } = known;
  const values =
    mean === null || low === null || high === null
      ? withoutIntervalText(known)
      : `${counted(n, 'value')}, ${of} ${intervalText({ statistic: of, units: null }, mean, [low, high])}`;
  const says = reached ? 'as precise as wanted' : 'not as precise as wanted';
  return `${output}: ${values} (${percent(confidence)}), ${says} (± ${wanted})`;
}

/** The values of an estimate without an interval, and why it has none. */
function withoutIntervalText({ n, sd, mean }: Explanation['precision'][number]): string {
  if (n < 2) return counted(n, 'value');
  if (sd !== 0) return `${counted(n, 'value')}, too few different ones for an interval`;
  const why = n < SURE ? `, which have no interval before there are ${SURE}` : '';
  return `${counted(n, 'equal value')} of ${numberText(mean!)}${why}`;
}
