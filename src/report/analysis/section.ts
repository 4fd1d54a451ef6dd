import { measureOf } from '../../campaign/measures.ts';
import type { Campaign } from '../../campaign/types.ts';
import type { Analysis, Interval, Method } from '../../sensitivity/analysis.ts';
import type { Figure } from '../figure.ts';
import { html, type Markup } from '../markup.ts';
import { numberText } from '../words.ts';
import { analysisFigures, courseFigure } from './figures.ts';
import { analysisSentence, percentText, ranked } from './words.ts';

/** Pairs of inputs that a table shows. */
const MOST_PAIRS = 10;

/** How each method works, and what it assumes. */
const HOW: Record<Method, string> = {
  sobol:
    'Sobol’ indices: shares of the variance of the output, whatever the function is. They assume that the inputs vary independently of each other, as they do in this design.',
  morris:
    'Elementary effects (Morris): changes of the output when one input moves and the others stand somewhere else each time. They rank inputs; they are no shares of the variance.',
  regression:
    'Standardized regression: it assumes that the output is a linear function of the inputs (R² says how nearly), for ranks that it rises or falls all along.',
  factorial:
    'Analysis of variance over the points of the design: main effects of inputs, and what two of them do together.',
  'gaussian-process':
    'Sobol’ indices of a Gaussian process that was fitted to the points of the search: shares of the variance over all values of the inputs. Nothing is read off the points themselves, which lie where values are good.',
  'one-at-a-time':
    'One input at a time: it says what each input does where the others are as they are, and nothing of what inputs do together.',
};

/** What each column of the table is of; numbers with a size of about 1 at most have three decimals. */
const COLUMNS = [
  { key: 'first', title: 'Alone', isUnit: true },
  { key: 'total', title: 'Total', isUnit: true },
  { key: 'muStar', title: 'μ*' },
  { key: 'mu', title: 'μ' },
  { key: 'sigma', title: 'σ' },
  { key: 'src', title: 'Coefficient (src)', isUnit: true },
  { key: 'srrc', title: 'Of ranks (srrc)', isUnit: true },
  { key: 'prcc', title: 'Partial, ranks (prcc)', isUnit: true },
  { key: 'low', title: 'At the lowest' },
  { key: 'high', title: 'At the highest' },
  { key: 'effect', title: 'Effect' },
  { key: 'elasticity', title: 'Elasticity' },
  { key: 'p', title: 'p' },
] as const;

/** "Which inputs matter": a sentence, what the method assumes, warnings and the table. */
export function analysisSection(analysis: Analysis): Markup {
  const inputs = ranked(analysis);
  const columns = COLUMNS.filter(({ key }) => inputs.some((one) => one[key] !== undefined));
  const aliased = inputs.some(({ aliases }) => aliases);
  return html`<section>
    <h2>Which inputs matter</h2>
    <p>${analysisSentence(analysis)}</p>
    <p class="soft">${HOW[analysis.method]} ${chanceText(analysis)}</p>
    ${analysis.warnings.map((warning) => html`<p class="bad">${warning}</p>`)}
    ${
      inputs.length === 0
        ? ''
        : html`<div class="scroll" tabindex="0">
            <table>
              <thead>
                <tr>
                  <th>Input</th>
                  ${columns.map(({ title }) => html`<th class="number">${title}</th>`)}
                  ${aliased ? html`<th>Not told apart from</th>` : ''}
                </tr>
              </thead>
              <tbody>
                ${inputs.map(
                  (one) =>
                    html`<tr>
                      <td>${one.input}</td>
                      ${columns.map((column) => {
                        const interval = (one as unknown as Record<string, Interval | undefined>)[
                          `${column.key}Interval`
                        ];
                        return html`<td class="number">
                          ${column.key === 'p' ? chanceCell(one.p) : cellText(one[column.key], interval, 'isUnit' in column)}
                        </td>`;
                      })}
                      ${aliased ? html`<td>${(one.aliases ?? []).join(', ')}</td>` : ''}
                    </tr>`,
                )}
              </tbody>
            </table>
          </div>`
    }
    ${pairsTable(analysis)}
  </section>`;
}

function chanceText({ chance }: Analysis): string {
  if (!chance) return '';
  return `Of the variance of single runs ${percentText(chance.ofRuns)} is chance in the replications.`;
}

/** A number with the ends of its interval. */
function cellText(value: number | undefined, interval: Interval | undefined, isUnit: boolean): string {
  if (value === undefined) return '';
  const text = (one: number): string =>
    isUnit ? one.toFixed(3).replace(/^-(0\.0+)$/, '$1') : numberText(one);
  return interval ? `${text(value)} (${text(interval[0])} … ${text(interval[1])})` : text(value);
}

/** A probability; a very small one is said to be one. */
function chanceCell(p: number | undefined): string {
  if (p === undefined) return '';
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}

function pairsTable({ secondOrder = [] }: Analysis): Markup | undefined {
  const pairs = secondOrder.toSorted((a, b) => b.value - a.value).slice(0, MOST_PAIRS);
  if (pairs.length === 0) return undefined;
  const [hasEffects, hasTests] = [
    pairs.some(({ effect }) => effect !== undefined),
    pairs.some(({ p }) => p !== undefined),
  ];
  const aliased = pairs.some(({ aliases }) => aliases);
  return html`<div class="scroll" tabindex="0">
    <table>
      <thead>
        <tr>
          <th>Together</th>
          <th class="number">Share</th>
          ${hasEffects ? html`<th class="number">Effect</th>` : ''}
          ${hasTests ? html`<th class="number">p</th>` : ''}
          ${aliased ? html`<th>Not told apart from</th>` : ''}
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

/** What a page says of analyses: those of the output that it is about, then those of curves. */
export function shownAnalyses(
  campaign: Pick<Campaign, 'outputs'>,
  analyses: readonly Analysis[],
  output: { name: string } | undefined,
): { section: Markup | undefined; figures: Figure[] } {
  const own = analyses.find((one) => one.output === output?.name && !one.times);
  const courses = analyses.filter(({ times }) => times);
  return {
    section: own && analysisSection(own),
    figures: [
      ...(own ? analysisFigures(own, measureOf(campaign.outputs, own.output)) : []),
      ...courses.flatMap((one, at) => courseFigure(one, at) ?? []),
    ],
  };
}
