import { type Acquisition, score, scoreAndSlope } from './acquisition.ts';
import { coordinateOf, levelAt } from '../../../campaign/search/dimension.ts';
import { snapped } from './levels.ts';
import { minimize } from './minimize.ts';
import type { AllowedPoints } from '../../../campaign/search/allowed.ts';
import type { Problem } from '../method.ts';
import type { Stream } from '../../../campaign/sampling/stream.ts';

/** The number of candidates from all over the box. */
const CANDIDATES = 800;
/** The number of candidates from all over a narrow region. */
const WALKED = 240;
/**
 * How far candidates lie from each of the best points so far: the standard deviation of a real coordinate, and the
 * chance that another coordinate is drawn again.
 */
const NEAR = [0.2, 0.05, 0.01, 0.001];
/** The number of candidates for each of these numbers and each of the best points. */
const NEAR_EACH = 10;
/** How many of the best candidates are refined. */
const STARTS = 4;
/** Starts that are closer than this in every coordinate would find the same maximum. */
const APART = 0.05;
/** How often the real coordinates of a start are refined, and then its levels. */
const MOST_TURNS = 3;
/** The evaluations of the acquisition for the real coordinates, in each turn. */
const EVALUATIONS = 40;

interface Scored {
  x: number[];
  score: number;
}

/**
 * Allowed points, the highest score first. The candidates are random points of the box and points near the best points
 * so far. The result has all candidates, and the refined points that start from the best candidates.
 *
 * @param around - the best points so far
 */
export function maximize(
  problem: Problem,
  acquisition: Acquisition,
  around: readonly (readonly number[])[],
  stream: Stream,
): number[][] {
  const scored = candidates(problem, around, stream)
    .filter((x) => problem.isAllowed(x))
    .map((x) => ({ x, score: score(acquisition, x) }))
    .sort((one, other) => other.score - one.score);
  const refined = startsOf(scored).map((start) => refine(problem, acquisition, start));
  return [...refined, ...scored].sort((one, other) => other.score - one.score).map(({ x }) => x);
}

function candidates(problem: Problem, around: readonly (readonly number[])[], stream: Stream): number[][] {
  const { dimensions, allowed } = problem;
  if (allowed?.isNarrow) return walkedCandidates(dimensions, allowed, around, stream);
  const found: number[][] = [];
  for (let i = 0; i < CANDIDATES; i += 1) {
    const x = dimensions.map(() => stream.uniform());
    found.push(snapped(dimensions, x));
  }
  for (const centre of around) {
    for (const distance of NEAR) {
      for (let i = 0; i < NEAR_EACH; i += 1) {
        const x = centre.map((value, j) => {
          if (dimensions[j]!.kind === 'real') return value + distance * stream.normal();
          return stream.uniform() < distance ? stream.uniform() : value;
        });
        found.push(snapped(dimensions, x));
      }
    }
  }
  return found;
}

/** Candidates in a narrow region, where draws and normal steps would rarely be allowed. */
function walkedCandidates(
  dimensions: Problem['dimensions'],
  allowed: AllowedPoints,
  around: readonly (readonly number[])[],
  stream: Stream,
): number[][] {
  const found = allowed.draws(WALKED, 1, stream);
  for (const centre of around)
    for (const reach of NEAR)
      for (let i = 0; i < NEAR_EACH; i += 1) found.push(allowed.walk(centre, 1, stream, reach));
  return found.map((x) => snapped(dimensions, x));
}

/** The best candidates that are apart. */
function startsOf(scored: readonly Scored[]): Scored[] {
  const starts: Scored[] = [];
  for (const candidate of scored) {
    const isBeside = starts.some(({ x }) => x.every((value, j) => Math.abs(value - candidate.x[j]!) < APART));
    if (!isBeside) starts.push(candidate);
    if (starts.length === STARTS) break;
  }
  return starts;
}

/**
 * Improves real coordinates by their derivatives, then each integer by its neighbouring levels and each choice by all
 * its levels. Does both again while they improve the score.
 */
function refine(problem: Problem, acquisition: Acquisition, start: Scored): Scored {
  let best = start;
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    const moved = refineLevels(problem, acquisition, refineReals(problem, acquisition, best));
    if (moved.score <= best.score) break;
    const isSettled = problem.dimensions.every(({ kind }, j) => kind === 'real' || moved.x[j] === best.x[j]);
    best = moved;
    if (isSettled) break;
  }
  return best;
}

function refineReals({ dimensions, isAllowed }: Problem, acquisition: Acquisition, from: Scored): Scored {
  const isReal = dimensions.map(({ kind }) => kind === 'real');
  if (!isReal.includes(true)) return from;
  const limits = {
    low: from.x.map((value, j) => (isReal[j] ? 0 : value)),
    high: from.x.map((value, j) => (isReal[j] ? 1 : value)),
    evaluations: EVALUATIONS,
  };
  const found = minimize(
    (x, slope) => {
      const point = Array.from(x);
      if (!isAllowed(point)) return Infinity;
      const value = scoreAndSlope(acquisition, point, slope);
      for (let j = 0; j < slope.length; j += 1) slope[j] = -slope[j]!;
      return -value;
    },
    from.x,
    limits,
  );
  return -found.value > from.score ? { x: Array.from(found.x), score: -found.value } : from;
}

function refineLevels({ dimensions, isAllowed }: Problem, acquisition: Acquisition, from: Scored): Scored {
  let best = from;
  dimensions.forEach((dimension, j) => {
    if (dimension.kind === 'real') return;
    const { levels } = dimension;
    const level = levelAt(best.x[j]!, levels);
    const others =
      dimension.kind === 'integer'
        ? [level - 1, level + 1].filter((other) => other >= 0 && other < levels)
        : Array.from({ length: levels }, (_, other) => other);
    for (const other of others) {
      const x = best.x.with(j, coordinateOf(other, levels));
      if (!isAllowed(x)) continue;
      const found = score(acquisition, x);
      if (found > best.score) best = { x, score: found };
    }
  });
  return best;
}
