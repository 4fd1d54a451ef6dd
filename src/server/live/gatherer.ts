import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Measure, measureOf } from '../../campaign/measures.ts';
import type { RunCounts } from '../../campaign/types.ts';
import { analysesIn } from '../../client/analysis.ts';
import { noCampaign } from '../../client/context.ts';
import { type Story, storyOf } from '../../client/strategies.ts';
import { isBuilt, ownFile } from '../../package/own-files.ts';
import { version } from '../../package/own-version.ts';
import { followRuns } from '../../client/follow-results.ts';
import { isClosed } from '../../client/status.ts';
import { isForayError } from '../../errors.ts';
import { analysesFor } from '../../report/of-campaign.ts';
import { LiveSummary } from '../../report/live/live-summary.ts';
import { campaignSection } from '../../report/html/campaign-section.ts';
import { withContents } from '../../report/html/contents.ts';
import { html } from '../../report/html/markup.ts';
import { reportSections } from '../../report/html/report-sections.ts';
import { summaryOptionsOf } from '../../report/html/story-sections.ts';
import { summarize, type Summary, type SummaryOptions } from '../../report/summary/summary.ts';
import type { CampaignRecord, Store } from '../../store/index.ts';
import { filtered, filterOf } from './filter.ts';
import type { Section, Seen, View } from './look.ts';
import { shownSection } from './shown.ts';

/** How often a campaign is read and drawn. */
export interface Pace {
  /** The interval between reads of the store, ms. */
  every: number;
  /** The shortest interval between drawings, ms. */
  leastPause: number;
  /** The shortest interval between drawings, as a multiple of the time that a drawing takes. */
  pauseForDrawing: number;
}

const PACE: Pace = { every: 500, leastPause: 1_000, pauseForDrawing: 10 };

/**
 * Keeps the pictures of a campaign up to date. If a {@link LiveSummary} is enough for an open campaign, this class
 * reads each finished run once. It begins again with all runs when the definition changes or a failed run is requested
 * again. For other campaigns, it reads all runs for each drawing.
 */
export class Gatherer {
  readonly #store: Store;
  readonly #id: string;
  readonly #view: View;
  readonly #tell: (seen: Seen) => void;
  readonly #pace: Pace;
  readonly #ending = new AbortController();
  #hasDrawn = false;
  /** The earliest time of the next drawing, by a monotonic clock, ms. */
  #next = 0;

  constructor(store: Store, id: string, view: View, tell: (seen: Seen) => void, pace = PACE) {
    this.#store = store;
    this.#id = id;
    this.#view = view;
    this.#tell = tell;
    this.#pace = pace;
  }

  end(): void {
    this.#ending.abort();
  }

