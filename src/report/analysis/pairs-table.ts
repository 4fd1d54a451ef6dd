import type { Analysis, PairIndices } from '../../sensitivity/analysis.ts';
import { partText, sentences } from '../pictures/figure.ts';
import { numberHead, table } from '../html/cells.ts';
import { html, type Markup } from '../html/markup.ts';
import { isVisiblePair, withAdjustedP } from './claims.ts';
import { cellText, chanceCell } from './numbers.ts';

/** The maximum number of pairs of inputs in the table. */
const MOST_PAIRS = 10;

/** The interactions of pairs of inputs; undefined if there are none to show. */
export function pairsTable(analysis: Analysis): Markup | undefined {
  const visible = new Set(
    tabledPairs(withAdjustedP(analysis))
      .filter((pair) => isVisiblePair(pair, analysis))
      .map(({ inputs }) => inputs.join(' × ')),
  );
  const isVisible = ({ inputs }: PairIndices): boolean => visible.has(inputs.join(' × '));
  const all = tabledPairs(analysis).toSorted(
    (a, b) => Number(isVisible(b)) - Number(isVisible(a)) || (b.value ?? 0) - (a.value ?? 0),
  );
  const pairs = all.slice(0, MOST_PAIRS);
  if (pairs.length === 0) return undefined;
  const hasEffects = pairs.some(({ effect }) => effect !== undefined);
  const hasTests = pairs.some(({ p }) => p !== undefined);
  const hasAliases = pairs.some(({ aliases }) => aliases);
  const heads = [
    'Together',
    numberHead('Share'),
    ...(hasEffects ? [numberHead('Effect')] : []),
    ...(hasTests ? [numberHead('p')] : []),
    ...(hasAliases ? ['Cannot be distinguished from'] : []),
  ];
  const rows = pairs.map(
    ({ inputs, value, interval, effect, effectInterval, p, aliases = [] }) =>
      html`<tr>
        <td>${inputs.join(' × ')}</td>
        <td class="number">${cellText(value, interval, true)}</td>
        ${hasEffects ? html`<td class="number">${cellText(effect, effectInterval, false)}</td>` : ''}
        ${hasTests ? html`<td class="number">${chanceCell(p)}</td>` : ''}
        ${hasAliases ? html`<td>${aliases.join(', ')}</td>` : ''}
      </tr>`,
  );
  return html`<p class="soft">
      ${visible.size === 0 ? 'No pair of inputs has a visible interaction. ' : ''}
      ${sentences(partText(all.length, pairs.length, 'pairs of inputs'))}
    </p>
    ${table(heads, rows)}`;
}

/**
 * The pairs for the table. In a fractional design, the effects of several pairs cannot be distinguished. The table has
 * only the first of these pairs, with the names of the others. It leaves out pairs that cannot be distinguished from an
 * input, and pairs without a number.
 */
function tabledPairs({ indices = [], secondOrder = [] }: Analysis): PairIndices[] {
  const inputs = new Set(indices.map(({ input }) => input));
  const named = new Set<string>();
  return secondOrder.filter(({ inputs: pair, value, effect, p, aliases = [] }) => {
    if ((value ?? effect ?? p) === undefined) return false;
    const name = pair.join(' × ');
    if (named.has(name) || aliases.some((one) => inputs.has(one))) return false;
    for (const one of aliases) named.add(one);
    return true;
  });
}
