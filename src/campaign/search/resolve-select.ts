import { ForayError } from '../../errors.ts';
import { quoted } from '../../text/suggest.ts';
import { writtenGrowth } from '../check-growth.ts';
import { NO_DESIGN, resolveDesign } from '../designs/index.ts';
import type { DesignFacts } from '../designs/kind.ts';
import { measureOf } from '../measures.ts';
import type { ReadDefinition } from '../read.ts';
import { hasSeed } from '../seeds.ts';
import type { Strategy } from '../strategy.ts';
import type { BaseInput } from '../designs/input-types.ts';
import type { Begun, Campaign, CampaignOutput, Goal } from '../types.ts';
import { goalIn, requirementsIn, WRONG_GOAL } from './goal.ts';
import { CONFIDENCE } from '../../statistics/sample.ts';

/** Replications of each point before the comparison, if the definition has no number. */
const DEFAULT_REPLICATIONS = 10;
/** The most points for the procedure of Kim and Nelson, which compares all pairs of points. */
const MOST_POINTS_OF_KN = 200;

/**
 * The first replications of each point of a selection whose definition does not give their number. Without seeds, all
 * repeats of a point would be the same.
 */
export function defaultReplications(base: readonly Pick<BaseInput, 'name'>[]): number {
  return hasSeed(base) ? DEFAULT_REPLICATIONS : 1;
}

/** Checks a selection, whose points are those of a design. Mistakes are collected. */
export function beginSelection(read: ReadDefinition, facts: DesignFacts): Begun {
  const { design } = read.definition;
  facts.mistakes.attempt(() => checkSettings(read, facts.base));
  return {
    design: design ? resolveDesign(design, facts, ['design'], facts.fixed) : NO_DESIGN,
    finish: ({ outputs }) => resolveSelect(read, outputs),
  };
}

/** @throws ForayError INVALID_VALUE if other settings contradict `select`, or there are no points to compare */
function checkSettings(
  { definition, locate }: ReadDefinition,
  base: readonly Pick<BaseInput, 'name'>[],
): void {
  const { design, goal, replications } = definition;
  const wrong = (message: string, path: string[], hint: string): ForayError =>
    new ForayError('INVALID_VALUE', message, { place: locate(path, 'key'), hint });
  if (!design)
    throw wrong('"select" has no points to compare.', ['select'], 'Give the points with a "design".');
  if (writtenGrowth(definition))
    throw wrong(
      '"select" compares points that are known from the beginning.',
      ['select'],
      'Leave "select" out, or give the design a number of points.',
    );
  if (goal)
    throw wrong('The goal of a selection is what it minimizes or maximizes.', ['goal'], 'Leave "goal" out.');
  if (typeof replications === 'object')
    throw wrong(
      '"select" decides how many replications each point gets.',
      ['replications'],
      'Write the number of first replications of each point, or leave "replications" out.',
    );
  if (replications === 1 && hasSeed(base))
    throw wrong(
      'One replication of a point does not show how much its results vary.',
      ['replications'],
      'Write at least 2, better 10. Without "replications" it is 10.',
    );
}

/** Resolves a selection and its goal when the outputs of the campaign are known. */
function resolveSelect(
  { definition, locate, mistakes }: ReadDefinition,
  outputs: readonly CampaignOutput[],
): { strategy: Strategy; goal: Goal } {
  const written = definition.select!;
  const goal = mistakes.attempt(() => {
    const found = goalIn(written, outputs, locate, 'select');
    if (measureOf(outputs, found.output).statistic !== 'quantile') return found;
    throw new ForayError('INVALID_VALUE', `${quoted(found.output)} is a quantile.`, {
      place: locate(['select', written.minimize === undefined ? 'maximize' : 'minimize']),
      hint: 'Points are compared by their means or shares: name an output, or P(…).',
    });
  });
  const { indifference, confidence, runs, report } = written;
  const require = requirementsIn(written, outputs, { locate, mistakes }, 'select');
  return {
    strategy: {
      by: 'selection',
      require,
      report,
      ...(runs === undefined
        ? { method: 'kn', indifference: indifference!, confidence }
        : { method: 'ocba', runs, ...(confidence !== CONFIDENCE && { confidence }) }),
    },
    goal: goal ?? WRONG_GOAL,
  };
}

/**
 * Checks a selection against the number of points of its design.
 *
 * @throws ForayError INVALID_VALUE
 */
export function checkCompared(
  { locate }: Pick<ReadDefinition, 'locate'>,
  { strategy: select, replications }: Pick<Campaign, 'strategy' | 'replications'>,
  points: number,
): void {
  if (select.by !== 'selection') return;
  if (points < 2)
    throw new ForayError('INVALID_VALUE', 'The design has one point, so there is nothing to select.', {
      place: locate(['select'], 'key'),
      hint: 'Leave "select" out, or give the design more points.',
    });
  if (select.method === 'kn' && points > MOST_POINTS_OF_KN)
    throw new ForayError(
      'INVALID_VALUE',
      `The design has ${points.toLocaleString('en')} points, and an indifference compares all pairs of them.`,
      {
        place: locate(['select', 'indifference']),
        hint: `At most ${MOST_POINTS_OF_KN} points are allowed. Give a budget of "runs" instead of the indifference.`,
      },
    );
  const first = points * replications;
  if (select.method === 'ocba' && select.runs < first)
    throw new ForayError(
      'INVALID_VALUE',
      `The first replications of all points are ${first.toLocaleString('en')} runs, more than the budget.`,
      {
        place: locate(['select', 'runs']),
        hint: 'Give more "runs", or fewer "replications".',
      },
    );
}