  /**
   * Draws whenever the campaign has changed, until `end` is called.
   * @throws ForayError UNKNOWN_CAMPAIGN, UNKNOWN_OUTPUT, INVALID_VALUE, INVALID_EXPRESSION
   */
  async run(): Promise<void> {
    let drawn = '';
    while (!this.#isEnded) {
      const record = await this.#record();
      const isOver = isClosed(record);
      const measures = this.#measures(record);
      if (!isOver && LiveSummary.isEnough(record.campaign, measures)) {
        await this.#follow(record, measures);
        continue;
      }
      const state = stateOf(record);
      // the last pictures of a closed campaign do not wait for the pause
      if (state !== drawn && (isOver || this.#mayDraw)) {
        if (isOver) await this.#drawOnce(record, measures, state);
        else await this.#draw(record, (options) => this.#summarizeAll(record, measures, options));
        drawn = state;
      }
      await delay(this.#pace.every);
    }
  }

  /** Draws a closed campaign, unless the store has the drawing. */
  async #drawOnce(record: CampaignRecord, measures: readonly Measure[], state: string): Promise<void> {
    const view = createHash('sha256').update(JSON.stringify(this.#view)).digest('hex');
    const kept = await this.#keptOf(view, state);
    if (kept) {
      this.#hasDrawn = true;
      return this.#tell(kept);
    }
    const seen = await this.#draw(record, (options) => this.#summarizeAll(record, measures, options));
    await this.#store
      .keepPictures(this.#id, view, state, JSON.stringify(seen), Date.now())
      // without room in the store, the next viewer waits for a drawing again
      .catch(() => undefined);
  }

  /** The drawing in the store; undefined if the store has none, or a broken one, which the next drawing replaces. */
  async #keptOf(view: string, state: string): Promise<Seen | undefined> {
    try {
      const kept = await this.#store.keptPictures(this.#id, view, state);
      return kept === undefined ? undefined : (JSON.parse(kept) as Seen);
    } catch {
      return undefined;
    }
  }

  /** Draws an open campaign until it closes or changes, or one of its failed runs is requested again. */
  async #follow(record: CampaignRecord, measures: readonly Measure[]): Promise<void> {
    const { campaign } = record;
    const isWanted = filterOf(campaign, this.#view.inputs);
    const live = new LiveSummary(campaign, measures, this.#view.axes);
    const { done, failed } = await this.#store.counts(this.#id);
    /** The number of runs that had finished before this method began. */
    const before = done + failed;
    /** How many of these runs have not been read yet. */
    let missing = before;
    const isBegunAnew = this.#hasDrawn;
    /** Whether pictures with all earlier runs were drawn. */
    let isComplete = false;
    /** Whether the campaign has closed or changed, or one of its failed runs was requested again. */
    let isOver = false;
    /** Whether runs were read since the last pictures. */
    let isNew = true;
    const readRuns = async (): Promise<void> => {
      const isGone = (): Promise<boolean> => Promise.resolve(isOver);
      const { signal } = this.#ending;
      for await (const runs of followRuns(this.#store, campaign, this.#pace.every, isGone, signal)) {
        for (const run of runs) isOver ||= isWanted(run.row.values) && !live.add(run);
        missing -= runs.length;
        isNew = true;
        if (isOver) return;
      }
    };
    const reading = readRuns()
      .catch((error: unknown) => {
        if (!isForayError(error) || error.code !== 'CAMPAIGN_CHANGED') throw error;
      })
      .finally(() => (isOver = true));
    while (!isOver && !this.#isEnded) {
      await Promise.race([reading, delay(this.#pace.every)]);
      const now = await this.#record();
      isOver ||= now.digest !== record.digest || live.failed > (await this.#store.counts(this.#id)).failed;
      if (isOver || !isNew) continue;
      // after a new beginning, the old pictures stay until all earlier runs are read, so that pictures never show fewer
      if (missing > 0 && isBegunAnew) continue;
      // the first pictures with all earlier runs do not wait for the pause
      const isFirst: boolean = missing <= 0 && !isComplete;
      if (!isFirst && !this.#mayDraw) continue;
      isComplete ||= isFirst;
      isNew = false;
      await this.#draw(
        now,
        (options) => live.summary((key) => this.#store.results(this.#id, key), options),
        missing > 0 ? [behindSection(before - missing, before)] : [],
      );
    }
    await reading;
  }

  get #isEnded(): boolean {
    return this.#ending.signal.aborted;
  }

  get #mayDraw(): boolean {
    return performance.now() >= this.#next;
  }

  get #isFiltered(): boolean {
    return this.#view.inputs.length > 0;
  }

  /**
   * Draws the report, passes it to the listener, and returns it.
   * @param front - sections before the report
   */
  async #draw(
    record: CampaignRecord,
    summaryOf: (options: SummaryOptions) => Promise<Summary>,
    front: readonly Section[] = [],
  ): Promise<Seen> {
    const from = performance.now();
    const asOf = new Date().toISOString();
    const story = await storyOf(this.#store, record.campaign);
    const known = await this.#store.counts(this.#id);
    const summary = await summaryOf({ ...optionsOf(record, story), axes: this.#view.axes });
    // while runs are still being read, one of them may match
    const isEmpty = this.#isFiltered && front.length === 0 && summary.timeline.moments().length === 0;
    const counts = countsIn(summary, known);
    const sections = isEmpty
      ? [NO_MATCH]
      : [...front, ...(await this.#report(record, summary, story, counts))];
    const pause = Math.max(this.#pace.leastPause, this.#pace.pauseForDrawing * (performance.now() - from));
    this.#next = performance.now() + pause;
    const next = isClosed(record) ? 0 : Math.round(pause);
    this.#hasDrawn = true;
    const changedAt = new Date(record.updatedAt).toISOString();
    const finished = this.#isFiltered ? known.done + known.failed : counts.done + counts.failed;
    const seen = { version: versionOf(sections), asOf, changedAt, finished, sections, next };
    this.#tell(seen);
    return seen;
  }

  /** The report of the campaign so far. Only a whole and closed campaign is analyzed, because this reads all runs. */
  async #report(
    record: CampaignRecord,
    summary: Summary,
    story: Story | null,
    counts: RunCounts,
  ): Promise<Section[]> {
    const isWhole = isClosed(record) && !this.#isFiltered;
    const sections = await reportSections(record, counts, summary, {
      story,
      logs: await this.#store.runLogs(this.#id),
      isFiltered: this.#isFiltered,
      analyses: isWhole
        ? await analysesFor(record, (outputs) => analysesIn(this.#store, record, { outputs }))
        : [],
    });
    const last = {
      id: 'campaign',
      markup: campaignSection(record, counts, summary.timeline.outstandingTime),
    };
    return withContents([...sections, last]).map((section) =>
      shownSection(section, this.#id, this.#view.address),
    );
  }

  /** Summarizes all runs in design order, like a report. */
  async #summarizeAll(
    { campaign }: CampaignRecord,
    measures: readonly Measure[],
    options: SummaryOptions,
  ): Promise<Summary> {
    const rows = this.#store.results(this.#id);
    return summarize(campaign, filtered(campaign, rows, this.#view.inputs), measures, options);
  }

  /** The outputs that are shown first: the outputs of the view, then the output of the goal. */
  #measures({ campaign: { outputs, goal } }: CampaignRecord): Measure[] {
    return [...this.#view.show, ...(goal ? [goal.output] : [])].map((name) => measureOf(outputs, name));
  }

  async #record(): Promise<CampaignRecord> {
    const record = await this.#store.getCampaign(this.#id);
    if (record) return record;
    throw await noCampaign(this.#store, this.#id);
  }
}

/** A hash of the content: 64 bits in hexadecimal digits. */
function versionOf(sections: readonly Section[]): string {
  const hash = createHash('sha256');
  for (const { html } of sections) hash.update(html).update('\0');
  return hash.digest('hex').slice(0, 16);
}

/**
 * The counts of the runs that a summary has. While a campaign is open, runs finish between the reads of the counts and
 * the runs, and two numbers on one page would differ.
 */
function countsIn({ timeline }: Summary, counts: RunCounts): RunCounts {
  const { new: fresh, reused, failed } = timeline.counts;
  return { ...counts, done: fresh + reused, new: fresh, reused, failed };
}

function optionsOf({ campaign }: CampaignRecord, story: Story | null): SummaryOptions {
  const goal = campaign.goal && {
    ...campaign.goal,
    output: measureOf(campaign.outputs, campaign.goal.output).name,
  };
  return { goal, ...summaryOptionsOf(campaign, story) };
}

/** What draws the pictures: a version of foray, and in a checkout also the time of the last change of its code. */
const DRAWN_BY = isBuilt ? version : `${version} ${lastChangeIn(ownFile('src'))}`;

function lastChangeIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.reduce((last, file) => Math.max(last, statSync(join(folder, file)).mtimeMs), 0);
}

/** The note that is shown instead of pictures if the filters leave no run. */
const NO_MATCH: Section = {
  id: 'no-match',
  html: html`<p class="lead">No finished run matches the filter.</p>`.text,
};

/** The note that is shown while not all earlier runs have been read. */
function behindSection(read: number, all: number): Section {
  const [some, whole] = [read, all].map((count) => count.toLocaleString('en-US'));
  const text = html`<p class="note">
    The pictures show the first ${some} of the ${whole} finished runs. foray is reading the other runs.
  </p>`;
  return { id: 'behind', html: text.text };
}

/** A text that changes whenever the pictures of all runs may change. */
function stateOf({ digest, phase, updatedAt }: CampaignRecord): string {
  return JSON.stringify([DRAWN_BY, digest, phase, updatedAt]);
}
