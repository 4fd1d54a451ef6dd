import type { CampaignOutput, RunCounts, VariedInput } from '../campaign/types.ts';
import { ForayError } from '../errors.ts';
import type { CampaignRecord, ResultRow } from '../store/index.ts';
import { html, Markup } from './markup.ts';
import { curves, type Observed } from './pictures/curves.ts';
import { heatMap } from './pictures/heat-map.ts';
import { mainEffects } from './pictures/main-effects.ts';
import { meanOf } from './points.ts';
import { drawSvg, type Spec } from './pictures/render.ts';
import { answerSection, bestSection, factsSection, failuresSection, headSection } from './sections.ts';
import { style } from './style.ts';
import { summarize, type Summary } from './summary.ts';
import { kindOfOutput } from './values.ts';
import { titleOf } from './words.ts';

export interface ReportOptions {
  /** The numeric output to show, lowest is best. @default the campaign's first one */
  output?: string;
  /** Observations to lay over a DATA_SET's curves: [x, y] pairs and what to call them. */
  observed?: Observed & { output: string };
}

/**
 * A campaign's report: one HTML page that holds everything it shows and asks nobody for anything. Rows are read once.
 *
 * @throws ForayError UNKNOWN_OUTPUT when the campaign has no such numeric output, or no such DATA_SET to lay
 *   observations over
 */
export async function renderReport(
  record: CampaignRecord,
  counts: RunCounts,
  rows: AsyncIterable<ResultRow>,
  options: ReportOptions = {},
): Promise<string> {
  const { campaign } = record;
  const { observed } = options;
  const numeric = campaign.outputs.filter(({ type }) => kindOfOutput(type) === 'number');
  const output = options.output === undefined ? numeric[0] : named(numeric, options.output, 'numeric output');
  if (observed)
    named(
      campaign.outputs.filter(({ type }) => type === 'DATA_SET'),
      observed.output,
      'DATA_SET',
    );

  const summary = await summarize(record, rows, output);
  const [best] = summary.best;
  const page = [
    headSection(record),
    output && best ? answerSection(campaign, output, best) : undefined,
    factsSection(record, counts),
    counts.done === 0 ? html`<p class="lead">No run has finished yet.</p>` : undefined,
    counts.done > 0 && output && !best
      ? html`<p class="lead">No finished run has a value of ${output.name}.</p>`
      : undefined,
    output ? await effectsSection(summary, campaign.varied, output) : undefined,
    best ? bestSection(campaign, output, summary.best) : undefined,
    ...(await curveSections(summary, campaign.replications, observed)),
    summary.failures.length > 0 ? failuresSection(campaign, summary.failures) : undefined,
    html`<footer>
      Made by foray from the campaign ${campaign.id}. This page loads nothing from anywhere.
    </footer>`,
  ];
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${campaign.name} · foray</title>
        <style>
          ${new Markup(style)}
        </style>
      </head>
      <body>
        <main>${page}</main>
      </body>
    </html> `.text;
}

function named(outputs: CampaignOutput[], name: string, what: string): CampaignOutput {
  const output = outputs.find((candidate) => candidate.name === name);
  if (output) return output;
  const names = outputs.map((candidate) => `"${candidate.name}"`).join(', ');
  throw new ForayError('UNKNOWN_OUTPUT', `The campaign has no ${what} "${name}".`, {
    hint: names ? `It has ${names}.` : undefined,
  });
}

async function effectsSection(
  { effects, best }: Summary,
  varied: readonly VariedInput[],
  output: CampaignOutput,
) {
  if (!effects) return undefined;
  if (effects.kind === 'main') {
    const names = effects.effects.map(({ axis }) => axis.input.name).join(', ');
    const caption = 'The mean over all points that have the value; the lowest is marked.';
    return picture(`${output.name} by ${names}`, caption, 'effects', mainEffects(effects, output));
  }
  const { x, y, cells } = effects;
  const valueOf = ({ input }: typeof x) => Number(best[0]!.values[varied.indexOf(input)]);
  const spec = heatMap(effects, output, {
    x: valueOf(x),
    y: valueOf(y),
    mean: meanOf(best[0]!, output.name)!,
  });
  const isWhole = x.binOf.size === x.bins.length && y.binOf.size === y.bins.length;
  const caption = [
    isWhole
      ? 'Each cell is a point of the design'
      : 'Each cell is the mean of neighbouring points of the design',
    '; lighter is lower',
    cells.length < x.bins.length * y.bins.length ? '; where there is none, no run has finished.' : '.',
  ].join('');
  return picture(`${output.name} over ${x.input.name} and ${y.input.name}`, caption, 'effects', spec);
}

async function curveSections(
  { curves: all }: Summary,
  replications: number,
  observed: ReportOptions['observed'],
) {
  const sections = all.map(({ output, best, others }, i) => {
    const spec = curves(output, best, others, observed?.output === output.name ? observed : undefined);
    const which = replications > 1 ? ' The first replication of each is drawn.' : '';
    return picture(
      titleOf(output),
      `The best point in front of others of the design.${which}`,
      `curves-${i}`,
      spec,
    );
  });
  return Promise.all(sections);
}

async function picture(title: string, caption: string, id: string, spec: Spec) {
  const svg = await drawSvg(spec, id, `${title}. ${caption}`);
  return html`<section>
    <h2>${title}</h2>
    <p class="soft">${caption}</p>
    <figure>${new Markup(svg)}</figure>
  </section>`;
}
