import { isSensitivityDesign } from '../../campaign/designs/index.ts';
import { type Campaign, closedPhases, type Phase, type RunCounts } from '../../campaign/types.ts';
import type { Story } from '../../client/strategies.ts';
import type { Analysis } from '../../sensitivity/analysis.ts';
import type { CampaignRecord, ResultRow, StoredLog } from '../../store/index.ts';
import { agreementSection } from './agreement-section.ts';
import { shownAnalyses } from '../analysis/section.ts';
import { effectFigures } from '../pictures/effects.ts';
import { failuresSection } from './failures-section.ts';
import { type Drawing, type Figure, pictureOf, sentences } from '../pictures/figure.ts';
import { courseFigures, type ObservedOutput } from '../pictures/curves.ts';
import { distributionFigures } from '../pictures/histograms.ts';
import { timelineFigures } from '../pictures/timeline.ts';
import type { Ground } from '../pictures/heat-map.ts';
import { html, type Markup } from './markup.ts';
import { type AxisRefusal, MOST_TEXTS, MOST_VALUES } from '../summary/effects.ts';
import { MOST_CELLS, MOST_FACETS } from '../summary/grid.ts';
import { counted, numberText } from '../words/words.ts';
import { CourseGatherer } from '../summary/courses.ts';
import type { Reference } from '../summary/reference.ts';
import { drawn, part, type ReportSection } from './section.ts';
import { foundIn, storyPartsOf } from './story-sections.ts';
import { answerSection, bestSection, factsSection, imprecisionText } from './overview-sections.ts';
import type { Summary } from '../summary/summary.ts';

/** What a report shows besides the runs. */
export interface ReportExtras {
  /** Observations drawn over a DATA_SET's curves: [x, y] pairs and their label. */
  observed?: ObservedOutput | undefined;
  /** Known values to compare the campaign with. */
  reference?: Reference | undefined;
  /** The course of the campaign's strategy. @default null, for a campaign with a design */
  story?: Story | null;
  /** A grid under the points of the search. @default none */
  ground?: Ground | undefined;
  /** The sensitivity analyses of outputs and curves. @default none */
  analyses?: readonly Analysis[];
  /** The logs of failed runs. @default none */
  logs?: readonly StoredLog[];
  /** How outputs have depended on earlier runs, so that results may be wrong. @default '' */
  leak?: string;
  /** Whether the summary and the counts have only the points that a reader has chosen. @default false */
  isFiltered?: boolean;
}

/**
 * The sections of a report between its head and the section "What was run". The live page of a campaign has the same
 * sections.
 *
 * @param drawing - draws the picture of a figure, which takes most of the time
 */
