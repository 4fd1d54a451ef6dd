import { isSensitivityDesign } from '../../campaign/designs/resolved-design.ts';
import { hasSeed } from '../../campaign/seeds.ts';
import type { RunCounts } from '../../campaign/types.ts';
import type { CalibrationStory } from '../../search/abc/story.ts';
import type { SelectStory } from '../../search/select-story.ts';
import type { SearchStory } from '../../search/story.ts';
import type { Analysis } from '../../sensitivity/analysis.ts';
import type { CampaignRecord, StoredLog } from '../../store/index.ts';
import { agreementSection } from './agreement-section.ts';
import { shownAnalyses } from '../analysis/section.ts';
import { effectFigures } from '../figures/effect-figures.ts';
import { failuresSection } from './failures-section.ts';
import { type Figure, figureSection, type Picture, pictureOf } from '../figures/figure.ts';
import { courseFigures, distributionFigures, timelineFigures } from '../figures/run-figures.ts';
import { type Ground, groundFigures } from '../figures/ground.ts';
import { leftOutSection } from '../figures/left-out.ts';
import { html, type Markup } from './markup.ts';
import type { Observed } from '../pictures/curves.ts';
import type { Reference } from '../summary/reference.ts';
import { generationsSection, posteriorSection } from './calibration-section.ts';
import { posteriorFigures } from '../figures/posterior-figures.ts';
import { sliceFigures } from '../figures/slices.ts';
import { searchFigures, selectFigures } from '../figures/search-figures.ts';
import { searchAnswer, searchPoints, searchSection, selectPoints, selectSection } from './search-section.ts';
import { answerSection, bestSection, factsSection, imprecisionText } from './overview-sections.ts';
import type { Summary } from '../summary/summary.ts';

/** A section of a report. A live page always replaces a whole section. */
export interface ReportSection {
  /** A unique id of letters, digits and hyphens. */
  id: string;
  markup: Markup;
  /** The picture of the section; undefined if it has none. */
  picture?: Picture;
}

/** What a report shows besides the runs. */
export interface Told {
  /** Observations drawn over a DATA_SET's curves: [x, y] pairs and their label. */
  observed?: (Observed & { output: string }) | undefined;
  /** Known values to compare the campaign with. */
  reference?: Reference | undefined;
  /** The course of the campaign's search. @default null, for a campaign without a search */
  search?: SearchStory | null;
  /** A grid under the points of the search. @default none */
  ground?: Ground | undefined;
  /** The course of the campaign's calibration. @default null, for a campaign without a calibration */
  calibration?: CalibrationStory | null;
  /** The course of the campaign's selection. @default null, for a campaign without a selection */
  select?: SelectStory | null;
  /** The sensitivity analyses of outputs and curves. @default none */
  analyses?: readonly Analysis[];
  /** The logs of failed runs. @default none */
  logs?: readonly StoredLog[];
  /** How outputs have depended on earlier runs, so that results may be wrong. @default '' */
  leak?: string;
}

/**
 * The sections of a report between its head and the section "What was run". The live page of a campaign has the same
 * sections.
 */
