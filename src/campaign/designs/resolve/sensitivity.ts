import { ForayError } from '../../../errors.ts';
import { MOST_INPUTS } from '../../sampling/unit-points.ts';
import { type Design, NO_DESIGN, type SpreadInput } from '../design.ts';
import type { WrittenMorris, WrittenSaltelli } from '../schema-samples.ts';
import type { DesignFacts, Path } from './inputs.ts';
import { resolveSpread } from './samples.ts';

const LEVELS = 4;
const MOST_SCRAMBLES = 8;
/** Base points that each scramble has where a definition does not say how many scrambles there are. */
const LEAST_POINTS = 8;

export function resolveMorris(
  written: WrittenMorris,
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): Design {
  const { trajectories, levels = LEVELS, seed = facts.seed } = written;
  const inputs = resolveSpread(written.inputs, facts, [...path, 'inputs'], taken);
  if (!inputs) return NO_DESIGN;
  for (const [at, input] of inputs.entries()) facts.mistakes.attempt(() => checkEnds(input, at));
  return { kind: 'morris', inputs, trajectories, levels, seed };

  function checkEnds({ name, distribution }: SpreadInput, at: number): void {
    if (distribution.kind !== 'normal') return;
    if (distribution.min !== undefined && distribution.max !== undefined) return;
    const key = Object.keys(written.inputs)[at]!;
    throw new ForayError(
      'INVALID_VALUE',
      `Morris takes each input to its least and its greatest value, and "${name}" has no end.`,
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
  const { points: all, secondOrder = false, seed = facts.seed } = written;
  const count = Object.keys(written.inputs).length;
  if (2 * count > MOST_INPUTS) {
    throw new ForayError('INVALID_VALUE', `The design varies ${count} inputs.`, {
      place: facts.locate([...path, 'inputs'], 'key'),
      hint: `saltelli takes ${MOST_INPUTS / 2} at most; morris takes any number, and tells which of them matter.`,
    });
  }
  const scrambles = written.scrambles ?? scramblesOf(all);
  facts.mistakes.attempt(() => {
    if (all % scrambles === 0) return;
    const below = all - (all % scrambles);
    const others = dividersOf(all).map((divider) => divider.toLocaleString('en'));
    throw new ForayError(
      'INVALID_VALUE',
      `${all.toLocaleString('en')} base points cannot be divided over ${scrambles} scrambles.`,
      {
        place: facts.locate([...path, 'points']),
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

/** A power of two, so that base points that are one divide over them. */
function scramblesOf(points: number): number {
  const most = Math.min(MOST_SCRAMBLES, points / LEAST_POINTS);
  return 2 ** Math.max(0, Math.floor(Math.log2(most)));
}

/** Numbers of scrambles over which the points divide: the greatest up to the usual one, at most three. */
function dividersOf(points: number): number[] {
  return Array.from({ length: MOST_SCRAMBLES }, (_, at) => at + 1)
    .filter((scrambles) => points % scrambles === 0)
    .slice(-3);
}
