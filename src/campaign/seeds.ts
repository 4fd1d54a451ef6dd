import { allowedText, isLimited, RANDOM_SEED } from '../api/index.ts';
import { ForayError, type Place } from '../errors.ts';
import type { Definition } from './definition.ts';
import type { ModelFacts } from './facts.ts';
import type { DesignFacts } from './designs/kind.ts';
import type { GiveOnce } from './find-input.ts';
import { DEFAULT_SEED, type SeedRange } from './keys.ts';
import type { ReadDefinition } from './read.ts';
import type { BaseInput } from './designs/input-types.ts';
import type { Campaign, Freshness, VariedInput } from './types.ts';

/** Derived seeds begin here, if the model declares no least seed. */
const LEAST = 1;
/** The number of derived seeds, if the model declares no greatest seed. */
const UNLIMITED = 2 ** 48;
/** The largest random seed or salt. An INTEGER can hold it. */
const LARGEST_DRAWN = 2 ** 31 - 1;
/** The settings that replace the seed of all runs. */
const REPLACING_SEED = ['select', 'replications', 'seed', 'fresh'];
/** The types of inputs that can be salted. */
const SALTABLE = ['STRING', 'INTEGER', 'LONG', 'DOUBLE'];

/**
 * Checks that seeds can be derived if the definition needs them.
 *
 * @param drawsBySeed - whether the points depend on the seed of the campaign
 * @param given - inputs that a setting gives
 * @throws ForayError REPLICATIONS_NEED_SEED, SEED_NEEDED, INVALID_VALUE
 */
export function checkSeeds(
  read: ReadDefinition,
  facts: ModelFacts,
  { varied, drawsBySeed }: { varied: readonly VariedInput[]; drawsBySeed: boolean },
  given: ReadonlySet<string>,
): void {
  const { definition, locate } = read;
  const seed = facts.version.experimentTemplate.inputs.find(({ name }) => name === RANDOM_SEED);
  const users = seedUsers(read, drawsBySeed, seed !== undefined);
  const [first] = users;
  if (first === undefined) return;
  const place = locate(first.split('.'));
  const hint = `Remove ${users.map((setting) => `"${setting}"`).join(' and ')}.`;
  if (!seed) {
    const lacks = `The model "${facts.name}" has no input ${RANDOM_SEED}, so`;
    throw users.includes('replications') || users.includes('seed')
      ? new ForayError('REPLICATIONS_NEED_SEED', `${lacks} its runs cannot differ by their seed.`, {
          place,
          hint,
        })
      : new ForayError('SEED_NEEDED', `${lacks} it takes no new seed.`, {
          place,
          hint: definition.fresh === true ? 'Name an input to salt: fresh: {salt: INPUT}.' : hint,
        });
  }
  const wrong = (message: string, place: Place, hint: string): ForayError =>
    new ForayError('INVALID_VALUE', message, { place, hint });
  const takes = `The model "${facts.name}" takes only ${allowedText(seed)} for ${RANDOM_SEED},`;
  if (seed.values) throw wrong(`${takes} so seeds cannot be derived.`, place, hint);
  const range = seedRange(facts);
  const { replications = 1 } = definition;
  const wanted = typeof replications === 'number' ? replications : (replications.max ?? 1);
  if (range && range.most - range.least + 1 < wanted)
    throw wrong(
      `${takes} fewer seeds than replications.`,
      locate(['replications']),
      'Give fewer replications.',
    );
  if (varied.some(({ name }) => name === RANDOM_SEED))
    throw wrong(
      `The design varies ${RANDOM_SEED}, so seeds cannot be derived as well.`,
      place,
      `${hint.slice(0, -1)}, or the seed from the design.`,
    );
  const replacing = users.findLast((setting) => REPLACING_SEED.includes(setting));
  if (replacing !== undefined && given.has(RANDOM_SEED))
    throw wrong(
      `The input "${RANDOM_SEED}" is given, and "${replacing}" replaces it.`,
      locate([replacing]),
      'Give one of the two.',
    );
  if (definition.fresh === true && definition.seed !== undefined)
    throw wrong(
      'A "fresh" campaign draws a new seed, but "seed" gives a fixed seed.',
      locate(['fresh']),
      'Remove "seed", or name an input to salt: fresh: {salt: INPUT}.',
    );
}

/** The seeds of a model that declares `min` or `max` for them; undefined if it takes any. */
export function seedRange({ version }: ModelFacts): SeedRange | undefined {
  const seed = version.experimentTemplate.inputs.find(({ name }) => name === RANDOM_SEED);
  const { min, max } = seed ?? {};
  if (min === undefined && max === undefined) return undefined;
  const least = Math.ceil(min ?? Math.min(LEAST, max!));
  return { least, most: Math.floor(max ?? least + UNLIMITED - 1) };
}

/** The settings that make foray choose the seeds of runs. */
function seedUsers({ definition }: ReadDefinition, drawsBySeed: boolean, takesSeed: boolean): string[] {
  const { select, replications = 1, commonRandomNumbers, seed, fresh, failures } = definition;
  const usesSeed = {
    select: select !== undefined && takesSeed,
    replications: replications !== 1,
    commonRandomNumbers,
    // for a model without seeds, the seed of the campaign may be only for its points
    seed: seed !== undefined && (takesSeed || !drawsBySeed),
    fresh: fresh === true,
    'failures.seed': failures?.seed === 'new' && failures.attempts > 1,
  };
  return Object.entries(usesSeed).flatMap(([setting, isUser]) => (isUser ? [setting] : []));
}

/**
 * How the campaign avoids the reuse of results.
 *
 * @throws ForayError INVALID_VALUE if the salted input has another use or cannot take a salt; also the errors of `find`
 */
