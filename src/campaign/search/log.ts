/**
 * The log of a search: its asks, the values that the method was told, and the decisions. An ask is a point that the
 * method proposed. Everything else in a search is a function of the definition, the seed and the log.
 */
export interface SearchLog {
  /** The asks. The number of an ask is its index. */
  asks: Ask[];
  /** The events, in the order in which they happened. */
  events: SearchEvent[];
}

/** The numbers of asks, of asks whose result the method was told, and of events in a log. */
export interface SearchLength {
  asks: number;
  told: number;
  events: number;
}

export function isSameLength(a: SearchLength, b: SearchLength): boolean {
  return a.asks === b.asks && a.told === b.told && a.events === b.events;
}

/** A point that the method proposed. */
export interface Ask {
  /**
   * The ordinal of the point; null if the proposal does not meet the conditions of the search. Two asks may have the
   * same point.
   */
  ordinal: number | null;
  /** Canonical values, in the order of the inputs of the search. */
  values: string[];
  /** How the method found the point. */
  by: string;
  /** The number of asks whose values the method knew when it proposed the point. These are always the first asks. */
  seen: number;
  /** The value that the method was told; null if the method was told no value so far. */
  told: PointValue | null;
  /**
   * True if the bounds of the search became narrower later, and exclude the point. It then cannot be the best point.
   */
  isOutside?: true;
}

/**
 * The value of a point from its runs. Lower values are better: a maximization changes the sign. In a calibration it is
 * a distance.
 */
export interface PointValue {
  /** The mean, share or quantile that is minimized; null when the point failed. */
  value: number | null;
  /**
   * The variance of the mean or share; null with fewer than two runs, if a few runs have the same value, and for a
   * quantile.
   */
  variance: number | null;
  /** The number of runs from which the value is computed; all runs if the point failed. */
  runs: number;
  /**
   * The number of further runs, which failed or gave no value. Absent if there are none, and in logs of earlier
   * versions.
   */
  failed?: number;
  /** For each requirement, the distance from meeting it: at most 0 if it is met. Empty if the point failed. */
  excess: number[];
}

/** A point of another campaign. Its values are canonical, in the order of the inputs of the search. */
export interface KnownPoint {
  values: string[];
  told: PointValue;
}

/**
 * How many points of another campaign a search does not use. `which` has words that can follow "points", such as `with
 * another value of "Population"`.
 */
export interface UnusedPoints {
  points: number;
  which: string;
}

/**
 * The rule that ends a search or a calibration. Only a calibration has the last three rules.
 */
export type StopReason =
  | 'points'
  | 'runs'
  | 'value'
  | 'gain'
  | 'stall'
  | 'all'
  | 'optimiser'
  | 'exhausted'
  | 'failures'
  | 'tolerance'
  | 'generations'
  | 'acceptance';

/** A decision. `after` is the number of a replication: from this decision on, only later replications count. */
export type SearchEvent =
  /** No more points are requested. */
  | { kind: 'stopped'; by: StopReason }
  /** New replications compare the points with these ordinals. */
  | { kind: 'finalists'; ordinals: number[]; after: number }
  /**
   * One of the compared points was chosen. `isSure`: with the given confidence, no other point is better by more than
   * the indifference.
   */
  | { kind: 'winner'; ordinal: number; isSure: boolean; after: number }
  /** The further replications of the winner show that it fails or does not meet the requirements. */
  | { kind: 'rejected'; ordinal: number }
  /**
   * The search begins with the points of another campaign. `unused`: the points that the search cannot use; absent if
   * it uses all points.
   */
  | { kind: 'known'; campaign: string; points: KnownPoint[]; unused?: UnusedPoints[] }
  /**
   * The definition was changed, more points may follow, and the method continues. `parallel`: the number of points that
   * were open at once before the change.
   */
  | { kind: 'continued'; parallel: number }
  /**
   * Bounds or requirements were changed, and a new method starts at the ask `from` with all known values. `outside`: the
   * earlier asks that lie outside the new bounds. `excess`: for each earlier ask, its distance from meeting the new
   * requirements, or null for an ask without a value; null if the requirements stay the same.
   */
  | {
      kind: 'restarted';
      parallel: number;
      from: number;
      outside: number[];
      excess: (readonly number[] | null)[] | null;
    }
  /** The scales by which a calibration divides the distances of the outputs, in the order of the outputs. */
  | { kind: 'scales'; scales: number[] }
  /**
   * A generation of a calibration begins with the ask `first`. It accepts distances up to the tolerance; null means
   * that it accepts all.
   */
  | { kind: 'generation'; first: number; tolerance: number | null }
  /** Nothing is left to do. */
  | { kind: 'over' };