export async function reportSections(
  record: CampaignRecord,
  counts: RunCounts,
  summary: Summary,
  extras: ReportExtras,
  drawing: Drawing = pictureOf,
): Promise<ReportSection[]> {
  const {
    observed,
    reference,
    story = null,
    ground,
    analyses = [],
    logs = [],
    leak = '',
    isFiltered = false,
  } = extras;
  const { campaign } = record;
  const found = story && foundIn(story);
  const storyParts = story && storyPartsOf(campaign, story);
  const { output, ranking } = summary;
  const [best] = summary.best;
  const isCalibration = story?.by === 'calibration';
  // a search reports its own value for the goal, because the means over all runs are too good
  const isSought = found !== null && output?.name === campaign.goal!.output;
  const marked = isSought ? found.best : isCalibration ? null : undefined;
  const effects = effectFigures(campaign, summary, reference, marked);
  const analyzed = shownAnalyses(campaign, analyses, output);
  const draw = (figures: readonly Figure[]): Promise<ReportSection[]> => drawn(figures, campaign.id, drawing);
  const analysis = [
    ...part('analysis', analyzed.section),
    ...(await draw([...analyzed.figures, ...analyses.flatMap((one) => storyParts?.analysis(one) ?? [])])),
    ...part('analysis-others', analyzed.others),
  ];
  // in the report of a search or of a sensitivity design, the analysis comes before the effects; in other reports it
  // comes after the best points
  const isAnalysisFirst = story?.by === 'search' || isSensitivityDesign(campaign.design);
  const analysisAnswer = isAnalysisFirst && !ranking.isGoal ? analyzed.answer : undefined;
  const bestAnswer = () => (output && best ? answerSection(campaign, output, best, summary) : undefined);
  return [
    ...part(
      'leak',
      leak === '' ? undefined : html`<p class="lead bad">Results may be wrong, because ${leak}</p>`,
    ),
    ...part(
      'unfiltered',
      isFiltered && storyParts
        ? html`<p class="lead">The filter does not change what is said of the ${story.by}.</p>`
        : undefined,
    ),
    ...part('answer', storyParts?.answer() ?? analysisAnswer ?? bestAnswer()),
    ...part('facts', factsSection(record, counts, summary, isFiltered)),
    ...part('imprecise', isFiltered ? undefined : imprecisionText(record, summary.precision)),
    ...part(
      'none',
      counts.done === 0 ? html`<p class="lead">${noneText(counts, record.phase)}</p>` : undefined,
    ),
    ...part(
      'no-value',
      counts.done > 0 && output && !best && !isSought && (!isCalibration || ranking.isGoal)
        ? html`<p class="lead">No run that is done has a value of ${output.name}.</p>`
        : undefined,
    ),
    ...((await storyParts?.sections(drawing, ground)) ?? []),
    ...(isAnalysisFirst ? analysis : []),
    ...(await draw(effects)),
    ...part(
      'chosen',
      storyParts?.effectsNote && effects.length > 0
        ? html`<p class="soft">${storyParts.effectsNote}</p>`
        : undefined,
    ),
    ...part('left-out', leftOutSection(summary)),
    ...part(
      'agreement',
      reference && summary.agreement
        ? agreementSection(campaign, reference, summary.agreement.comparisons)
        : undefined,
    ),
    ...part('best', best && !isSought ? bestSection(campaign, summary) : undefined),
    ...(isAnalysisFirst ? [] : analysis),
    ...(await draw(courseFigures(campaign, summary.courses, observationsOf(campaign, observed), ranking))),
    ...(await draw(distributionFigures(campaign, summary))),
    ...part(
      'failures',
      summary.failures.length > 0 ? failuresSection(campaign, summary.failures, logs) : undefined,
    ),
    ...(await draw(timelineFigures(summary.timeline, counts))),
  ];
}

/** The pictures of one point: the curves of its runs, one above the other. */
export function pointSections(campaign: Campaign, rows: readonly ResultRow[]): Promise<ReportSection[]> {
  const courses = new CourseGatherer(campaign.outputs);
  for (const row of rows) if (row.status === 'done') courses.add(row);
  const ranking = { wants: 'lowest', isGoal: false } as const;
  const figures = courseFigures(campaign, courses.result(undefined), observationsOf(campaign), ranking);
  return drawn(figures, campaign.id, pictureOf);
}

/** The observed curves: those that a reader gives, and otherwise those of a calibration. */
function observationsOf(campaign: Campaign, observed?: ObservedOutput): ObservedOutput[] {
  if (observed) return [observed];
  if (campaign.strategy.by !== 'calibration') return [];
  return campaign.strategy.observed.flatMap((one) =>
    one.kind === 'curve'
      ? [{ output: one.output, label: 'observed', points: one.x.map((x, at) => [x, one.y[at]!] as const) }]
      : [],
  );
}

function noneText({ failed, total }: RunCounts, phase: Phase): string {
  if (failed === 0) return 'No run has finished yet.';
  if (failed === total) return 'All runs have failed.';
  return closedPhases.includes(phase)
    ? `No run is done, and ${counted(failed, 'run has', 'runs have')} failed.`
    : 'No run is done yet, and some have failed.';
}

/** Why the pictures do not follow the choice of an input for an axis. */
const refusals: Record<AxisRefusal['why'], (name: string) => string> = {
  twice: (name) => `${name} was chosen twice, so only the first choice counts`,
  many: (name) =>
    `There is no picture for each value of ${name}, because there are more than ${MOST_FACETS} values`,
  few: (name) => `There is no picture for each value of ${name}, because the axes need two other inputs`,
  sampled: (name) =>
    `No surface shows ${name}, because the axes of a surface are inputs with many different numbers`,
  whole: (name) =>
    `There is no heat map for each value of ${name}, because inputs with many different numbers have no heat maps`,
  sparse: (name) =>
    `There is no heat map over ${name}, because most combinations of the inputs' values are no points, or there are more than ${numberText(MOST_CELLS)} points`,
};

/** Sentences about the parts that the pictures of effects leave out; undefined if they show everything. */
function leftOutSection({ leftOut }: Pick<Summary, 'leftOut'>): Markup | undefined {
  if (!leftOut) return undefined;
  const { axes, crowded, cut, isBeside } = leftOut;
  const text = sentences(
    ...axes.map(({ name, why }) => refusals[why](name)),
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