export async function reportSections(
  record: CampaignRecord,
  counts: RunCounts,
  summary: Summary,
  told: Told,
): Promise<ReportSection[]> {
  const { observed, reference, search = null, select = null, calibration = null } = told;
  const { ground, analyses = [], logs = [], leak = '' } = told;
  const { campaign } = record;
  const found = (search ?? select)?.summary ?? null;
  const { output, ranking } = summary;
  const [best] = summary.best;
  // a search reports its own value for the goal, because the means over all runs are too good
  const isSought = found !== null && output?.name === campaign.goal!.output;
  const isBestWanted = calibration === null || ranking.isGoal;
  const effects = effectFigures(
    campaign,
    summary,
    reference,
    isSought ? found.best : calibration ? null : undefined,
  );
  const analyzed = shownAnalyses(campaign, analyses, output);
  const drawn = (figures: readonly Figure[]): Promise<ReportSection[]> =>
    Promise.all(
      figures.map(async (figure) => {
        const picture = await pictureOf(figure);
        return { id: figure.id, markup: figureSection(figure, picture, campaign.id), picture };
      }),
    );
  const slices = search ? analyses.flatMap((one) => sliceFigures(campaign, search, one)) : [];
  const analysis = [
    ...part('analysis', analyzed.section),
    ...(await drawn([...analyzed.figures, ...slices])),
    ...part('analysis-others', analyzed.others),
  ];
  // in the report of a search or of a sensitivity design, the analysis comes before the effects; in other reports it
  // comes after the best points
  const isAsked = search !== null || isSensitivityDesign(campaign.design);
  return [
    ...part(
      'leak',
      leak === '' ? undefined : html`<p class="lead bad">Results may be wrong, because ${leak}</p>`,
    ),
    ...part(
      'answer',
      found
        ? searchAnswer(campaign, found, search?.isNoisy ?? hasSeed(campaign.base))
        : isAsked && !ranking.isGoal && analyzed.answer
          ? analyzed.answer
          : output && best
            ? answerSection(campaign, output, best, summary)
            : undefined,
    ),
    ...part('facts', factsSection(record, counts, summary.precision)),
    ...part('imprecise', imprecisionText(record, summary.precision)),
    ...part('none', counts.done === 0 ? html`<p class="lead">${noneText(counts)}</p>` : undefined),
    ...part(
      'no-value',
      counts.done > 0 && output && !best && !isSought && isBestWanted
        ? html`<p class="lead">No run that is done has a value of ${output.name}.</p>`
        : undefined,
    ),
    ...(search && ground ? await drawn(await groundFigures(campaign, search, ground)) : []),
    ...(search
      ? [
          ...part('search', searchSection(campaign, search)),
          ...(await drawn(searchFigures(campaign, search))),
          ...part('search-points', searchPoints(campaign, search)),
        ]
      : []),
    ...(select
      ? [
          ...part('select', selectSection(campaign, select)),
          ...(await drawn(selectFigures(campaign, select))),
          ...part('select-points', selectPoints(campaign, select)),
        ]
      : []),
    ...(calibration
      ? [
          ...part('posterior', posteriorSection(campaign, calibration)),
          ...(await drawn(posteriorFigures(campaign, calibration))),
          ...part('generations', generationsSection(calibration)),
        ]
      : []),
    ...(isAsked ? analysis : []),
    ...(await drawn(effects)),
    ...part('chosen', search && effects.length > 0 ? html`<p class="soft">${CHOSEN}</p>` : undefined),
    ...part('drawn', calibration && effects.length > 0 ? html`<p class="soft">${DRAWN}</p>` : undefined),
    ...part('left-out', leftOutSection(summary)),
    ...part(
      'agreement',
      reference && summary.agreement
        ? agreementSection(campaign, reference, summary.agreement.comparisons)
        : undefined,
    ),
    ...part('best', best && !isSought ? bestSection(campaign, summary) : undefined),
    ...(isAsked ? [] : analysis),
    ...(await drawn(courseFigures(campaign, summary.courses, observed, ranking))),
    ...(await drawn(distributionFigures(campaign, summary))),
    ...part(
      'failures',
      summary.failures.length > 0 ? failuresSection(campaign, summary.failures, logs) : undefined,
    ),
    ...(await drawn(timelineFigures(summary.timeline, counts))),
  ];
}

/** A section, or nothing if it has no content. */
function part(id: string, markup: Markup | undefined): ReportSection[] {
  return markup === undefined ? [] : [{ id, markup }];
}

/** The note below the pictures of effects of a search. */
const CHOSEN = 'The search prefers points with good values, so these points show no shares of the variance.';

/** The note below the pictures of effects of a calibration. */
const DRAWN =
  'The calibration draws points near the observations, so these points show no shares of the variance.';

function noneText({ failed, total }: RunCounts): string {
  if (failed === 0) return 'No run has finished yet.';
  return failed === total ? 'All runs have failed.' : 'No run is done yet, and some have failed.';
}
