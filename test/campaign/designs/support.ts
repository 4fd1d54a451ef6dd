import type { WrittenDesign } from '../../../src/campaign/designs/index.ts';
import type { CheckedDefinition } from '../../../src/campaign/check.ts';
import { expand } from '../../../src/campaign/points.ts';
import type { Point } from '../../../src/campaign/types.ts';
import type { ErrorCode } from '../../../src/error-codes.ts';
import { check, expectRefused, HEAD } from '../support.ts';

/** A definition for "Epidemic" with a design and other settings. */
export function definitionOf(design: WrittenDesign, rest: object = {}): string {
  return JSON.stringify({ campaign: 'flu', model: { name: 'Epidemic' }, ...rest, design });
}

export function checkedDesign(design: WrittenDesign, rest: object = {}): CheckedDefinition {
  return check(definitionOf(design, rest));
}

export function pointsOf(design: WrittenDesign, rest: object = {}): Point[] {
  return [...expand(checkedDesign(design, rest))];
}

/** The points of a design. Each point is a text of its values, separated by blanks. */
export function rowsIn(design: WrittenDesign, rest: object = {}): string[] {
  return pointsOf(design, rest).map(({ values }) => values.join(' '));
}

export function keysOf(design: WrittenDesign, rest: object = {}): string[] {
  return pointsOf(design, rest).map(({ key }) => key);
}

/** Expects that foray refuses a design at its §. The design is on one line. */
export function expectDesignRefused(code: ErrorCode, design: string, says: RegExp, hint?: RegExp): void {
  expectRefused(`${HEAD}design: ${design}\n`, { code, says, ...(hint && { hint }) });
}
