import { measureOf } from '../../campaign/measures.ts';
import type { Campaign } from '../../campaign/types.ts';
import type { Analysis, InputIndices, Interval } from '../../sensitivity/analysis.ts';
import type { Figure } from '../pictures/figure.ts';
import { numberHead, table } from '../html/cells.ts';
import { html, type Markup } from '../html/markup.ts';
import { analysisFigures, courseFigure, MOST_INPUTS } from '../pictures/indices.ts';
import { numberColumn } from '../words/words.ts';
import { cellText, chanceCell } from './numbers.ts';
import { pairsTable } from './pairs-table.ts';
import { divided, ranked, SCOPES, withAdjustedP } from './claims.ts';
import { analysisSentence, listed, nothingText, percentText, unknownText } from './words.ts';

/**
 * The columns of the table. `isUnit` marks the columns with numbers between about -1 and 1. These numbers have three
 * decimals.
 */
const COLUMNS = [
  { key: 'first', title: 'Alone', isUnit: true },
  { key: 'total', title: 'Total', isUnit: true },
  { key: 'muStar', title: 'μ*' },
  { key: 'mu', title: 'μ' },
  { key: 'sigma', title: 'σ' },
  { key: 'src', title: 'Coefficient (src)', isUnit: true },
  { key: 'srrc', title: 'Of ranks (srrc)', isUnit: true },
  { key: 'prcc', title: 'Partial, ranks (prcc)', isUnit: true },
  { key: 'share', title: 'Linear share', isUnit: true },
  { key: 'low', title: 'At the lowest' },
  { key: 'high', title: 'At the highest' },
  { key: 'effect', title: 'Effect' },
  { key: 'elasticity', title: 'Elasticity' },
  { key: 'p', title: 'p' },
] as const;

/** The short answer to the question which inputs matter. */
export function analysisAnswer(given: Analysis): Markup | undefined {
  const analysis = withAdjustedP(given);
  const { output, indices = [] } = analysis;
  if (indices.length === 0) return undefined;
  const { matter, little, nothing, unknown } = divided(analysis);
  if (unknown.length === indices.length) return undefined;
  const none = little.length > 0 ? 'None with more than a little effect' : 'None with a visible effect';
  const rest = nothing.length > 0 ? `; ${nothingText(analysis, nothing)}` : '';
  const open = unknown.length > 0 ? `; ${unknownText(unknown)}` : '';
  return html`<div class="answer">
    ${matter.length === 1 ? 'The input that matters' : 'The inputs that matter'} for ${output}
    <strong>${matter.length > 0 ? listed(matter) : none}</strong>
    of ${indices.length} inputs${matter.length > 0 ? rest : ''}${open}
  </div>`;
}

/** A sentence about each of the other outputs. */
function otherOutputs(analyses: readonly Analysis[]): Markup | undefined {
  if (analyses.length === 0) return undefined;
  return html`<section>
    <h2>Which inputs matter for other outputs</h2>
    <ul>
      ${analyses.map((one) => html`<li>${analysisSentence(one)}</li>`)}
    </ul>
  </section>`;
}

/**
 * The section "Which inputs matter": a sentence, what the method assumes, warnings, and tables of inputs and of pairs.
 */
export function analysisSection(analysis: Analysis): Markup {
  const all = ranked(analysis);
  const inputs = all.slice(0, MOST_INPUTS);
  const columns = COLUMNS.filter(({ key }) => inputs.some((one) => one[key] !== undefined));
  const hasAliases = inputs.some(({ aliases }) => aliases);
  const heads = [
    'Input',
    ...columns.map(({ title }) => numberHead(title)),
    ...(hasAliases ? ['Cannot be distinguished from'] : []),
  ];
  const rows = inputs.map(
    (one) =>
      html`<tr>
        <td>${one.input}</td>
        ${columns.map(
          (column) =>
            html`<td class="number">
              ${cellOf(one, column.key, 'isUnit' in column)}${placeText(one, column.key)}
            </td>`,
        )}
        ${hasAliases ? html`<td>${(one.aliases ?? []).join(', ')}</td>` : ''}
      </tr>`,
  );
  return html`<section>
    <h2>Which inputs matter</h2>
    <p>${analysisSentence(analysis)}</p>
    <p class="soft">${scopeText(analysis)} ${chanceText(analysis)}</p>
    ${analysis.warnings.map((warning) => html`<p class="bad">${warning}</p>`)}
    ${
      columns.length === 0
        ? ''
        : html`${table(heads, rows)}
          ${inputs.length < all.length ? html`<p class="soft">The first ${inputs.length} of ${all.length} inputs are shown. <code>foray analyze</code> shows all.</p>` : ''}`
    }
    ${pairsTable(analysis)}
  </section>`;
}

function cellOf(one: InputIndices, key: (typeof COLUMNS)[number]['key'], isUnit: boolean): string {
  if (key === 'p') return chanceCell(one.p);
  // the two ends of an effect need enough digits to be told apart
  if (key === 'low' || key === 'high') return numberColumn([one.low, one.high])[key === 'low' ? 0 : 1]!;
  const interval = (one as unknown as Record<string, Interval | undefined>)[`${key}Interval`];
  return cellText(one[key], interval, isUnit);
}

/** The value of an input at its lowest or highest output, if its values are not numbers. */
function placeText({ lowAt, highAt }: InputIndices, key: string): string {
  const value = key === 'low' ? lowAt : key === 'high' ? highAt : undefined;
  return value === undefined ? '' : ` (${value === '' ? 'empty' : value})`;
}

/** What the method shows, and what it cannot show. */
function scopeText({ method }: Analysis): string {
  const { shows, test, cannot } = SCOPES[method];
  return `The method shows ${shows}. Its test: ${test}. It cannot show ${cannot}. The sentence allows for the number of tests; each p is for one test.`;
}

function chanceText({ chance }: Analysis): string {
  if (!chance || chance.mayBeHidden) return '';
  return `${percentText(chance.ofRuns)} of the variance of single runs comes from chance in the replications.`;
}

/**
 * The parts of the page about the analyses: the answer and the section of the main output, the pictures of this output
 * and of the curves, and the section about the other outputs.
 */
export function shownAnalyses(
  campaign: Pick<Campaign, 'outputs'>,
  analyses: readonly Analysis[],
  output: { name: string } | undefined,
): {
  answer: Markup | undefined;
  section: Markup | undefined;
  figures: Figure[];
  others: Markup | undefined;
} {
  const own = analyses.find((one) => one.output === output?.name && !one.times);
  const courses = analyses.filter(({ times }) => times);
  return {
    answer: own && analysisAnswer(own),
    section: own && analysisSection(own),
    figures: [
      ...(own ? analysisFigures(own, measureOf(campaign.outputs, own.output)) : []),
      ...courses.flatMap((one, at) => {
        const curve = campaign.outputs.find(({ name }) => name === one.output);
        return courseFigure(one, at, curve?.axis) ?? [];
      }),
    ],
    others: own && otherOutputs(analyses.filter((one) => one !== own && !one.times)),
  };
}
