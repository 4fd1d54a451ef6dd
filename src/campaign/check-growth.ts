import { ForayError } from '../errors.ts';
import { listedNames } from './check-outputs.ts';
import type { Design } from './designs/index.ts';
import type { WrittenGrowth } from './designs/schema-growth.ts';
import { type Growth, growingSize, grown } from './growth.ts';
import { distinct, measureOf, measuresOf } from './measures.ts';
import type { ReadDefinition } from './read.ts';
import type { Campaign } from './types.ts';
import { CONFIDENCE } from '../statistics/sample.ts';

/**
 * Checks the rule by which the design of a definition grows, and resolves it.
 *
 * @throws ForayError INVALID_VALUE, UNKNOWN_OUTPUT, INVALID_EXPRESSION
 */
export function growthOf(
  { definition, locate }: ReadDefinition,
  design: Design,
  kept: Pick<Campaign, 'outputs' | 'derived'>,
): Growth {
  const { path, growth } = writtenGrowth(definition)!;
  const { replications } = definition;
  const wrong = (message: string, at: string[], hint: string): ForayError =>
    new ForayError('INVALID_VALUE', message, { place: locate(at, 'key'), hint });
  if (typeof replications === 'object')
    throw wrong(
      'The design grows until its indices are known, with the same number of replications of each point.',
      ['replications'],
      'Write a number.',
    );
  const { output, max, width, confidence = CONFIDENCE } = growth;
  const measures =
    output === undefined
      ? measuresOf({ ...kept, precision: null })
      : listedNames(output, [...path, 'output'], locate).map(({ name, place }) =>
          measureOf(kept.outputs, name, place),
        );
  if (measures.length === 0)
    throw wrong(
      'The campaign keeps no numeric or BOOLEAN output, so there are no indices.',
      path,
      'Keep such an output, or give the design a number of points.',
    );
  return {
    first: growingSize(design),
    most: growingSize(grown(design, max)),
    width,
    confidence,
    outputs: distinct(measures).map(({ name }) => name),
    rounds: [],
  };
}

/** The rule by which the design of a definition grows, as written, and its path; undefined if the design does not grow. */
export function writtenGrowth({
  design,
}: ReadDefinition['definition']): { path: string[]; growth: WrittenGrowth } | undefined {
  const { morris, saltelli } = design ?? {};
  if (typeof saltelli?.points === 'object')
    return { path: ['design', 'saltelli', 'points'], growth: saltelli.points };
  if (typeof morris?.trajectories === 'object')
    return { path: ['design', 'morris', 'trajectories'], growth: morris.trajectories };
  return undefined;
}
