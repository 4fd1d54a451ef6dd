import pLimit from 'p-limit';
import type { Run, RunRequest } from '../api/index.ts';
import { mostRows } from '../campaign/designs/index.ts';
import { firstReplications, replicatedPoints } from '../campaign/draws.ts';
import { grown } from '../campaign/growth.ts';
import { expand, runInputs } from '../campaign/points.ts';
import type { Selection } from '../campaign/search/search.ts';
import { hasSeed, hasUnknownChance } from '../campaign/seeds.ts';
import type { Finder, Strategy } from '../campaign/strategy.ts';
import type { Campaign, Point } from '../campaign/types.ts';
import { type CloudClient, isCloudError } from '../cloud/index.ts';
import { ForayError } from '../errors.ts';
import { MOST_REPLICATIONS } from '../search/selection/comparison.ts';
import { unknownChanceWarnings } from '../sensitivity/chance.ts';
import { analyzedDesign } from '../sensitivity/design.ts';
import { foreseen } from './foresee.ts';
import type { CheckedCampaign } from './check.ts';
import type { RunRate } from './run-rate.ts';
import { aboutDesign, growthPlan, repeatedRuns, warningsOf } from './plan-design.ts';
import { plainPlan } from './plan-search.ts';
import type { Plan } from './planned.ts';

export interface PlanOptions {
  /** The maximum number of runs that the service is asked about. */
  ask: number;
  /** Stops the questions to the service. The answers so far are used. */
  signal?: AbortSignal | undefined;
  /** Called after each answer, with the number of answers so far and the number of all questions. */
  onAsked?: ((asked: number, of: number) => void) | undefined;
}

/** The number of first points, and of last points, that a plan has. */
const SHOWN = 3;
const REQUESTS_AT_ONCE = 64;
/** A plan has a warning if its maximum number of runs is at least this. */
const MANY_RUNS = 1_000_000;
/** The normal quantile of a 95 % interval. */
const Z = 1.959964;

/** A strategy whose points are those of a design. */
type DesignStrategy = Exclude<Strategy, { by: Finder }>;

/**
 * Makes the plan of a campaign with a design: expands the design, and asks the service which runs it already has.
 *
 * @throws ForayError REQUEST_REFUSED when the service refuses a point, and the errors of requests to the service
 */
export async function planOfDesign(
  cloud: CloudClient,
  { campaign, points, contents }: CheckedCampaign & { campaign: { strategy: DesignStrategy } },
  rate: RunRate | undefined,
  { ask, signal, onAsked }: PlanOptions,
): Promise<Plan> {
  const { replications, precision, repeats = 0 } = campaign;
  // repeats of a point may have runs of their own
  const replicated = replicatedPoints(campaign, points);
  const runs = replicated * replications;
  // a fresh campaign reuses nothing
  const chosen = sampledRuns(runs, campaign.fresh ? 0 : ask);
  const { first, last, toAsk } = expanded(campaign, contents, chosen);
  const { asked, found, completed } = await askAbout(cloud, campaign, toAsk, signal, (answers) =>
    onAsked?.(answers, toAsk.length),
  );
  const { count: there, error } = campaign.fresh ? { count: 0, error: 0 } : estimated(found, asked, runs);
  const toRun = runs - there;
  const most = precision?.max ?? replications;
  const { strategy, design } = campaign;
  const growth = strategy.by === 'growing' ? strategy : undefined;
  const selection = strategy.by === 'selection' ? strategy : undefined;
  const mostPoints = growth ? Math.max(points, mostRows(grown(design, growth.most))) : points;
  const mostRuns = selection
    ? mostRunsOfSelection(selection, campaign, points)
    : replicatedPoints(campaign, mostPoints) * most;
  const expected = await foreseen(cloud, campaign, replicated, completed, signal);
  const secondsOf = (all: number): number | null =>
    all <= there ? 0 : rate ? Math.ceil((all - there) * rate.secondsARun) : null;
  return {
    ...plainPlan(campaign, rate, { least: runs, most: mostRuns }),
    points,
    repeats,
    mostPoints,
    design: [
      ...aboutDesign(design),
      ...repeatedRuns(campaign, points),
      ...(growth ? [growthPlan(growth)] : []),
    ],
    replications: { min: replications, max: most },
    // the procedure of Kim and Nelson usually needs only the first replications, but OCBA uses its whole budget
    usualRuns: selection?.method === 'kn' ? runs : mostRuns,
    foreseen: expected,
    there,
    toRun,
    asked,
    error,
    expectedSeconds: secondsOf(expected?.runs ?? runs),
    mostSeconds: secondsOf(mostRuns),
    first: first.map(({ key, values }) => ({ key, values })),
    last: last.map(({ key, values }) => ({ key, values })),
    warnings: [
      ...warningsOf(campaign, points),
      ...(hasUnknownChance(campaign) ? unknownChanceWarnings(analyzedDesign(campaign).method) : []),
      ...(mostRuns >= MANY_RUNS ? [manyRuns(mostRuns)] : []),
      ...(selection && !hasSeed(campaign.base)
        ? [`The model "${campaign.model.name}" has no seed, so each point has one run: it is exact.`]
        : []),
    ],
    strategy:
      strategy.by === 'selection' ? { by: 'selection', method: strategy.method } : { by: strategy.by },
  };
}

/** A run that a plan asks about. */
interface AskedRun {
  point: Point;
  replication: number;
}

/**
 * Expands a design. Returns its first and last points, and the chosen runs.
 *
 * @param chosen - the numbers of the runs, from 0, in the order in which the result has them
 */
