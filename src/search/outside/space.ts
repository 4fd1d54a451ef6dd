import { byName, isWholeType } from '../../api/index.ts';
import { valueOf } from '../../campaign/designs/input-types.ts';
import type { SearchedInput } from '../../campaign/search/search.ts';
import type { Space } from '../../campaign/search/space.ts';
import { didYouMean, quoted } from '../../text/suggest.ts';
import { isObject, optimiserFailed, type OutsidePoint, shown } from './messages.ts';

/**
 * A value may be outside its bounds by this share of the distance between the bounds, because optimisers scale values
 * and may lose the last digit.
 */
const SLACK = 1e-9;

/** Converts points between a search and an outside optimiser. */
export interface OutsideSpace {
  /** The inputs in the message `start`. */
  described: object[];
  pointAt: (x: readonly number[]) => OutsidePoint;
  /** @throws ForayError OPTIMISER_FAILED if `point` is not a point of the space */
  coordinatesOf: (point: unknown) => number[];
}

export function outsideSpace(inputs: readonly SearchedInput[], space: Space): OutsideSpace {
  const names = inputs.map(({ name }) => name);
  return {
    described: inputs.map(describe),
    pointAt: (x) => {
      const values = space.valuesAt(x);
      return Object.fromEntries(inputs.map(({ name, type }, at) => [name, valueOf(type, values[at]!)]));
    },
    coordinatesOf: (point) => {
      if (!isObject(point)) throw optimiserFailed('proposes something that is not a point');
      const other = Object.keys(point).find((name) => !names.includes(name));
      if (other !== undefined)
        throw optimiserFailed(
          `gives a value of ${quoted(other)}, which is not searched. ${didYouMean(other, names)}`,
        );
      const given = byName(point);
      return space.coordinatesOf(inputs.map((input) => canonicalOf(input, given[input.name])))!;
    },
  };
}

function describe(input: SearchedInput): object {
  const { name, type } = input;
  if (input.kind === 'choice') {
    const values = input.values.map((value) => valueOf(type, value));
    return { name, type: 'choice', values, ...(input.isOrdered && { ordered: true }) };
  }
  const { min, max, scale, step, digits } = input;
  return {
    name,
    type: isWholeType(type) ? 'integer' : 'real',
    min,
    max,
    ...(scale === 'log' && { log: true }),
    ...(step !== null && { step }),
    ...(digits !== null && { digits }),
  };
}

/** A proposed value as canonical text, moved into its bounds. It may lie between two steps. */
function canonicalOf(input: SearchedInput, given: unknown): string {
  const { name, type } = input;
  if (given === undefined) throw optimiserFailed(`gives no value of ${quoted(name)}`);
  const proposes = `proposes ${shown(written(given))} for ${quoted(name)}`;
  if (input.kind === 'choice') {
    const value = input.values.find((candidate) => valueOf(type, candidate) === given);
    if (value === undefined) throw optimiserFailed(`${proposes}, which is none of its values`);
    return value;
  }
  const { min, max } = input;
  if (typeof given !== 'number' || !Number.isFinite(given))
    throw optimiserFailed(`${proposes}, which is not a number`);
  const slack = SLACK * (max - min);
  if (given < min - slack || given > max + slack)
    throw optimiserFailed(`${proposes}, which is not within ${min} and ${max}`);
  return String(Math.min(max, Math.max(min, given)));
}

/** A proposed value as the optimiser has written it, for an error message. */
function written(given: unknown): string {
  // a number that is too large becomes infinite, and JSON has no infinite numbers
  return typeof given === 'number'
    ? String(given)
    : String(JSON.stringify(given)).replace(/^"(NaN|-?Infinity)"$/, '$1');
}
