import { MOST_TEXTS, MOST_VALUES } from '../summary/effects.ts';
import { sentences } from './figure.ts';
import { html, type Markup } from '../html/markup.ts';
import type { Summary } from '../summary/summary.ts';
import { numberText } from '../words/words.ts';

/** Sentences about the parts that the pictures of effects leave out; undefined if they show everything. */
export function leftOutSection({ leftOut }: Pick<Summary, 'leftOut'>): Markup | undefined {
  if (!leftOut) return undefined;
  const { crowded, cut, isBeside } = leftOut;
  const text = sentences(
    crowded.length > 0
      ? `Effects by ${crowded.join(', ')} are not drawn, because there are more than ${MOST_TEXTS} different values`
      : undefined,
    cut.length > 0
      ? `Effects by ${cut.join(', ')} show only the first ${numberText(MOST_VALUES)} different values`
      : undefined,
    isBeside ? 'These pictures do not show points that belong only to an earlier design' : undefined,
  );
  return text === '' ? undefined : html`<p class="soft">${text}</p>`;
}
