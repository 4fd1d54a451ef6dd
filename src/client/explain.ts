import { byName, RANDOM_SEED, scalarOutputTypes } from '../api/index.ts';
import type { RunLog } from '../api/extensions.ts';
import { KEPT_ATTEMPTS } from '../campaign/failures.ts';
import { runInputs } from '../campaign/points.ts';
import { measureOf } from '../campaign/measures.ts';
import { type Estimate, estimateOf } from '../campaign/precision.ts';
import { inputsOf } from '../campaign/designs/index.ts';
import { type Finder, findsPoints, hasStrategy } from '../campaign/strategy.ts';
import { type Campaign, type CampaignBy, closedPhases, type Phase } from '../campaign/types.ts';
import { versionOf } from '../campaign/versions.ts';
import type { SearchLog } from '../campaign/search/log.ts';
import { History } from '../search/history.ts';
import { isFeasible, PointReader } from '../search/point-value.ts';
import { spreadOf } from '../statistics/chance.ts';
import type { CampaignRecord, PointStory, RunStory } from '../store/index.ts';

/** A point and its runs, explained. Times are ISO 8601. */
export interface Explanation {
  campaign: string;
  phase: Phase;
  point: string;
  /**
   * The number of the point in the design, or among the points that a search or a calibration chose, starting at 1.
   * Null when the design no longer has the point.
   */
  place: number | null;
  /** The keys of the points before and after it in the design; null at both ends, and without a place. */
  neighbours: { before: string | null; after: string | null };
  /** The inputs of the point, the varied inputs first. The seed is left out unless it varies. */
  inputs: {
    name: string;
    /** The value of the input; for a file, its name at the service. */
    value: string;
    /** The path of the file that the definition gives for the input; null when the definition gives no file. */
    file: string | null;
    units: string | null;
    isVaried: boolean;
  }[];
  runs: ExplainedRun[];
  /** Each time when a search or a calibration chose the point; empty for other campaigns. */
  asks: ExplainedAsk[];
  /** Whether the campaign has had several versions of the model. */
  hasVersions: boolean;
  /**
   * The estimate for each output that decides the number of replications. The estimate is of the mean of the output, or
   * of the share of runs in which the output is true.
   */
  precision: ({ output: string; of: 'mean' | 'share'; confidence: number; wanted: string } & Estimate)[];
}

/** An ask: the choice of a point by a search or a calibration. The same point can be asked several times. */
export interface ExplainedAsk {
  /** What asked for the point. In a calibration, values are distances, and there is no best value. */
  of: 'search' | 'calibration';
  /** The number of the ask, as in the results. */
  ask: number;
  /** How the method found the point: "generation 7", "expected improvement". */
  by: string;
  /** The number of asks whose values the method knew. They are always the first asks. */
  seen: number;
  /** The best value that the method knew; null if no known point met the requirements, and in a calibration. */
  bestSeen: number | null;
  /**
   * The result that the method got for the point; null if the method has no result yet. `value` is null if the point
   * failed. Then `failure` says why, such as "f has no finite value in its run"; it is null otherwise, and in a
   * calibration.
   */
  told: { value: number | null; runs: number; isFeasible: boolean; failure: string | null } | null;
  /** Whether the point lies outside the bounds of the search, because these have become narrower since the ask. */
  isOutside: boolean;
}

export interface ExplainedRun {
  replication: number;
  state: RunStory['state'];
  /** Why the run is in its state, in one or more sentences. */
  why: string;
  run: string | null;
  /** The seed in the request of the run; null when the model has no seed. */
  seed: string | null;
  requested: string | null;
  finished: string | null;
  /**
   * The numbers, texts and truth values of the run by output, as the service gave them. Texts of a thousand
   * characters, curves and files are in the results.
   */
  outputs: Record<string, string>;
  /**
   * The log of the run's last failed attempt: the last lines, and the number of lines before them. Null if no log is
   * stored.
   */
  log: RunLog | null;
  /** The number of the model version of the run, or of its last attempt. */
  version: number;
  /** Up to five attempts that failed before the last attempt, newest first. */
  earlier: { failed: string | null; version: number; reason: string }[];
}

/**
 * Explains a point and its runs.
 *
 * @param story - the point as the store has it
 * @param neighbours - the keys of the points before and after it
 * @param waits - why the service has not executed open runs so far, by the run's id
 * @param log - the log of the campaign's search or calibration; undefined for other campaigns
 */
export function explained(
  { campaign, phase }: CampaignRecord,
  story: PointStory,
  neighbours: Explanation['neighbours'],
  waits: ReadonlyMap<string, string>,
  log?: SearchLog,
): Explanation {
  const { key, values, position, runs } = story;
  const inputs = campaign.base.map(({ name, value, units }) => {
    const at = campaign.varied.findIndex((input) => input.name === name);
    const file = campaign.files.find(({ input }) => input === name)?.path ?? null;
    return { name, value: values[at] ?? value, file, units, isVaried: at >= 0 };
  });
  return {
    campaign: campaign.id,
    phase,
    point: key,
    place: position === null ? null : position + 1,
    neighbours,
    inputs: inputs
      .filter(({ name, isVaried }) => name !== RANDOM_SEED || isVaried)
      .sort((a, b) => Number(b.isVaried) - Number(a.isVaried)),
    runs: runs.map((run) => explainedRun(campaign, phase, story, run, waits.get(run.runId ?? ''))),
    asks: log && findsPoints(campaign) ? asksOf(campaign, story, log) : [],
    hasVersions: campaign.versions !== undefined,
    precision: precisionOf(campaign, runs),
  };
}