function expanded(
  campaign: CheckedCampaign['campaign'],
  contents: CheckedCampaign['contents'],
  chosen: ReadonlySet<number>,
): { first: Point[]; last: Point[]; toAsk: AskedRun[] } {
  const first: Point[] = [];
  const last: Point[] = [];
  const chosenRuns = new Map<number, AskedRun>();
  let run = 0;
  for (const point of expand(campaign, contents)) {
    if (first.length < SHOWN) first.push(point);
    else last.push(point);
    if (last.length > SHOWN) last.shift();
    const own = firstReplications(campaign, point);
    for (let replication = 1; replication <= own; replication += 1, run += 1)
      if (chosen.has(run)) chosenRuns.set(run, { point, replication });
  }
  return { first, last, toAsk: [...chosen].map((number) => chosenRuns.get(number)!) };
}

/**
 * Maximum number of runs of a selection, with the `report` runs that the best point gets at the end. If the model has
 * no seed, nothing is compared, so each point has only its first runs.
 */
function mostRunsOfSelection(
  selection: Selection,
  { base, replications }: Pick<Campaign, 'base' | 'replications'>,
  points: number,
): number {
  if (!hasSeed(base)) return points * replications;
  return selection.report + (selection.method === 'ocba' ? selection.runs : points * MOST_REPLICATIONS);
}

/** Asks the service which of the runs it has. `completed` has the ids of the completed runs, by the ordinal of their point. */
async function askAbout(
  cloud: CloudClient,
  campaign: CheckedCampaign['campaign'],
  runs: readonly AskedRun[],
  signal: AbortSignal | undefined,
  onAsked: (asked: number) => void,
): Promise<{ asked: number; found: number; completed: Map<number, string[]> }> {
  const completed = new Map<number, string[]>();
  const limit = pLimit(REQUESTS_AT_ONCE);
  let [asked, found] = [0, 0];
  const stop = new AbortController();
  const signals = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]);
  try {
    await Promise.all(
      runs.map(({ point, replication }) =>
        limit(async () => {
          if (signals.aborted) return;
          const inputs = runInputs(campaign, point, replication);
          try {
            const run = await runThere(cloud, campaign, { experimentType: 'SIMULATION', inputs }, signals);
            if (run) found += 1;
            if (run?.status === 'COMPLETED') {
              const ids = completed.get(point.ordinal);
              if (ids) ids.push(run.id);
              else completed.set(point.ordinal, [run.id]);
            }
            onAsked((asked += 1));
          } catch (error) {
            if (signal?.aborted) return;
            throw isCloudError(error) && error.kind === 'refused'
              ? refused(campaign, point, error.message)
              : error;
          }
        }),
      ),
    );
  } finally {
    // after an error, the other questions are not needed
    stop.abort();
  }
  return { asked, found, completed };
}

/** Finds a run that is completed, running or queued at the service; undefined if there is none. Starts no run. */
async function runThere(
  cloud: CloudClient,
  { model }: Pick<Campaign, 'model'>,
  request: RunRequest,
  signal: AbortSignal,
): Promise<Run | undefined> {
  try {
    const run = await cloud.findRun(model.versionId, request, signal);
    return ['COMPLETED', 'RUNNING', 'FRESH'].includes(run.status) ? run : undefined;
  } catch (error) {
    if (isCloudError(error) && error.kind === 'not-found') return undefined;
    throw error;
  }
}

/** The beginning of an error message of the cloud client, with the request and the status of the response. */
const REQUEST = /^.*?: 4\d\d: /;

function refused({ varied }: Pick<Campaign, 'varied'>, { key, values }: Point, why: string): ForayError {
  const place = varied.map(({ name }, at) => `${name} ${values[at]}`).join(', ');
  return new ForayError(
    'REQUEST_REFUSED',
    `The service refuses the point ${key}${place && ` (${place})`}: ${why.replace(REQUEST, '')}`,
  );
}

/**
 * Extrapolates from a sample to all runs. `error` is the distance from the estimate to the farther end of its 95%
 * interval (E. B. Wilson, JASA 22 (1927) 209-212).
 */
function estimated(found: number, asked: number, runs: number): { count: number; error: number } {
  if (asked === runs) return { count: found, error: 0 };
  // no answer came in time, so nothing is known
  if (asked === 0) return { count: 0, error: runs };
  const share = found / asked;
  const middle = (share + Z ** 2 / (2 * asked)) / (1 + Z ** 2 / asked);
  const half =
    (Z / (1 + Z ** 2 / asked)) * Math.sqrt((share * (1 - share)) / asked + Z ** 2 / (4 * asked ** 2));
  const count = Math.round(share * runs);
  const farthest = Math.max(middle + half - share, share - (middle - half));
  return { count, error: Math.ceil(farthest * runs) };
}

function manyRuns(runs: number): string {
  return `${runs.toLocaleString('en')} runs are very many. A sample of the design may be enough.`;
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Chooses the runs about which a plan asks the service: all runs, or a sample of about `most` runs. The chosen runs are
 * spread evenly over all runs. The questions may stop early, so the order is such that the first few are spread evenly
 * too.
 *
 * @returns the numbers of the runs, from 0, in the order of the questions
 */
export function sampledRuns(runs: number, most: number): Set<number> {
  // Multiples of the golden ratio do not follow the pattern of a grid. Runs whose places are close together, such as
  // the first few in the order of places, are spread evenly over all runs.
  const placeOf = (n: number): number => (n * GOLDEN) % 1;
  if (runs <= most) {
    const all = Array.from({ length: runs }, (_, run) => run);
    return new Set(all.toSorted((a, b) => placeOf(a) - placeOf(b)));
  }
  const spread = Array.from({ length: most }, (_, at) => Math.floor(placeOf(at) * runs));
  // a mistake in a range is often visible at its ends
  return new Set(most > 1 ? [0, runs - 1, ...spread.slice(2)] : spread);
}
