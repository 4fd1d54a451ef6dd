import { RANDOM_SEED } from '../api/index.ts';
import type { RunLog } from '../api/extensions.ts';
import { runInputs } from '../campaign/points.ts';
import { measureOf } from '../campaign/measures.ts';
import { type Estimate, estimateOf } from '../campaign/precision.ts';
import { type Campaign, closedPhases, type Phase } from '../campaign/types.ts';
import { versionOf } from '../campaign/versions.ts';
import type { SearchLog } from '../campaign/search/log.ts';
import { History } from '../search/history.ts';
import { isFeasible, PointReader } from '../search/point-value.ts';
import { Sample } from '../statistics/sample.ts';
import type { CampaignRecord, PointStory, RunStory } from '../store/index.ts';

/** Why a point is where it is. Times are ISO 8601. */
export interface Explanation {
  campaign: string;
  phase: Phase;
  point: string;
  /** Its place in the design, from 1; null when the design does not have it any more. */
  place: number | null;
  /** All its inputs, those that the design varies first. */
  inputs: {
    name: string;
    /** Of a file what the service knows it by. */
    value: string;
    /** The name of the file that the definition gives to the input; null where it gives none. */
    file: string | null;
    units: string | null;
    isVaried: boolean;
  }[];
  runs: ExplainedRun[];
  /** Of a point that a search found: each ask of it. Empty of other points. */
  asks: ExplainedAsk[];
  /** The campaign has had several versions of the model. */
  hasVersions: boolean;
  /** Of outputs that the point is replicated for, what is known of their means, or of the shares in which they are true. */
  precision: ({ output: string; of: 'mean' | 'share'; confidence: number; wanted: string } & Estimate)[];
}

/** An ask of a search. */
export interface ExplainedAsk {
  /** Its number, as in the results. */
  ask: number;
  /** How the method found the point: "generation 7", "expected improvement". */
  by: string;
  /** How many asks the method knew the values of: the first so many. */
  seen: number;
  /** The best value that it knew; null while no point met the requirements. */
  bestSeen: number | null;
  /** What it was told of the point; null until it was told. `value` is null where the point failed. */
  told: { value: number | null; runs: number; isFeasible: boolean } | null;
}

export interface ExplainedRun {
  replication: number;
  state: RunStory['state'];
  /** A sentence. */
  why: string;
  run: string | null;
  /** The seed that it is sent with; null where the model has none. */
  seed: string | null;
  requested: string | null;
  finished: string | null;
  /** What its last attempt that failed printed: the last lines, and how many came before. Null where that is not kept. */
  log: RunLog | null;
  /** The number of the model's version that it has, or had last. */
  version: number;
  /** Attempts that failed before the last one, the newest first: the last five. */
  earlier: { failed: string | null; version: number; reason: string }[];
}

/**
 * @param story of the point, from the store
 * @param log of the search of the campaign; undefined without one
 */
export function explained(
  { campaign, phase }: CampaignRecord,
  story: PointStory,
  log?: SearchLog,
): Explanation {
  const { key, values, position, runs } = story;
  const isVaried = (name: string): boolean => campaign.varied.some((input) => input.name === name);
  const inputs = campaign.base.map(({ name, value, units }) => {
    const at = campaign.varied.findIndex((input) => input.name === name);
    const file = campaign.files.find(({ input }) => input === name)?.filename ?? null;
    return { name, value: values[at] ?? value, file, units, isVaried: isVaried(name) };
  });
  return {
    campaign: campaign.id,
    phase,
    point: key,
    place: position === null ? null : position + 1,
    inputs: inputs
      .filter(({ name }) => name !== RANDOM_SEED || isVaried(name))
      .sort((a, b) => Number(b.isVaried) - Number(a.isVaried)),
    runs: runs.map((run) => explainedRun(campaign, phase, story, run)),
    asks: log ? asksOf(campaign, values, log) : [],
    hasVersions: campaign.versions !== undefined,
    precision: precisionOf(campaign, runs),
  };
}

