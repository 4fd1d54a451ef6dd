import { measureOf } from '../../campaign/measures.ts';
import type { Goal, RunCounts } from '../../campaign/types.ts';
import { ForayError } from '../../errors.ts';
import type { CampaignRecord, ResultRow } from '../../store/index.ts';
import { nothingCompared } from './agreement-section.ts';
import { campaignSection } from './campaign-section.ts';
import { anchorOf, withContents } from './contents.ts';
import { html } from './markup.ts';
import { reportPage } from './page.ts';
import { reportSections, type ReportExtras } from './report-sections.ts';
import type { ReportSection } from './section.ts';
import { summaryOptionsOf } from './story-sections.ts';
import { headSection } from './overview-sections.ts';
import { dataSetsOf, summarize, type Summary } from '../summary/summary.ts';

export interface ReportOptions extends ReportExtras {
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

/** A report before it becomes a page: its sections without the last one, and the summary that they show. */
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
  const report = html`<div id="report">
    ${withContents([...sections, last]).map((section) => html`<div id="${anchorOf(section)}">${section.markup}</div>`)}
  </div>`;
  return reportPage(campaign.name, `the campaign ${campaign.id}`, headSection(record), report);
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
  if (observed) checkDataSet(dataSetsOf(campaign), observed.output);
  const summary = await summarize(campaign, rows, asked, {
    reference,
    observed: observed?.output,
    goal,
    ...summaryOptionsOf(campaign, story ?? null),
  });
  return { sections: await reportSections(record, counts, summary, options), summary };
}

function checkDataSet(known: readonly string[], name: string): void {
  if (known.includes(name)) return;
  throw new ForayError('UNKNOWN_OUTPUT', `The campaign has no DATA_SET "${name}".`, {
    hint: known.length > 0 ? `It has ${known.map((one) => `"${one}"`).join(', ')}.` : undefined,
  });
}
