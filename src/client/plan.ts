import pLimit from 'p-limit';
import type { Run, RunRequest } from '../api/index.ts';
import { expand, runInputs } from '../campaign/points.ts';
import type { Search, Selection } from '../campaign/search/search.ts';
import { hasSeed } from '../campaign/seeds.ts';
import type { Campaign, Goal, Point } from '../campaign/types.ts';
import { type CloudClient, isCloudError } from '../cloud/index.ts';
import { ForayError } from '../errors.ts';
import { MOST_REPLICATIONS } from '../search/selection/comparison.ts';
import { type Foreseen, foreseen } from './foresee.ts';
import type { CheckedCampaign } from './check.ts';
import type { Pace } from './pace.ts';
import { aboutDesign, warningsOf } from './plan-design.ts';

/** What a definition would come to. Nothing is started for it. */
export interface Plan {
  campaign: string;
  model: { name: string; version: number };
  /** What the campaign is about; null where the definition does not say. */
  goal: Goal | null;
  points: number;
  /** What a sensitivity design consists of: its trajectories, its base points, or its defining relation. */
  design: string[];
  /** Of each point; at most as well, where points are replicated until they are precise. */
  replications: { min: number; max: number };
  /** Runs that there will be, at least. */
  runs: number;
  mostRuns: number;
  /**
   * Runs that are expected in all where points are replicated until they are precise, and of how many points the service has
   * the results that this is concluded from; null where it has none, and of another campaign.
   */
  foreseen: Foreseen | null;
  /** Runs that the service has, or is at; of more than were asked about, an estimate. */
  there: number;
  toRun: number;
  /** How many runs the service was asked about. */
  asked: number;
  /** Half the 95% interval of `there`; 0 when all were asked about. */
  error: number;
  /**
   * Of the runs that are expected, or else of those that there will be at least; null when nothing is known that tells.
   */
  expectedSeconds: number | null;
  /** Of the most runs that there may be. */
  mostSeconds: number | null;
  /** What the time is reckoned from, a phrase; empty when there is none. */
  basis: string;
  /** The inputs that vary, and the first and last points with their values of these. */
  inputs: string[];
  first: { key: string; values: string[] }[];
  last: { key: string; values: string[] }[];
  warnings: string[];
  /** How the points are found; null where a design gives them. Points and runs are the most there may be then. */
  search: Pick<Search, 'method' | 'parallel'> | null;
  /**
   * How the best point is found out; null where nobody asks. `runs` are the first replications then: how many follow depends on what these
   * come to.
   */
  select: Pick<Selection, 'method'> | null;
}

export interface PlanOptions {
  /** How many runs the service is asked about, at most. */
  ask: number;
  /** When no more is asked; what was heard until then counts. */
  signal?: AbortSignal | undefined;
  /** Is told how many have been asked about, and how many there are to ask. */
  onAsked?: ((asked: number, of: number) => void) | undefined;
}

const SHOWN = 3;
const REQUESTS_AT_ONCE = 64;
/** More runs than this are worth a word. */
const MANY_RUNS = 1_000_000;
const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** Of a 95% interval of a share. */
const Z = 1.959964;

/**
 * Goes through the design and asks the service which of the runs it has.
 *
 * @throws ForayError REQUEST_REFUSED when the service calls a point wrong, and what asking throws
 */
export async function planOf(
  cloud: CloudClient,
  { campaign, points, contents }: CheckedCampaign,
  pace: Pace | undefined,
  { ask, signal, onAsked }: PlanOptions,
): Promise<Plan> {
  if (campaign.search) return planOfSearch(campaign, pace);
  const { replications, precision, varied } = campaign;
  const runs = points * replications;
  const chosen = chosenRuns(runs, campaign.fresh ? 0 : ask);
  const first: Point[] = [];
  const last: Point[] = [];
  const ordinals = new Set([...chosen].map((run) => Math.floor(run / replications)));
  const toAsk = new Map<number, Point>();
  for (const point of expand(campaign, contents)) {
    if (first.length < SHOWN) first.push(point);
    else last.push(point);
    if (last.length > SHOWN) last.shift();
    if (ordinals.has(point.ordinal)) toAsk.set(point.ordinal, point);
  }
  const inOrder = [...chosen].map((run) => ({
    point: toAsk.get(Math.floor(run / replications))!,
    replication: 1 + (run % replications),
  }));
  const { asked, found, completed } = await askFor(cloud, campaign, inOrder, signal, (asked) =>
    onAsked?.(asked, inOrder.length),
  );
  // a fresh campaign reuses nothing
  const { count: there, error } = campaign.fresh ? { count: 0, error: 0 } : estimated(found, asked, runs);
  const toRun = runs - there;
  const most = precision?.max ?? replications;
  const mostRuns = campaign.select ? mostRunsOfSelection(campaign, points) : points * most;
  const expected = await foreseen(cloud, campaign, points, completed, signal);
  const secondsOf = (all: number): number | null =>
    all <= there ? 0 : pace ? Math.ceil((all - there) * pace.secondsARun) : null;
  const rowOf = ({ key, values }: Point): Plan['first'][number] => ({ key, values });
  return {
    campaign: campaign.name,
    model: { name: campaign.model.name, version: campaign.model.version },
    goal: campaign.goal ?? null,
    points,
    design: aboutDesign(campaign.design),
    replications: { min: replications, max: most },
    runs,
    mostRuns,
    foreseen: expected,
    there,
    toRun,
    asked,
    error,
    expectedSeconds: secondsOf(expected?.runs ?? runs),
    mostSeconds: secondsOf(mostRuns),
    basis: pace?.basis ?? '',
    inputs: varied.map(({ name }) => name),
    first: first.map(rowOf),
    last: last.map(rowOf),
    warnings: [
      ...warningsOf(campaign.design, points),
      ...(mostRuns >= MANY_RUNS ? [manyRuns(mostRuns)] : []),
      ...(campaign.select && !hasSeed(campaign.base)
        ? [`The model "${campaign.model.name}" has no seed, so each point has one run: it is exact.`]
        : []),
    ],
    search: null,
    select: campaign.select ? { method: campaign.select.method } : null,
  };
}

