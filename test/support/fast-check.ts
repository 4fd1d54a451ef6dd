import fc from 'fast-check';
import { isSecondTier } from './second-tier.ts';

/**
 * fast-check with a fixed seed, so that the result of a test depends only on the code. FORAY_SEED=N draws other
 * examples.
 */
fc.configureGlobal({ seed: Number(process.env.FORAY_SEED ?? 1) });

/**
 * Any character of Unicode, also halves of surrogate pairs, as a unit of `fc.string`. fast-check's own unit `binary` is
 * a table of all characters, which costs each test file a CPU second and 140 MB.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff })
  .map((code) => String.fromCodePoint(code), codeOf);

/** @throws Error when the value is not one character, as fast-check expects */
function codeOf(value: unknown): number {
  if (typeof value !== 'string' || [...value].length !== 1) throw new Error('not a character');
  return value.codePointAt(0)!;
}

/**
 * The number of cases that a property test draws if its cases take seconds: all of them in the second tier, a third in
 * the first.
 */
export const draws = (all: number): number => (isSecondTier ? all : Math.ceil(all / 3));

export default fc;
