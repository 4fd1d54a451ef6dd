import type { Analysis, PairIndices } from '../../sensitivity/analysis.ts';
import { partText, sentences } from '../figures/figure.ts';
import { html, type Markup } from '../html/markup.ts';
import { cellText, chanceCell } from './numbers.ts';

/** The maximum number of pairs of inputs in the table. */
const MOST_PAIRS = 10;

/** The interactions of pairs of inputs; undefined if there are none to show. */
export function pairsTable(analysis: Analysis): Markup | undefined {
  const { confidence } = analysis;
  const all = distinguished(analysis).toSorted(
    (a, b) => Number(isVisible(b, confidence)) - Number(isVisible(a, confidence)) || b.value - a.value,
  );
  const pairs = all.slice(0, MOST_PAIRS);
  if (pairs.length === 0) return undefined;
  const visible = all.filter((pair) => isVisible(pair, confidence)).length;
  const [hasEffects, hasTests] = [
    pairs.some(({ effect }) => effect !== undefined),
    pairs.some(({ p }) => p !== undefined),
  ];
  const aliased = pairs.some(({ aliases }) => aliases);
  return html`<p class="soft">
      ${visible === 0 ? 'No pair of inputs has a visible interaction. ' : ''}
      ${sentences(partText(all.length, pairs.length, 'pairs of inputs'))}
    </p>
    <div class="scroll" tabindex="0">
      <table>
        <thead>
          <tr>
            <th>Together</th>
            <th class="number">Share</th>
            ${hasEffects ? html`<th class="number">Effect</th>` : ''}
            ${hasTests ? html`<th class="number">p</th>` : ''}
            ${aliased ? html`<th>Cannot be distinguished from</th>` : ''}
          </tr>
        </thead>
        <tbody>
          ${pairs.map(
            ({ inputs, value, interval, effect, effectInterval, p, aliases = [] }) =>
              html`<tr>
                <td>${inputs.join(' × ')}</td>
                <td class="number">${cellText(value, interval, true)}</td>
                ${hasEffects ? html`<td class="number">${cellText(effect, effectInterval, false)}</td>` : ''}
                ${hasTests ? html`<td class="number">${chanceCell(p)}</td>` : ''}
                ${aliased ? html`<td>${aliases.join(', ')}</td>` : ''}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

/**
 * The pairs for the table. In a fractional design, the effects of several pairs cannot be distinguished. The table has
 * only the first of these pairs, with the names of the others. It leaves out pairs that cannot be distinguished from an
 * input.
 */
function distinguished({ indices = [], secondOrder = [] }: Analysis): PairIndices[] {
  const inputs = new Set(indices.map(({ input }) => input));
  const told = new Set<string>();
  return secondOrder.filter(({ inputs: pair, aliases = [] }) => {
    const name = pair.join(' × ');
    if (told.has(name) || aliases.some((one) => inputs.has(one))) return false;
    for (const one of aliases) told.add(one);
    return true;
  });
}

/**
 * Whether the effect of a pair differs from 0. An effect that has neither a test nor an interval counts as different.
 */
function isVisible({ p, interval }: PairIndices, confidence: number): boolean {
  if (p !== undefined) return p < 1 - confidence;
  return !interval || interval[0] > 0 || interval[1] < 0;
}
