import { RANDOM_SEED } from '../api/index.ts';
import { inputsOf, rowsWithPauses, sizeOf } from './designs/index.ts';
import { baseValues, reordering } from './designs/kind.ts';
import { DEFAULT_SEED, pointKeys, replicationSeed } from './keys.ts';
import { saltOf } from './seeds.ts';
import type { Campaign, Point } from './types.ts';
import { contentOf } from './varied-files.ts';

/** The part of a campaign that determines its points. */
export type DesignOf = Pick<Campaign, 'base' | 'varied' | 'design'> &
  Partial<Pick<Campaign, 'fresh' | 'variedFiles'>>;

/** The contents of a campaign's point files, by hash. */
export type Contents = ReadonlyMap<string, Uint8Array>;

/** How often a design has a point, for the points that it has more than once, by key. */
export type Draws = ReadonlyMap<string, number>;

/**
 * After this number of rows, also of those that a design leaves out, a caller may let other work go on. A row may take
 * 10 ms, if it comes from a walk through a narrow region.
 */
const ROWS_AT_ONCE = 20;

/**
 * Counts how often a design has each point. It yields now and then, so that a caller can let other work go on.
 *
 * @param contents - the contents of the files that the design names, by their hash
 * @throws DeriveError
 */
export function* countDraws(campaign: DesignOf, contents: Contents = new Map()): Generator<void, Draws> {
  const draws = new Map<string, number>();
  if (sizeOf(campaign.design) !== undefined) return draws;
  const seen = new Set<string>();
  for (const row of keyedRows(campaign, contents)) {
    if (!row) yield;
    else if (seen.has(row.key)) draws.set(row.key, (draws.get(row.key) ?? 1) + 1);
    else seen.add(row.key);
  }
  return draws;
}

/**
 * The points of a campaign in the order of its design, each once.
 *
 * @param contents - the contents of the files that the design names, by their hash
 * @param draws - the result of {@link countDraws}, if the caller has it
 * @throws DeriveError
 */
export function* expand(
  campaign: DesignOf,
  contents: Contents = new Map(),
  draws: Draws = drawsOf(campaign, contents),
): Generator<Point> {
  for (const point of expandWithPauses(campaign, contents, draws)) if (point) yield point;
}

/** Like {@link expand}. It yields undefined now and then, so that a caller can let other work go on. */
export function* expandWithPauses(
  campaign: DesignOf,
  contents: Contents,
  draws: Draws,
): Generator<Point | undefined> {
  const given = new Set<string>();
  let ordinal = 0;
  for (const row of keyedRows(campaign, contents)) {
    if (!row) {
      yield undefined;
      continue;
    }
    const { key, values } = row;
    const times = draws.get(key);
    if (times !== undefined) {
      if (given.has(key)) continue;
      given.add(key);
    }
    yield { ordinal, key, values, ...(times !== undefined && { draws: times }) };
    ordinal += 1;
  }
}

function drawsOf(campaign: DesignOf, contents: Contents): Draws {
  const counting = countDraws(campaign, contents);
  for (;;) {
    const { done, value } = counting.next();
    if (done) return value;
  }
}

/** The values and keys of the rows of a design. Rows may repeat. After each {@link ROWS_AT_ONCE} rows, there is a pause. */
function* keyedRows(
  campaign: DesignOf,
  contents: Contents,
): Generator<Pick<Point, 'key' | 'values'> | undefined> {
  const { base, varied, design } = campaign;
  const keyOf = pointKeyOf(campaign);
  const names = varied.map(({ name }) => name);
  const inOrder = reordering(inputsOf(design), names, baseValues(names, base));
  let rows = 0;
  for (const row of rowsWithPauses(design, { base, contents })) {
    if (row) {
      const values = inOrder(row);
      yield { key: keyOf(values), values };
    }
    if ((rows += 1) % ROWS_AT_ONCE === 0) yield undefined;
  }
}

/** Returns a function that gives the key of a point for its values of the varied inputs. */
export function pointKeyOf(campaign: Omit<DesignOf, 'design'>): (values: readonly string[]) => string {
  const fixed = fixedInputs(campaign);
  const names = campaign.varied.map(({ name }) => name);
  const keyOf = pointKeys([...fixed.map(({ name }) => name), ...names]);
  const fixedValues = fixed.map(({ value }) => value);
  return (values) =>
    keyOf([...fixedValues, ...values.map((value, at) => contentOf(campaign, names[at]!, value))]);
}

/** The part of the key that is the same for all points: the inputs with only one value. */
export function fixedInputs(campaign: Omit<DesignOf, 'design'>): Campaign['base'] {
  const salt = saltOf(campaign);
  const varied = new Set(campaign.varied.map(({ name }) => name));
  // the inputs that distinguish repeats of a point are not part of its key
  return campaign.base.filter(({ name }) => name !== RANDOM_SEED && name !== salt && !varied.has(name));
}

/**
 * All inputs of one run, as they are sent to the service for one replication of a point. The first replication has the
 * number 1.
 *
 * @param reseeded the number of earlier attempts that had other seeds
 */
export function runInputs(
  campaign: Pick<Campaign, 'base' | 'varied' | 'variedFiles' | 'seed' | 'seeds' | 'commonRandomNumbers'>,
  point: Pick<Point, 'key' | 'values'>,
  replication: number,
  reseeded = 0,
): Campaign['base'] {
  const varied = new Map(campaign.varied.map(({ name }, at) => [name, point.values[at]!]));
  const derivesSeed = campaign.seed !== null || reseeded > 0;
  return campaign.base.map((input) => {
    const value = varied.get(input.name);
    if (value !== undefined) return { ...input, value: contentOf(campaign, input.name, value) };
    if (input.name === RANDOM_SEED && derivesSeed) {
      const seed = campaign.seed ?? DEFAULT_SEED;
      const key = campaign.commonRandomNumbers ? null : point.key;
      return { ...input, value: replicationSeed(seed, key, replication, reseeded, campaign.seeds) };
    }
    return input;
  });
}