/** The entries that one step adds to the log, and the runs that it adds. One transaction writes all of them. */
export interface SearchStep {
  tells: { ask: number; told: PointValue }[];
  asks: NewAsk[];
  events: SearchEvent[];
  /** Further replications of points, from one number to another, both included. */
  replications: { ordinal: number; from: number; to: number }[];
}

/**
 * An ask that has no ordinal yet. `point` is the point to run, with the replications that the ask adds; null if
 * nothing is run.
 */
export interface NewAsk extends Omit<Ask, 'ordinal'> {
  point: { key: string; values: string[]; from: number; to: number } | null;
}

export function emptyStep(): SearchStep {
  return { tells: [], asks: [], events: [], replications: [] };
}

/**
 * Adds the value of an ask to a step. An ask of the same step has it from the beginning.
 *
 * @param asks - the number of asks in the log, those of the step included
 */
export function addTold(step: SearchStep, asks: number, ask: number, told: PointValue): void {
  const first = asks - step.asks.length;
  if (ask < first) step.tells.push({ ask, told });
  else step.asks[ask - first]!.told = told;
}

/** The log, with its asks judged by the current bounds and requirements. */
export function judged({ asks, events }: SearchLog): SearchLog {
  const restarts = events.filter((event) => event.kind === 'restarted');
  const outside = new Set(restarts.at(-1)?.outside);
  const excess = restarts.findLast((restart) => restart.excess !== null)?.excess ?? [];
  if (outside.size === 0 && excess.length === 0) return { asks, events };
  return {
    asks: asks.map((ask, at) => {
      const now = excess[at];
      return {
        ...ask,
        told: ask.told && now ? { ...ask.told, excess: [...now] } : ask.told,
        ...(outside.has(at) && { isOutside: true }),
      };
    }),
    events,
  };
}

/** Why no more points are requested; null while points are requested. */
export function stopOf({ events }: { events: readonly SearchEvent[] }): StopReason | null {
  const last = events.findLast((event) => event.kind === 'stopped' || isChange(event));
  return last?.kind === 'stopped' ? last.by : null;
}

/**
 * The first ask of the current method, and the number of open points that the method assumes: the number when the
 * method started.
 *
 * @param parallel - the number in the definition
 */
export function methodIn(
  { events }: Pick<SearchLog, 'events'>,
  parallel: number,
): { from: number; parallel: number } {
  const changes = events.filter(isChange);
  const last = changes.findLastIndex(({ kind }) => kind === 'restarted');
  const start = changes[last];
  // a change has the number from before it
  return {
    from: start?.kind === 'restarted' ? start.from : 0,
    parallel: changes[last + 1]?.parallel ?? parallel,
  };
}

function isChange(event: SearchEvent): event is Extract<SearchEvent, { kind: 'continued' | 'restarted' }> {
  return event.kind === 'continued' || event.kind === 'restarted';
}

/** The points that were chosen, and whose further replications failed or did not meet the requirements. */
export function rejectedIn(events: readonly SearchEvent[]): Set<number> {
  return new Set(events.flatMap((event) => (event.kind === 'rejected' ? event.ordinal : [])));
}

export type SearchStage = 'searching' | 'finishing' | 'comparing' | 'reporting' | 'over';

export function stageOf({ events }: { events: readonly SearchEvent[] }): SearchStage {
  switch (events.at(-1)?.kind) {
    case undefined:
    case 'known':
    case 'continued':
    case 'restarted':
    case 'scales':
    case 'generation':
      return 'searching';
    case 'stopped':
      return 'finishing';
    case 'finalists':
    case 'rejected':
      return 'comparing';
    case 'winner':
      return 'reporting';
    case 'over':
      return 'over';
  }
}
