import { nameKey, type RawValue } from '../../api/index.ts';
import { ForayError, type Place } from '../../errors.ts';
import { quoted } from '../../suggest.ts';
import type { Locate } from '../../yaml.ts';
import { compileExpression, ExpressionError, type ValueType } from '../expressions/index.ts';
import { pointKeys } from '../keys.ts';
import { type Distribution, massWithin } from '../sampling/distributions.ts';
import { MOST_INPUTS, type SamplingMethod } from '../sampling/unit-points.ts';
import { canonical, checkUnits, kindOf, type ModelInput } from '../values.ts';
import { type Design, type Derivation, inputsOf, type SpreadInput } from './design.ts';
import { expressionNames, isNumeric, isWhole, valueType } from './names.ts';
import {
  distributionOf,
  type Kind,
  kinds,
  type Spread,
  type WrittenDesign,
  type WrittenSample,
} from './schema.ts';
import type { PointCheck, PointFile } from './table.ts';
import { distinctValuesOf, valuesOf } from './values.ts';

type Path = readonly PropertyKey[];

/** What is quoted of an expression from where it is wrong. */
const LONGEST_REST = 20;
/** What there is of a normal distribution between its limits, at least. */
const LEAST_MASS = 1e-290;
/** Deviations from the mean beyond which nothing is drawn. */
const SPREAD = 9;

/** What a design is checked against. */
export interface DesignFacts {
  inputs: readonly ModelInput[];
  locate: Locate;
  /** Finds the input that a name means. */
  find: (written: string, place: Place) => ModelInput;
  /** Files of points that were checked, by their path as it is written. */
  pointFiles: Readonly<Record<string, PointFile>>;
  /** Of samples that name none. */
  seed: number;
}

/**
 * Checks every name and value of a design and resolves it.
 *
 * @param path where the design is in the definition
 * @param taken inputs that something else gives already
 * @throws ForayError with the place in the definition
 */
export function checkDesign(
  written: WrittenDesign,
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): Design {
  const kind = kinds.find((candidate) => written[candidate] !== undefined)!;
  const design = checkKind(kind, written, facts, [...path, kind], taken);
  if (written.where === undefined && written.derive === undefined) return design;
  const all = new Set([...taken, ...inputsOf(design)]);
  const derive = Object.entries(written.derive ?? {}).map(([name, expression]) =>
    derivation(name, expression, facts, [...path, 'derive', name], all),
  );
  const { where } = written;
  if (where !== undefined) checkExpression(where, 'boolean', facts, [...path, 'where']);
  return { kind: 'refined', design, derive, where: where ?? null };
}

function checkKind(
  kind: Kind,
  written: WrittenDesign,
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): Design {
  switch (kind) {
    case 'grid':
    case 'oneAtATime': {
      const inputs = inputsIn(written[kind]!, facts, path, taken);
      const values = inputs.map(({ input, value, path: at }) =>
        distinctValuesOf(input, value, facts.locate, at),
      );
      return { kind, inputs: namesOf(inputs), values };
    }
    case 'zip':
      return zip(written.zip!, facts, path, taken);
    case 'points':
      return typeof written.points === 'string'
        ? file(written.points, facts, path, taken)
        : list(written.points!, facts, path, taken);
    case 'random':
    case 'lhs':
    case 'sobol':
    case 'halton':
      return sample(kind, written[kind]!, facts, path, taken);
    case 'product': {
      const designs: Design[] = [];
      const all = new Set(taken);
      for (const [at, member] of written.product!.entries()) {
        const design = checkDesign(member, facts, [...path, at], all);
        for (const name of inputsOf(design)) all.add(name);
        designs.push(design);
      }
      return { kind, designs };
    }
    case 'union': {
      const designs = written.union!.map((member, at) => checkDesign(member, facts, [...path, at], taken));
      return { kind, designs };
    }
  }
}

interface GivenInput<T> {
  input: ModelInput;
  value: T;
  path: PropertyKey[];
}

/** What is written by input, each of which may be given once. */
function inputsIn<T>(
  written: Record<string, T>,
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): GivenInput<T>[] {
  const all = new Set(taken);
  return Object.entries(written).map(([name, value]) => {
    const at = [...path, name];
    return { input: newInput(name, facts, facts.locate(at, 'key'), all), value, path: at };
  });
}

/** The input that a name means, if nothing gives it yet; adds it to what is taken. */
function newInput(
  name: string,
  { find }: Pick<DesignFacts, 'find'>,
  place: Place,
  taken: Set<string>,
): ModelInput {
  const input = find(name, place);
  if (taken.has(input.name)) {
    throw new ForayError('INVALID_VALUE', `The input "${input.name}" is given more than once.`, {
      place,
      hint: 'Give it once, under one of inputs, files, design and fresh.',
    });
  }
  taken.add(input.name);
  if (input.type === 'INPUT_FILE') {
    throw new ForayError('INVALID_VALUE', `The input "${input.name}" takes a file.`, {
      place,
      hint: `Write it under "files": {"${input.name}": PATH}.`,
    });
  }
  return input;
}