function asksOf(
  campaign: CampaignBy<Finder>,
  { values, runs }: PointStory,
  { asks }: SearchLog,
): ExplainedAsk[] {
  const valueOf = new Map(campaign.varied.map(({ name }, at) => [name, values[at]!]));
  const own = JSON.stringify(inputsOf(campaign.design).map((name) => valueOf.get(name)));
  const history = new History(asks);
  const search = hasStrategy(campaign, 'search') ? campaign : undefined;
  // the log has values that become lower as they become better
  const sign = search?.goal!.wants === 'highest' ? -1 : 1;
  const signed = (value: number | null | undefined): number | null =>
    value === null || value === undefined ? null : sign * value;
  const finished = runs.filter(({ state }) => state === 'done' || state === 'failed');
  const failure = search ? new PointReader(search).whyFailed(finished) : null;
  return asks.flatMap(({ values: asked, by, seen, told, isOutside = false }, ask) => {
    if (JSON.stringify(asked) !== own) return [];
    return {
      of: campaign.strategy.by,
      ask,
      by,
      seen,
      bestSeen: search ? signed(history.bestOf(seen)?.told?.value) : null,
      told: told && {
        value: signed(told.value),
        runs: told.runs,
        isFeasible: isFeasible(told),
        failure: told.value === null ? failure : null,
      },
      isOutside,
    };
  });
}

function explainedRun(
  campaign: Campaign,
  phase: Phase,
  story: PointStory,
  run: RunStory,
  waits: string | undefined,
): ExplainedRun {
  const { replication, state, runId, reseeded, requestedAt, finishedAt, earlier } = run;
  const sent = runInputs(campaign, story, replication, reseeded);
  const said = waits === undefined ? '' : ` The service says: ${waits}.`;
  return {
    replication,
    state,
    why: `${reasonOf(campaign.id, run, phase, story.position === null)}${said}`,
    run: runId,
    seed: sent.find(({ name }) => name === RANDOM_SEED)?.value ?? null,
    requested: iso(requestedAt),
    finished: iso(finishedAt),
    outputs: scalarsOf(campaign, run),
    log: run.log,
    version: versionOf(campaign, run.version).version,
    earlier: earlier.map(({ failedAt, version, reason }) => ({
      failed: iso(failedAt || null),
      version: versionOf(campaign, version).version,
      reason,
    })),
  };
}

function scalarsOf({ outputs }: Campaign, run: RunStory): Record<string, string> {
  // a model may give no value, which the service writes as "null"
  const known = outputs.filter(
    ({ name, type }) => scalarOutputTypes.includes(type) && (run.outputs[name] ?? 'null') !== 'null',
  );
  return byName(Object.fromEntries(known.map(({ name }) => [name, run.outputs[name]!])));
}

function reasonOf(id: string, run: RunStory, phase: Phase, isDropped: boolean): string {
  const { state, attempts, failures, joined, origin, before, earlier } = run;
  const reason = run.reason ?? 'the service gave no reason';
  // a retry by a person sets `failures` to 0, and `earlier` has only the last attempts
  const count = Math.max(failures, earlier.length);
  const atLeast = failures < count && count === KEPT_ATTEMPTS ? 'at least ' : '';
  const tries =
    count > 0
      ? ` Before that ${count === 1 ? 'an attempt' : `${atLeast}${count} attempts`} failed: ${earlier[0]?.reason ?? reason}.`
      : '';
  switch (state) {
    case 'done':
      if (origin === 'new') return `This campaign started the run.${tries}`;
      return joined
        ? `Another campaign started the run, and this campaign waited for it.${tries}`
        : `The service already had the result, so it was reused.${tries}`;
    case 'failed':
      return `It failed: ${reason}. "foray retry ${id}" requests it again.`;
    case 'running':
      return `The service runs it${joined ? ' for this campaign and another campaign' : ''}.${tries}`;
    case 'queued':
      return `It is in the service's queue${joined ? ' for this campaign and another campaign' : ''}.${tries}`;
    case 'intended':
      return `Its request is under way, or the response was lost. The campaign will ask the service about the run.${tries}`;
    case 'waiting':
      return `${waitingFor(id, phase, isDropped, before ?? 0, attempts > 0 || failures > 0)}${tries}`;
  }
}

function waitingFor(id: string, phase: Phase, isDropped: boolean, before: number, isAgain: boolean): string {
  const what = isAgain ? 'It waits to be requested again' : 'It was never requested';
  if (isDropped) return `${what}: the design no longer has the point.`;
  if (closedPhases.includes(phase))
    return `${what}: the campaign is ${phase}. "foray retry ${id}" requests it.`;
  if (phase === 'paused') return `${what}: the campaign is paused.`;
  if (phase === 'stopping') return `${what}: the campaign is stopping.`;
  const place =
    before === 0
      ? 'it is the next run'
      : before === 1
        ? 'one other run comes before it'
        : `${before} other runs come before it`;
  return `${isAgain ? what : 'It waits to be requested'}: ${place}.`;
}

function precisionOf({ precision, outputs }: Campaign, runs: readonly RunStory[]): Explanation['precision'] {
  if (!precision) return [];
  const { relative, absolute, confidence } = precision;
  const wanted = relative === null ? String(absolute) : `${relative} of the mean`;
  return precision.outputs.map((output) => {
    const { read, statistic } = measureOf(outputs, output);
    const sample = spreadOf(runs.flatMap(({ outputs }) => read(outputs) ?? []));
    const of = statistic === 'share' ? 'share' : 'mean';
    return { output, of, confidence, wanted, ...estimateOf(sample, precision, of) };
  });
}

function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