/** What a search comes to at most: which points it asks is not known before. */
function planOfSearch(campaign: CheckedCampaign['campaign'], pace: Pace | undefined): Plan {
  const { replications, search, base, varied, goal = null, model } = campaign;
  const { method, parallel, stop, most, confirm } = search!;
  const perPoint = most ?? replications;
  const points = Math.min(stop.points ?? Infinity, Math.ceil((stop.runs ?? Infinity) / replications));
  const isKnown = Number.isFinite(points);
  const compared = confirm && hasSeed(base) ? confirm.best * confirm.replications + confirm.report : 0;
  const [least, mostRuns] = isKnown
    ? [points * replications + compared, points * perPoint + compared]
    : [0, 0];
  const secondsOf = (runs: number): number | null =>
    pace && isKnown ? Math.ceil(runs * pace.secondsARun) : null;
  return {
    campaign: campaign.name,
    model: { name: model.name, version: model.version },
    goal,
    points: isKnown ? points : 0,
    design: [],
    replications: { min: replications, max: perPoint },
    runs: least,
    mostRuns,
    foreseen: null,
    there: 0,
    toRun: least,
    asked: 0,
    error: 0,
    expectedSeconds: secondsOf(least),
    mostSeconds: secondsOf(mostRuns),
    basis: pace?.basis ?? '',
    inputs: varied.map(({ name }) => name),
    first: [],
    last: [],
    warnings: [
      ...(isKnown ? [] : ['The search has no limit of points or runs, so nobody knows how long it takes.']),
      ...(confirm && !hasSeed(base)
        ? [`The model "${model.name}" has no seed, so its best points are not compared: one run is exact.`]
        : []),
    ],
    search: { method, parallel },
    select: null,
  };
}

/** Runs that a selection has at most: without a seed those of its points. */
function mostRunsOfSelection(
  { select, base, replications }: Omit<Campaign, 'id' | 'service'>,
  points: number,
): number {
  if (!hasSeed(base)) return points * replications;
  return select!.report + (select!.method === 'ocba' ? select!.runs : points * MOST_REPLICATIONS);
}

/** Numbers of the runs to ask about, spread evenly over all and in an order of which each beginning is spread as well. */
function chosenRuns(runs: number, most: number): Set<number> {
  if (runs <= most) return new Set(Array.from({ length: runs }, (_, run) => run));
  // multiples of the golden ratio never fall into step with a grid
  const spread = Array.from({ length: most }, (_, at) => Math.floor(((at * GOLDEN) % 1) * runs));
  // what is wrong with a range is often wrong at its end
  return new Set(most > 1 ? [0, runs - 1, ...spread.slice(2)] : spread);
}

async function askFor(
  cloud: CloudClient,
  campaign: CheckedCampaign['campaign'],
  runs: readonly { point: Point; replication: number }[],
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
    // of what is refused once, the rest need not be asked
    stop.abort();
  }
  return { asked, found, completed };
}

/** A run that need not be started, as it has completed or is on its way. Asking starts nothing. */
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

/** What a client's error begins with: the request, and the status of the answer. */
const REQUEST = /^.*?: 4\d\d: /;

function refused({ varied }: Pick<Campaign, 'varied'>, { key, values }: Point, why: string): ForayError {
  const place = varied.map(({ name }, at) => `${name} ${values[at]}`).join(', ');
  return new ForayError(
    'REQUEST_REFUSED',
    `The service refuses the point ${key}${place && ` (${place})`}: ${why.replace(REQUEST, '')}`,
  );
}

/** What a sample says of all, with half of its 95% interval (E. B. Wilson, JASA 22 (1927) 209-212). */
function estimated(found: number, asked: number, runs: number): { count: number; error: number } {
  if (asked === runs) return { count: found, error: 0 };
  // nobody has answered in time
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
  return `${runs.toLocaleString('en')} runs are a lot: a sample of the design may tell as much.`;
}