/** @param values of the inputs that differ between points of the campaign */
function asksOf(campaign: Campaign, values: readonly string[], { asks }: SearchLog): ExplainedAsk[] {
  const valueOf = new Map(campaign.varied.map(({ name }, at) => [name, values[at]!]));
  const own = JSON.stringify(campaign.search!.inputs.map(({ name }) => valueOf.get(name)));
  const history = new History(asks);
  const reader = new PointReader(campaign);
  const signed = (value: number | null | undefined): number | null =>
    value === null || value === undefined ? null : reader.signed(value);
  return asks.flatMap(({ values: asked, by, seen, told }, ask) => {
    if (JSON.stringify(asked) !== own) return [];
    return {
      ...{ ask, by, seen },
      bestSeen: signed(history.bestOf(seen)?.told?.value),
      told: told && { value: signed(told.value), runs: told.runs, isFeasible: isFeasible(told) },
    };
  });
}

function explainedRun(campaign: Campaign, phase: Phase, story: PointStory, run: RunStory): ExplainedRun {
  const { replication, state, runId, reseeded, requestedAt, finishedAt, earlier } = run;
  const sent = runInputs(campaign, story, replication, reseeded);
  return {
    replication,
    state,
    why: reasonOf(run, phase, story.position === null),
    run: runId,
    seed: sent.find(({ name }) => name === RANDOM_SEED)?.value ?? null,
    requested: iso(requestedAt),
    finished: iso(finishedAt),
    log: run.log,
    version: versionOf(campaign, run.version).version,
    earlier: earlier.map(({ failedAt, version, reason }) => ({
      failed: iso(failedAt || null),
      version: versionOf(campaign, version).version,
      reason,
    })),
  };
}

function reasonOf(run: RunStory, phase: Phase, isDropped: boolean): string {
  const { state, attempts, failures, joined, origin, reason, before } = run;
  const tries =
    failures > 0
      ? ` Before that ${failures === 1 ? 'an attempt' : `${failures} attempts`} failed: ${reason ?? 'no reason'}.`
      : '';
  switch (state) {
    case 'done':
      if (origin === 'new') return 'The campaign had the service run it.';
      return joined
        ? 'Another campaign had started it, and this one waited for it.'
        : 'The service had it already: it is reused.';
    case 'failed':
      return `It failed: ${reason ?? 'the service gave no reason'}. "foray retry" requests it again.`;
    case 'running':
      return `The service runs it${joined ? ', for another campaign as well' : ''}.${tries}`;
    case 'queued':
      return `It is in the service's queue${joined ? ', where another campaign has put it' : ''}.${tries}`;
    case 'intended':
      return `Its request is being made, or the answer was lost: it will be asked about.${tries}`;
    case 'waiting':
      return `${waitingFor(phase, isDropped, before ?? 0, attempts > 0 || failures > 0)}${tries}`;
  }
}

function waitingFor(phase: Phase, isDropped: boolean, before: number, again: boolean): string {
  const what = again ? 'It is to be requested again' : 'It was never requested';
  if (isDropped) return `${what}: the design does not have the point any more.`;
  if (closedPhases.includes(phase))
    return `${what}: the campaign is ${phase}. "foray retry" goes on with it.`;
  if (phase === 'paused') return `${what}: the campaign is paused.`;
  if (phase === 'stopping') return `${what}: the campaign is stopping.`;
  return `${again ? what : 'It is to be requested'}: ${before === 0 ? 'it is the next one' : `${before} others come before it`}.`;
}

function precisionOf({ precision, outputs }: Campaign, runs: readonly RunStory[]): Explanation['precision'] {
  if (!precision) return [];
  const { relative, absolute, confidence } = precision;
  const wanted = relative === null ? String(absolute) : `${relative} of the mean`;
  return precision.outputs.map((output) => {
    const { read, statistic } = measureOf(outputs, output);
    const sample = new Sample();
    for (const { outputs } of runs) {
      const value = read(outputs);
      if (value !== undefined) sample.add(value);
    }
    const of = statistic === 'share' ? 'share' : 'mean';
    return { output, of, confidence, wanted, ...estimateOf(sample, precision, of) };
  });
}

function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
