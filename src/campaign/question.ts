import { isSensitivityDesign } from './designs/index.ts';
import type { Campaign } from './types.ts';

/** What a person wants to know: try values, find the best, which inputs matter, fit to data. */
export type Question = 'try' | 'best' | 'matter' | 'fit';

export const questions: Readonly<Record<Question, string>> = {
  try: 'Try values',
  best: 'Find the best',
  matter: 'Which inputs matter',
  fit: 'Fit to data',
};

export function questionOf({ design, strategy }: Pick<Campaign, 'design' | 'strategy'>): Question {
  if (strategy.by === 'search' || strategy.by === 'selection') return 'best';
  if (strategy.by === 'calibration') return 'fit';
  return isSensitivityDesign(design) ? 'matter' : 'try';
}
