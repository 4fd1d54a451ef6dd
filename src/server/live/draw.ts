import type { Story } from '../../client/strategies.ts';
import { analysesIn } from '../../client/analysis.ts';
import { withContents } from '../../report/html/contents.ts';
import { campaignSection } from '../../report/html/campaign-section.ts';
import { analysesFor } from '../../report/of-campaign.ts';
import { reportSections } from '../../report/html/report-sections.ts';
import type { Summary } from '../../report/summary/summary.ts';
import type { RunCounts } from '../../campaign/types.ts';
import type { CampaignRecord, Store } from '../../store/index.ts';
import type { Section } from './look.ts';
import { shownSection } from './shown.ts';

/**
 * The counts of the runs that a summary has. While a campaign is open, runs finish between the reads of the counts and
 * the runs, and two numbers on one page would differ.
 */
export function countsIn({ timeline }: Pick<Summary, 'timeline'>, counts: RunCounts): RunCounts {
  const { new: fresh, reused, failed } = timeline.counts;
  return { ...counts, done: fresh + reused, new: fresh, reused, failed };
}

/**
 * The report of a campaign so far.
 *
 * @param counts - the counts of the runs that the report shows
 * @param isWhole - adds the sensitivity analysis, which has to read all runs
 * @param isFiltered - whether the summary has only the points that a reader has chosen
 * @param address - the view as the end of an address
 */
export async function drawSections(
  store: Store,
  record: CampaignRecord,
  summary: Summary,
  story: Story | null,
  counts: RunCounts,
  { isWhole, isFiltered, address }: { isWhole: boolean; isFiltered: boolean; address: string },
): Promise<Section[]> {
  const { campaign } = record;
  const sections = await reportSections(record, counts, summary, {
    story,
    logs: await store.runLogs(campaign.id),
    isFiltered,
    analyses: isWhole ? await analysesFor(record, (outputs) => analysesIn(store, record, { outputs })) : [],
  });
  const last = { id: 'campaign', markup: campaignSection(record, counts, summary.timeline.outstandingTime) };
  return withContents([...sections, last]).map((section) => shownSection(section, campaign.id, address));
}
