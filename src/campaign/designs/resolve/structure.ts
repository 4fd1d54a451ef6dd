import { ForayError } from '../../../errors.ts';
import { type Kind, kinds, type WrittenDesign } from '../schema.ts';
import type { DesignFacts, Path } from './inputs.ts';

/**
 * For each kind of design, whether its analysis needs exactly the points of the design. A full factorial is not such a
 * design, because each of its points has a meaning without the others.
 */
const NEEDS_ALL_POINTS: Record<Kind, (written: WrittenDesign) => boolean> = {
  grid: () => false,
  zip: () => false,
  points: () => false,
  oneAtATime: () => false,
  random: () => false,
  lhs: () => false,
  sobol: () => false,
  halton: () => false,
  morris: () => true,
  saltelli: () => true,
  factorial: ({ factorial }) => factorial?.resolution !== undefined,
  onePerInput: () => false,
  product: () => false,
  union: () => false,
};

/** The kind and the name of a design that needs exactly its points; otherwise undefined. */
function indivisibleDesign(written: WrittenDesign): { kind: Kind; name: string } | undefined {
  const kind = kinds.find((candidate) => written[candidate] !== undefined);
  if (kind === undefined || !NEEDS_ALL_POINTS[kind](written)) return undefined;
  return { kind, name: kind === 'factorial' ? 'fractional factorial' : `${kind} design` };
}

/**
 * Refuses a condition that would leave points out of a design that needs all of them.
 *
 * @throws ForayError INVALID_VALUE
 */
export function checkNothingLeftOut(
  written: WrittenDesign,
  { locate }: Pick<DesignFacts, 'locate'>,
  path: Path,
): void {
  const found = indivisibleDesign(written);
  if (!found) return;
  throw new ForayError('INVALID_VALUE', `"where" cannot leave points out of a ${found.name}.`, {
    place: locate([...path, 'where'], 'key'),
    hint:
      found.kind === 'factorial'
        ? 'The effects of inputs can be distinguished only with all points of the fraction. A factorial without "resolution" may have "where".'
        : 'Its analysis needs all points. Choose limits of the inputs within which the model can run each point.',
  });
}

/**
 * Refuses a member of a product or union if the analysis of this member needs exactly its own points.
 *
 * @throws ForayError INVALID_VALUE
 */
export function checkStandsAlone(
  kind: 'product' | 'union',
  member: WrittenDesign,
  { locate }: Pick<DesignFacts, 'locate'>,
  path: Path,
): void {
  const found = indivisibleDesign(member);
  if (!found) return;
  throw new ForayError('INVALID_VALUE', `A ${found.name} cannot be part of a ${kind}.`, {
    place: locate([...path, found.kind], 'key'),
    hint: 'Its analysis needs all of its points and no others. Submit it as a campaign of its own; runs that the service already has are reused.',
  });
}