function namesOf(inputs: readonly GivenInput<unknown>[]): string[] {
  return inputs.map(({ input }) => input.name);
}

function zip(
  written: NonNullable<WrittenDesign['zip']>,
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): Design {
  const { locate } = facts;
  const inputs = inputsIn(written, facts, path, taken);
  const values = inputs.map(({ input, value, path: at }) => valuesOf(input, value, locate, at));
  const [first] = inputs;
  for (const [at, { input, path: where }] of inputs.entries()) {
    const [count, wanted] = [values[at]!.length, values[0]!.length];
    if (count === wanted) continue;
    throw new ForayError(
      'INVALID_VALUE',
      `"${first!.input.name}" has ${wanted} values, and "${input.name}" has ${count}.`,
      { place: locate(where), hint: 'In a zip there are as many of each.' },
    );
  }
  const distinct = distinctRows(namesOf(inputs), (row) => locate([...inputs[0]!.path, row]));
  for (const row of values[0]!.keys()) distinct(values.map((column) => column[row]!));
  return { kind: 'zip', inputs: namesOf(inputs), values };
}

function list(
  written: Record<string, RawValue>[],
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): Design {
  const { locate } = facts;
  const [first] = written;
  const inputs = inputsIn(first!, facts, [...path, 0], taken).map(({ input }) => input);
  const names = inputs.map(({ name }) => name);
  if (names.length === 0) {
    throw new ForayError('INVALID_VALUE', 'The point gives no input.', { place: locate([...path, 0]) });
  }
  const distinct = distinctRows(names, (row) => locate([...path, row]));
  const rows = written.map((point, row) => {
    const given = inputsIn(point, facts, [...path, row], taken);
    const other = given.find(({ input }) => !names.includes(input.name));
    if (other) {
      throw new ForayError('INVALID_VALUE', `The first point does not give "${other.input.name}".`, {
        place: locate(other.path, 'key'),
        hint: 'All points of a list give the same inputs; a union combines lists.',
      });
    }
    const values = inputs.map((input) => {
      const own = given.find((one) => one.input.name === input.name);
      if (own) return canonical(input, own.value, locate(own.path));
      throw new ForayError(
        'INVALID_VALUE',
        `The point does not give "${input.name}", as the first one does.`,
        {
          place: locate([...path, row]),
          hint: 'All points of a list give the same inputs; a union combines lists.',
        },
      );
    });
    distinct(values);
    return values;
  });
  return { kind: 'list', inputs: names, rows };
}

/** Takes rows in, one after the other, and refuses one that was there before. */
function distinctRows(
  names: readonly string[],
  placeOf: (row: number) => Place,
): (values: readonly string[]) => void {
  const keyOf = pointKeys(names);
  const rows = new Map<string, number>();
  return (values) => {
    const key = keyOf(values);
    const before = rows.get(key);
    if (before !== undefined) {
      throw new ForayError('INVALID_VALUE', `Point ${rows.size + 1} is the same as point ${before + 1}.`, {
        place: placeOf(rows.size),
        hint: 'Use replications to repeat a point.',
      });
    }
    rows.set(key, rows.size);
  };
}

function file(path: string, facts: DesignFacts, at: Path, taken: ReadonlySet<string>): Design {
  const found = facts.pointFiles[path]!;
  const all = new Set(taken);
  for (const name of found.inputs) newInput(name, facts, facts.locate(at), all);
  return { kind: 'file', path, ...found };
}

/** The files of points that a design names, with where it does. */
export function pointPaths(written: WrittenDesign, at: Path): { path: string; at: Path }[] {
  return [
    ...(typeof written.points === 'string' ? [{ path: written.points, at: [...at, 'points'] }] : []),
    ...(['product', 'union'] as const).flatMap((kind) =>
      (written[kind] ?? []).flatMap((member, index) => pointPaths(member, [...at, kind, index])),
    ),
  ];
}

/** Checks a table of points: its columns are inputs, its values are of their types, and no point is there twice. */
export function pointCheck(facts: Pick<DesignFacts, 'find'>): PointCheck {
  let inputs: ModelInput[] = [];
  let distinct: (values: readonly string[]) => void;
  let placeOfRow: Place;
  return {
    columns(names, placeOf) {
      const all = new Set<string>();
      inputs = names.map((name, column) => newInput(name, facts, placeOf(column), all));
      const spelled = inputs.map(({ name }) => name);
      distinct = distinctRows(spelled, () => placeOfRow);
      return spelled;
    },
    row(values, placeOf) {
      const row = inputs.map((input, column) => canonical(input, values[column]!, placeOf(column)));
      placeOfRow = placeOf(0);
      distinct(row);
      return row;
    },
  };
}

