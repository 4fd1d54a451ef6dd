import { measureOf } from '../campaign/measures.ts';
import { hasSeed } from '../campaign/seeds.ts';
import { asksWhatMatters } from '../campaign/designs/design.ts';
import type { CampaignOutput, Goal, RunCounts } from '../campaign/types.ts';
import { ForayError } from '../errors.ts';
import type { SelectStory } from '../search/select-story.ts';
import type { SearchStory } from '../search/story.ts';
import type { Analysis } from '../sensitivity/analysis.ts';
import type { CampaignRecord, ResultRow, StoredLog } from '../store/index.ts';
import { shownAnalyses } from './analysis/section.ts';
import { agreementSection } from './agreement-section.ts';
import { campaignSection } from './campaign-section.ts';
import { effectFigures } from './effect-figures.ts';
import { failuresSection } from './failures-section.ts';
import { type Figure, figureSection } from './figure.ts';
import { courseFigures, distributionFigures, timelineFigures } from './figures.ts';
import { leftOutSection } from './left-out.ts';
import { html, Markup } from './markup.ts';
import type { Observed } from './pictures/curves.ts';
import type { Reference } from './reference.ts';
import { policy, saveScript } from './save.ts';
import { searchFigures, selectFigures } from './search-figures.ts';
import { searchAnswer, searchPoints, searchSection, selectPoints, selectSection } from './search-section.ts';
import { answerSection, bestSection, factsSection, headSection, imprecisionText } from './sections.ts';
import { style } from './style.ts';
import { summarize } from './summary.ts';

export interface ReportOptions {
  /**
   * The outputs and formulas, as P(Peak > 300), that are shown first; points are ranked by the first of them.
   * @default that of the goal, else the first one that has values
   */
  show?: readonly string[] | undefined;
  /** Observations to lay over a DATA_SET's curves: [x, y] pairs and what to call them. */
  /** Which values of an output are better. @default the campaign's */
  goal?: Goal | undefined;
  observed?: Observed & { output: string };
  /** Values that are known, to hold the campaign to. */
  reference?: Reference | undefined;
  /** What the search of the campaign has done. @default null, of a campaign without a search */
  search?: SearchStory | null;
  /** Which inputs matter for outputs and curves. @default none, and nothing is said of it */
  analyses?: readonly Analysis[];
  /** What the selection of the campaign has done. @default null, of a campaign without a selection */
  select?: SelectStory | null;
  /** What failed runs printed. @default nothing */
  logs?: readonly StoredLog[];
}

/**
 * A campaign's report: one HTML page that holds everything it shows and asks nobody for anything. Rows are read once.
 *
 * @throws ForayError UNKNOWN_OUTPUT, INVALID_VALUE, INVALID_EXPRESSION when there is nothing to show by a name, or no such DATA_SET
 *   to lay observations over
 */
export async function renderReport(
  record: CampaignRecord,
  counts: RunCounts,
  rows: AsyncIterable<ResultRow>,
  options: ReportOptions = {},
): Promise<string> {
  const { campaign } = record;
  const {
    observed,
    reference,
    show = [],
    goal: wanted = campaign.goal,
    search = null,
    select = null,
  } = options;
  const measured = (name: string) => measureOf(campaign.outputs, name);
  const goal = wanted && { ...wanted, output: measured(wanted.output).name };
  const asked = [...show, ...(goal ? [goal.output] : [])].map(measured);
  if (observed)
    named(
      campaign.outputs.filter(({ type }) => type === 'DATA_SET'),
      observed.output,
      'DATA_SET',
    );

  const found = (search ?? select)?.summary ?? null;
  const summary = await summarize(campaign, rows, asked, {
    reference,
    observed: observed?.output,
    goal,
    found: found && { output: campaign.goal!.output, key: found.best?.key },
  });
  const { output, ranking } = summary;
  const [best] = summary.best;
  // what a search sought has a value of its own: the means over all runs are too good
  const isSought = found !== null && output?.name === campaign.goal!.output;
  const effects = effectFigures(campaign, summary, reference, isSought ? found.best : undefined);
  const analyzed = shownAnalyses(campaign, options.analyses ?? [], output);
  const drawn = async (figures: readonly Figure[]) =>
    Promise.all(figures.map((figure) => figureSection(figure, campaign.id)));
  const analysis = [analyzed.section, await drawn(analyzed.figures)];
  // a design that asks which inputs matter is answered first; of others it is one thing that can be said
  const isAsked = asksWhatMatters(campaign.design);
  const page = [
    headSection(record),
    found
      ? searchAnswer(campaign, found, search?.isNoisy ?? hasSeed(campaign.base))
      : output && best
        ? answerSection(campaign, output, best, ranking)
        : undefined,
    factsSection(record, counts, summary.precision),
    imprecisionText(record, summary.precision),
    counts.done === 0 ? html`<p class="lead">${noneText(counts)}</p>` : undefined,
    counts.done > 0 && output && !best && !isSought
      ? html`<p class="lead">No run that is done has a value of ${output.name}.</p>`
      : undefined,
    ...(search
      ? [
          searchSection(campaign, search),
          await drawn(searchFigures(campaign, search)),
          searchPoints(campaign, search),
        ]
      : []),
    ...(select
      ? [
          selectSection(campaign, select),
          await drawn(selectFigures(campaign, select)),
          selectPoints(campaign, select),
        ]
      : []),
    ...(isAsked ? analysis : []),
    await drawn(effects),
    search && effects.length > 0 ? html`<p class="soft">${CHOSEN}</p>` : undefined,
    leftOutSection(summary),
    reference && summary.agreement
      ? agreementSection(campaign, reference, summary.agreement.comparisons)
      : undefined,
    best && !isSought ? bestSection(campaign, summary) : undefined,
    ...(isAsked ? [] : analysis),
    await drawn(courseFigures(campaign, summary.courses, observed, ranking)),
    await drawn(distributionFigures(campaign, summary)),
    summary.failures.length > 0 ? failuresSection(campaign, summary.failures, options.logs ?? []) : undefined,
    await drawn(timelineFigures(summary.timeline, counts)),
    campaignSection(record, counts, summary.timeline.outstandingTime),
    html`<footer>
      Made by foray from the campaign ${campaign.id}. This page loads nothing from anywhere.
    </footer>`,
  ];
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${campaign.name} · foray</title>
        <style>
          ${new Markup(style)}
        </style>
      </head>
      <body>
        <main>${page}</main>
        ${saveScript}
      </body>
    </html> `.text;
}

/** Below the pictures of effects. */
const CHOSEN =
  'The search has chosen these points where values are good, so no share of the variance can be read off them.';

function noneText({ failed, total }: RunCounts): string {
  if (failed === 0) return 'No run has finished yet.';
  return failed === total ? 'All runs have failed.' : 'No run is done yet, and some have failed.';
}

function named(outputs: CampaignOutput[], name: string, what: string): CampaignOutput {
  const output = outputs.find((candidate) => candidate.name === name);
  if (output) return output;
  const names = outputs.map((candidate) => `"${candidate.name}"`).join(', ');
  throw new ForayError('UNKNOWN_OUTPUT', `The campaign has no ${what} "${name}".`, {
    hint: names ? `It has ${names}.` : undefined,
  });
}
