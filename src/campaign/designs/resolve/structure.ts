import { ForayError } from '../../../errors.ts';
import type { Kind, WrittenDesign } from '../schema.ts';
import type { DesignFacts, Path } from './inputs.ts';

/** The kinds of design whose analysis needs all of their points, and no others. */
const balanced = ['morris', 'saltelli', 'factorial'] as const;

/**
 * The name of the design if it is balanced. A full grid is balanced as well, but its points are meaningful without the
 * others.
 */
function balancedName(written: WrittenDesign): { kind: Kind; name: string } | undefined {
  const kind = balanced.find((candidate) => written[candidate] !== undefined);
  if (kind === undefined || (kind === 'factorial' && written.factorial!.resolution === undefined)) {
    return undefined;
  }
  return { kind, name: kind === 'factorial' ? 'fractional factorial' : `${kind} design` };
}

/**
 * A condition must not leave points out of a design that needs all of them.
 *
 * @throws ForayError INVALID_VALUE
 */
export function checkNothingLeftOut(
  written: WrittenDesign,
  { locate }: Pick<DesignFacts, 'locate'>,
  path: Path,
): void {
  const found = balancedName(written);
  if (!found) return;
  throw new ForayError('INVALID_VALUE', `"where" cannot leave points out of a ${found.name}.`, {
    place: locate([...path, 'where'], 'key'),
    hint:
      found.kind === 'factorial'
        ? 'The effects of inputs can only be told apart with all of its points. Without "resolution" it is taken.'
        : 'Its results need all points: choose other limits of the inputs, so that each point can be run.',
  });
}

/**
 * A design that needs exactly its points must not be a member of another.
 *
 * @throws ForayError INVALID_VALUE
 */
export function checkStandsAlone(
  kind: 'product' | 'union',
  member: WrittenDesign,
  { locate }: Pick<DesignFacts, 'locate'>,
  path: Path,
): void {
  const found = balancedName(member);
  if (!found) return;
  throw new ForayError('INVALID_VALUE', `A ${found.name} cannot be part of a ${kind}.`, {
    place: locate([...path, found.kind], 'key'),
    hint: 'Its results need exactly its points: make it a campaign of its own. Runs that are there are reused.',
  });
}
