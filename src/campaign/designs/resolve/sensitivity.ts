import { ForayError } from '../../../errors.ts';
import { MOST_INPUTS } from '../../sampling/unit-points.ts';
import { type Design, NO_DESIGN, type SpreadInput } from '../resolved-design.ts';
import type { WrittenGrowth } from '../schema-growth.ts';
import type { WrittenMorris, WrittenSaltelli } from '../schema-samples.ts';
import type { DesignFacts, Path } from './inputs.ts';
import { resolveSpread } from './samples.ts';

const LEVELS = 4;
const MOST_SCRAMBLES = 8;
/**
 * The default number of scrambles (independent Sobol sequences) is either 1, or at least this number. With several
 * scrambles, an interval is computed from the differences between them. With only a few, the interval would be very
 * wide.
 */
const FEWEST_SCRAMBLES = 4;
/**
 * The fewest base points per scramble if a definition gives no number of scrambles. More scrambles of fewer points give
 * narrower intervals, but less exact indices. A fixed design prefers exact indices. A growing design prefers narrow
 * intervals, because narrow intervals end its growth.
 */
const LEAST_POINTS = { fixed: 1_024, growing: 8 };

export function resolveMorris(
  written: WrittenMorris,
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): Design {
  const { levels = LEVELS, seed = facts.seed } = written;
  const inputs = resolveSpread(written.inputs, facts, [...path, 'inputs'], taken);
  if (!inputs) return NO_DESIGN;
  for (const [at, input] of inputs.entries()) facts.mistakes.attempt(() => checkEnds(input, at));
  return { kind: 'morris', inputs, trajectories: firstOf(written.trajectories), levels, seed };

  function checkEnds({ name, distribution }: SpreadInput, at: number): void {
    if (distribution.kind !== 'normal') return;
    if (distribution.min !== undefined && distribution.max !== undefined) return;
    const key = Object.keys(written.inputs)[at]!;
    throw new ForayError(
      'INVALID_VALUE',
      `Morris uses the least and the greatest value of each input, and "${name}" is unbounded.`,
      {
        place: facts.locate([...path, 'inputs', key]),
        hint: 'Give its normal distribution a "min" and a "max".',
      },
    );
  }
}

export function resolveSaltelli(
  written: WrittenSaltelli,
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): Design {
  const { secondOrder = false, seed = facts.seed } = written;
  const all = firstOf(written.points);
  const count = Object.keys(written.inputs).length;
  if (2 * count > MOST_INPUTS) {
    throw new ForayError('INVALID_VALUE', `The design varies ${count} inputs.`, {
      place: facts.locate([...path, 'inputs'], 'key'),
      hint: `saltelli takes at most ${MOST_INPUTS / 2} inputs; morris takes any number, and shows which inputs matter.`,
    });
  }
  const scrambles = written.scrambles ?? scramblesOf(written.points);
  facts.mistakes.attempt(() => {
    if (all % scrambles === 0) return;
    const below = all - (all % scrambles);
    const others = dividersOf(all).map((divider) => divider.toLocaleString('en'));
    throw new ForayError(
      'INVALID_VALUE',
      `${all.toLocaleString('en')} base points cannot be divided over ${scrambles} scrambles.`,
      {
        place: facts.locate([...path, 'points', ...(typeof written.points === 'number' ? [] : ['min'])]),
        hint: `Give ${[below, below + scrambles]
          .filter((points) => points > 0)
          .map((points) => points.toLocaleString('en'))
          .join(' or ')} points, or "scrambles": ${others.join(' or ')}.`,
      },
    );
  });
  const inputs = resolveSpread(written.inputs, facts, [...path, 'inputs'], taken);
  if (!inputs) return NO_DESIGN;
  return { kind: 'saltelli', inputs, points: Math.ceil(all / scrambles), scrambles, secondOrder, seed };
}

/** The number of points. For a growing design it is the number that the design starts with. */
function firstOf(written: number | WrittenGrowth): number {
  return typeof written === 'number' ? written : written.min;
}

/**
 * The default number of scrambles. It is a power of two, so that it divides a number of base points that is a power of
 * two.
 */
function scramblesOf(written: number | WrittenGrowth): number {
  const [points, least] =
    typeof written === 'number' ? [written, LEAST_POINTS.fixed] : [written.max, LEAST_POINTS.growing];
  const most = 2 ** Math.floor(Math.log2(Math.min(MOST_SCRAMBLES, points / least)));
  return most < FEWEST_SCRAMBLES ? 1 : most;
}

/** At most three numbers of scrambles that divide the number of points: the greatest ones up to `MOST_SCRAMBLES`. */
function dividersOf(points: number): number[] {
  return Array.from({ length: MOST_SCRAMBLES }, (_, at) => at + 1)
    .filter((scrambles) => points % scrambles === 0)
    .slice(-3);
}
