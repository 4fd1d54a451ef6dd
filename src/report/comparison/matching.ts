import { pointKeys } from '../../campaign/keys.ts';
import { fixedInputs } from '../../campaign/points.ts';
import type { Campaign, VariedInput } from '../../campaign/types.ts';
import { contentOf, pathOf } from '../../campaign/varied-files.ts';
import { ForayError } from '../../errors.ts';
import type { ResultRow } from '../../store/index.ts';

/** An input that the campaigns fix at different values. Null means that a campaign does not have the input. */
export interface ApartInput {
  name: string;
  a: string | null;
  b: string | null;
}

/** Reads a row of one campaign: the key by which its point is matched, and the values of its inputs. */
export interface PointReader {
  /** A key that is equal for points that are compared with each other. */
  keyOf: (row: Pick<ResultRow, 'point' | 'values'>) => string;
  /** The values of the inputs that at least one campaign varies. */
  valuesOf: (row: Pick<ResultRow, 'values'>) => string[];
}

export interface Matching {
  /** The inputs that the campaigns fix at different values. They are not part of the common key. */
  apart: ApartInput[];
  /** The inputs that at least one campaign varies. */
  varied: VariedInput[];
  a: PointReader;
  b: PointReader;
}

type PointsOf = Pick<Campaign, 'id' | 'base' | 'varied' | 'files' | 'variedFiles' | 'fresh'>;

/**
 * Finds how the points of two campaigns are matched. A key is made of all inputs, except those that the campaigns fix
 * at different values, such as a policy, or a new input in a newer version of the model. If a key contained these
 * inputs, it would never be in both campaigns.
 *
 * @throws ForayError NOTHING_TO_COMPARE if one campaign varies an input that the other does not have
 */
export function matchingOf(a: PointsOf, b: PointsOf): Matching {
  const [fixedInA, fixedInB] = [fixedValues(a), fixedValues(b)];
  checkVaried(a, b, fixedInB);
  checkVaried(b, a, fixedInA);
  const apart = [...new Set([...fixedInA.keys(), ...fixedInB.keys()])].flatMap((name): ApartInput[] => {
    if (isVaried(a, name) || isVaried(b, name)) return [];
    const [ofA = null, ofB = null] = [fixedInA.get(name), fixedInB.get(name)];
    if (ofA === ofB) return [];
    return [{ name, a: ofA && pathOf(a.files, name, ofA), b: ofB && pathOf(b.files, name, ofB) }];
  });
  const varied = [...a.varied, ...b.varied.filter(({ name }) => !isVaried(a, name))];
  const inKey = new Set([...fixedInA.keys(), ...varied.map(({ name }) => name)]);
  for (const { name } of apart) inKey.delete(name);
  const reader = (campaign: PointsOf, fixed: ReadonlyMap<string, string>): PointReader => {
    const names = [...inKey];
    const keyValuesOf = valuesBy(campaign, fixed, names, (name, value) => contentOf(campaign, name, value));
    const toKey = pointKeys(names);
    return {
      // if all inputs are in the key, it is the key of the point
      keyOf: apart.length === 0 ? ({ point }) => point : (row) => toKey(keyValuesOf(row)),
      valuesOf: valuesBy(
        campaign,
        fixed,
        varied.map(({ name }) => name),
        (name, value) => pathOf(campaign.files, name, value),
      ),
    };
  };
  return { apart, varied, a: reader(a, fixedInA), b: reader(b, fixedInB) };
}

function fixedValues(campaign: PointsOf): Map<string, string> {
  return new Map(fixedInputs(campaign).map(({ name, value }) => [name, value]));
}

function isVaried({ varied }: PointsOf, wanted: string): boolean {
  return varied.some(({ name }) => name === wanted);
}

function checkVaried(one: PointsOf, other: PointsOf, fixedInOther: ReadonlyMap<string, string>): void {
  const lacking = one.varied.find(({ name }) => !fixedInOther.has(name) && !isVaried(other, name));
  if (!lacking) return;
  throw new ForayError(
    'NOTHING_TO_COMPARE',
    `"${one.id}" varies "${lacking.name}", which the points of "${other.id}" do not have.`,
    { hint: 'Compare campaigns that vary the same inputs.' },
  );
}

/** Returns a function that reads the values of some inputs from a row of a campaign, each as `read` gives it. */
function valuesBy(
  { varied }: PointsOf,
  fixed: ReadonlyMap<string, string>,
  names: readonly string[],
  read: (name: string, value: string) => string,
) {
  const places = names.map((name) => varied.findIndex((input) => input.name === name));
  return ({ values }: Pick<ResultRow, 'values'>): string[] =>
    names.map((name, at) => read(name, places[at]! < 0 ? fixed.get(name)! : values[places[at]!]!));
}
