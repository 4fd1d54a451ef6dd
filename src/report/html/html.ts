import { version } from '../../package/own-version.ts';
import { measureOf } from '../../campaign/measures.ts';
import type { CampaignOutput, Goal, RunCounts } from '../../campaign/types.ts';
import { ForayError } from '../../errors.ts';
import type { CampaignRecord, ResultRow } from '../../store/index.ts';
import { nothingCompared } from './agreement-section.ts';
import { campaignSection } from './campaign-section.ts';
import { anchorOf, withContents } from './contents.ts';
import { html, Markup } from './markup.ts';
import { type ReportSection, reportSections, type Told } from './report-sections.ts';
import { summaryOptionsOf } from './story-sections.ts';
import { policy, scriptElement } from './picture-script.ts';
import { headSection } from './overview-sections.ts';
import { style } from './style.ts';
import { summarize, type Summary } from '../summary/summary.ts';

export interface ReportOptions extends Told {
  /**
   * The outputs and formulas that are shown first. Points are ranked by the first of them. A formula is a text such as
   * P(Peak > 300).
   *
   * @default the output of the goal, otherwise the first output with values
   */
  show?: readonly string[] | undefined;
  /** An output, and whether its highest or lowest values are better. @default the campaign's goal */
  goal?: Goal | undefined;
  /** Takes a notice for the person who asked for the report. */
  onNotice?: ((text: string) => void) | undefined;
}

/** A report before it becomes a page. */
interface ReportParts {
  sections: ReportSection[];
  summary: Summary;
}

/**
 * A campaign's report: one HTML page that contains everything and loads nothing. Rows are read once.
 *
 * @throws ForayError UNKNOWN_OUTPUT if `show` or `goal` names an unknown output, or the observations name an unknown
 * DATA_SET
 * @throws ForayError INVALID_VALUE if such an output is neither a number nor BOOLEAN
 * @throws ForayError INVALID_EXPRESSION if a formula is wrong
 */
export async function renderReport(
  record: CampaignRecord,
  counts: RunCounts,
  rows: AsyncIterable<ResultRow>,
  options: ReportOptions = {},
): Promise<string> {
  const { campaign } = record;
  const { sections, summary } = await reportParts(record, counts, rows, options);
  const { reference, onNotice } = options;
  if (reference && summary.agreement?.comparisons.length === 0) onNotice?.(nothingCompared(reference.label));
  const last = {
    id: 'campaign',
    markup: campaignSection(record, counts, summary.timeline.outstandingTime),
  };
  const page = [
    headSection(record),
    html`<div id="report">
      ${withContents([...sections, last]).map((section) => html`<div id="${anchorOf(section)}">${section.markup}</div>`)}
    </div>`,
    html`<footer>
      foray ${version} made this page from the campaign ${campaign.id}. The page contains everything and loads
      nothing.
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
        ${scriptElement}
      </body>
    </html> `.text;
}

/** Makes the parts of a report. @throws ForayError in the same cases as {@link renderReport} */
export async function reportParts(
  record: CampaignRecord,
  counts: RunCounts,
  rows: AsyncIterable<ResultRow>,
  options: ReportOptions,
): Promise<ReportParts> {
  const { campaign } = record;
  const { observed, reference, show = [], goal: wanted = campaign.goal, story } = options;
  const measured = (name: string) => measureOf(campaign.outputs, name);
  const goal = wanted && { ...wanted, output: measured(wanted.output).name };
  const asked = [...show, ...(goal ? [goal.output] : [])].map(measured);
  if (observed)
    named(
      campaign.outputs.filter(({ type }) => type === 'DATA_SET'),
      observed.output,
      'DATA_SET',
    );

  const summary = await summarize(campaign, rows, asked, {
    reference,
    observed: observed?.output,
    goal,
    ...summaryOptionsOf(campaign, story ?? null),
  });
  return { sections: await reportSections(record, counts, summary, options), summary };
}

function named(outputs: CampaignOutput[], name: string, what: string): CampaignOutput {
  const output = outputs.find((candidate) => candidate.name === name);
  if (output) return output;
  const names = outputs.map((candidate) => `"${candidate.name}"`).join(', ');
  throw new ForayError('UNKNOWN_OUTPUT', `The campaign has no ${what} "${name}".`, {
    hint: names ? `It has ${names}.` : undefined,
  });
}