export function freshness(
  { definition, locate }: ReadDefinition,
  find: DesignFacts['find'],
  once: GiveOnce,
): Freshness {
  const { fresh } = definition;
  if (fresh === false) return null;
  if (fresh === true) return { by: 'seed' };
  const path = ['fresh', 'salt'];
  const input = find(fresh.salt, locate(path));
  once(input.name, path);
  if (!SALTABLE.includes(input.type) || input.name === RANDOM_SEED || isLimited(input)) {
    throw new ForayError('INVALID_VALUE', `The input "${input.name}" cannot be salted.`, {
      place: locate(path),
      hint:
        input.name === RANDOM_SEED
          ? 'Write fresh: true for a new seed.'
          : `Name an input that takes ${SALTABLE.join(', ')} and does not change the result.`,
    });
  }
  return { by: 'salt', input: input.name };
}

/** The input whose value only makes runs fresh; undefined without such an input. */
export function saltOf({ fresh }: Partial<Pick<Campaign, 'fresh'>>): string | undefined {
  return fresh?.by === 'salt' ? fresh.input : undefined;
}

/**
 * The seed of a campaign, from which all seeds of runs are derived. Null if runs keep the seed of the model: a campaign
 * without replications then reuses the runs of others. Replications always have derived seeds. If replication 1 had the
 * seed of the model, its chance would be the same at all points, and no mean over points would be independent of it.
 * A campaign with `fresh: true` draws its seed when it is submitted.
 *
 * @param replications - the fewest replications of a point
 */
export function seedOf(
  { seed, fresh }: Pick<Definition, 'seed' | 'fresh'>,
  base: readonly Pick<BaseInput, 'name'>[],
  replications: number,
): number | null {
  return seed ?? (replications > 1 && fresh !== true && hasSeed(base) ? DEFAULT_SEED : null);
}

/** Whether the runs of a campaign have seeds, so that repeats of a point may differ. */
export function hasSeed(base: readonly Pick<BaseInput, 'name'>[]): boolean {
  return base.some(({ name }) => name === RANDOM_SEED);
}

/**
 * Whether each point has one run with a seed of its own. Then nobody can distinguish the effect of chance from the
 * effects of inputs. If points have the same seed, chance is the same at all points.
 */
export function hasUnknownChance(campaign: Seeded): boolean {
  return hasRandomRuns(campaign) && !isRepeated(campaign);
}

type Seeded = Pick<
  Campaign,
  'base' | 'replications' | 'precision' | 'seed' | 'fresh' | 'commonRandomNumbers'
>;

/** Whether chance may make the results of two points differ, because their runs have different seeds. */
export function hasRandomRuns(campaign: Seeded): boolean {
  const isOneSeed = campaign.commonRandomNumbers && !isRepeated(campaign);
  return hasDerivedSeeds(campaign) && !isOneSeed;
}

/** Whether foray chooses the seeds of runs. Otherwise all runs have the seed of the model. */
export function hasDerivedSeeds({ base, seed, fresh }: Pick<Seeded, 'base' | 'seed' | 'fresh'>): boolean {
  return hasSeed(base) && (seed !== null || fresh?.by === 'seed');
}

/** Whether all points have the same seeds, so that one replication has the same chance at all of them. */
export function pointsShareSeeds(campaign: Seeded & Pick<Campaign, 'varied'>): boolean {
  const { base, varied, commonRandomNumbers } = campaign;
  if (!hasSeed(base) || varied.some(({ name }) => name === RANDOM_SEED)) return false;
  return commonRandomNumbers || !hasDerivedSeeds(campaign);
}

function isRepeated({ replications, precision }: Pick<Seeded, 'replications' | 'precision'>): boolean {
  return replications > 1 || precision !== null;
}

/**
 * Adds a random seed to a campaign with `fresh: true`, or a random value (a salt) to the input that `fresh` names.
 * Returns other campaigns unchanged.
 *
 * @param random returns a number in [0, 1)
 */
export function freshened<C extends Pick<Campaign, 'base' | 'seed' | 'fresh'>>(
  campaign: C,
  random: () => number,
): C {
  const { fresh } = campaign;
  if (!fresh) return campaign;
  const drawn = 1 + Math.floor(random() * LARGEST_DRAWN);
  if (fresh.by === 'seed') return { ...campaign, seed: drawn };
  const base = campaign.base.map((input) =>
    input.name === fresh.input ? { ...input, value: String(drawn) } : input,
  );
  return { ...campaign, base };
}

/**
 * Whether replication n of a point has the same seed in two campaigns. A further attempt may have had another seed:
 * then the two runs are independent, which does not bias a comparison in pairs.
 *
 * @param sameKeys whether the point has the same key in both campaigns
 */
export function campaignsShareSeeds(a: SeedsOf, b: SeedsOf, sameKeys: boolean): boolean {
  const [ofA, ofB] = [a, b].map(({ base }) => base.find(({ name }) => name === RANDOM_SEED)?.value);
  if (ofA === undefined || ofB === undefined) return false;
  // without a seed, all runs have the seed in `base`
  if (a.seed === null || b.seed === null) return a.seed === b.seed && ofA === ofB;
  if (a.commonRandomNumbers !== b.commonRandomNumbers || a.seed !== b.seed) return false;
  if (a.seeds?.least !== b.seeds?.least || a.seeds?.most !== b.seeds?.most) return false;
  return a.commonRandomNumbers || sameKeys;
}

type SeedsOf = Pick<Campaign, 'base' | 'seed' | 'seeds' | 'commonRandomNumbers'>;