function sample(
  method: SamplingMethod,
  written: WrittenSample,
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): Design {
  const given = inputsIn(written.inputs, facts, [...path, 'inputs'], taken);
  const most = method === 'sobol' || method === 'halton' ? MOST_INPUTS : Infinity;
  if (given.length > most) {
    throw new ForayError('INVALID_VALUE', `The design varies ${given.length} inputs.`, {
      place: facts.locate([...path, 'inputs'], 'key'),
      hint: `${method} takes ${most} at most; lhs and random take any number.`,
    });
  }
  const { points, seed = facts.seed, scramble = true } = written;
  const inputs = given.map(({ input, value, path: at }) => spreadInput(input, value, facts.locate, at));
  const unbounded = inputs.find(
    ({ distribution: { kind, ...rest } }) => kind === 'normal' && !('min' in rest),
  );
  if (!scramble && unbounded && (method === 'sobol' || method === 'halton')) {
    throw new ForayError(
      'INVALID_VALUE',
      `The plain sequence begins at 0, where "${unbounded.name}" has no end.`,
      {
        place: facts.locate([...path, 'scramble']),
        hint: 'Give its distribution a "min", or leave "scramble" out.',
      },
    );
  }
  return { kind: 'sample', method, points, seed, scramble, inputs };
}

function spreadInput(input: ModelInput, written: Spread, locate: Locate, path: PropertyKey[]): SpreadInput {
  const { name, type } = input;
  const place = locate(path);
  const choice = (values: readonly RawValue[], at: PropertyKey[], weights?: number[]): SpreadInput => {
    const texts = values.map((value, index) => canonical(input, value, locate([...at, index])));
    const distribution = { kind: 'choice' as const, values: texts, ...(weights && { weights }) };
    return { name, isWhole: isWhole(type), distribution };
  };
  if (Array.isArray(written)) return choice(written, path);
  checkUnits(input, written.units, locate([...path, 'units']));
  const kind = distributionOf(written);
  if (kind === 'choice') return choice(written.values!, [...path, 'values'], written.weights);
  if (!isNumeric(type)) {
    throw new ForayError(
      'INVALID_VALUE',
      `The input "${name}" takes ${type}, not a distribution of numbers.`,
      { place, hint: 'Give a list of values.' },
    );
  }
  if (input.values) {
    throw new ForayError('INVALID_VALUE', `The input "${name}" takes only some numbers.`, {
      place,
      hint: `Give a list of values: it takes ${kindOf(input)}.`,
    });
  }
  const { min, max, mean, sd, mode } = written;
  if (isWhole(type)) {
    if (min !== undefined && max !== undefined && Math.floor(max) < Math.ceil(min)) {
      throw new ForayError('INVALID_VALUE', `Between ${min} and ${max} there is no whole number.`, {
        place,
        hint: `The input "${name}" takes ${type}.`,
      });
    }
  }
  // a normal distribution without limits is drawn from within nine deviations
  const reach = SPREAD * (sd ?? 0);
  const [least, most] = [min ?? mean! - reach, max ?? mean! + reach];
  if (!Number.isFinite(most - least)) {
    throw new ForayError('INVALID_VALUE', `The values of "${name}" are spread too widely.`, {
      place,
      hint: 'Numbers end at 1.8e308, and so do distances between them.',
    });
  }
  for (const bound of [least, most]) canonical(input, isWhole(type) ? Math.trunc(bound) : bound, place);
  const distribution = Object.fromEntries(
    Object.entries({ kind, min, max, mean, sd, mode }).filter(([, value]) => value !== undefined),
  ) as unknown as Distribution;
  if (distribution.kind === 'normal' && massWithin(distribution) < LEAST_MASS) {
    throw new ForayError(
      'INVALID_VALUE',
      `Nothing of the normal distribution of "${name}" is between its limits.`,
      {
        place,
      },
    );
  }
  return { name, isWhole: isWhole(type), distribution };
}

function derivation(
  written: string,
  expression: string,
  facts: DesignFacts,
  path: Path,
  taken: Set<string>,
): Derivation {
  const { name, type } = newInput(written, facts, facts.locate(path, 'key'), taken);
  checkExpression(expression, valueType(type), facts, path);
  return { name, type, expression };
}

function checkExpression(
  text: string,
  wanted: ValueType,
  { inputs, locate }: Pick<DesignFacts, 'inputs' | 'locate'>,
  path: Path,
): void {
  try {
    compileExpression(text, expressionNames(inputs), wanted);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const rest = text.slice(error.offset, error.offset + LONGEST_REST);
    throw new ForayError(
      'INVALID_EXPRESSION',
      `The expression is wrong${rest ? ` at ${quoted(rest)}` : ''}: ${error.message}`,
      { place: locate(path), hint: error.hint },
    );
  }
}

/** Where in a design an input is derived, the first time; nowhere is the empty path. */
export function derivePath(written: WrittenDesign, input: string): PropertyKey[] {
  const own = Object.keys(written.derive ?? {}).find((name) => nameKey(name) === nameKey(input));
  if (own !== undefined) return ['derive', own];
  for (const kind of ['product', 'union'] as const) {
    for (const [at, member] of (written[kind] ?? []).entries()) {
      const path = derivePath(member, input);
      if (path.length > 0) return [kind, at, ...path];
    }
  }
  return [];
}
