import { RANDOM_SEED } from '../api/index.ts';
import { ForayError } from '../errors.ts';
import { type Contents, expand } from './points.ts';
import type { BaseInput, Campaign, VariedInput } from './types.ts';

/** What a changed definition makes of a campaign. */
export interface Difference {
  points: { added: number; dropped: number; kept: number };
  /** Of each point; at least, where they go on until they are precise. */
  replications: { from: number; to: number };
  outputs: { added: string[]; dropped: string[] };
  /** Settings that change, by their names in a definition. */
  settings: string[];
  /** The version of the model that runs are requested with, where it changes. */
  version: { from: number; to: number } | null;
}

/** Settings that can change while a campaign runs, by their names in a definition. */
const changeable = {
  concurrency: 'concurrency',
  precision: 'the precision of replications',
  failures: 'failures',
  attempts: 'failures.attempts',
  timeouts: 'timeouts',
  outputFiles: 'outputs.files',
  derived: 'the formulas under outputs',
  goal: 'goal',
} as const;

/** What cannot change, with how it is called: what has been run would mean something else. */
const fixed: Record<string, (campaign: Campaign) => unknown> = {
  'the name': ({ name }) => name,
  'the model': ({ model }) => model.id,
  'the service': ({ service }) => service,
  'the seed': ({ seed, fresh, base, varied }) =>
    fresh?.by === 'seed' ? null : (seed ?? seedOf(base, varied)),
  '"commonRandomNumbers"': ({ commonRandomNumbers }) => commonRandomNumbers,
  '"fresh"': ({ fresh }) => fresh,
  'the priority': ({ priority }) => priority,
};

/** What a definition would change in a campaign and cannot, in words; undefined when there is no such thing. */
export function unchangeable(before: Campaign, after: Campaign): string | undefined {
  const differing = Object.entries(fixed).filter(([, of]) => !isSame(of(before), of(after)));
  return differing.length === 0 ? undefined : differing.map(([what]) => what).join(', ');
}

/** @throws ForayError CHANGE_REFUSED when a definition would change what cannot */
export function checkChange(before: Campaign, after: Campaign): void {
  if (before.search || after.search)
    throw new ForayError('CHANGE_REFUSED', 'The definition of a campaign with a search cannot change.', {
      hint: 'Submit it as a campaign of its own: it reuses the runs of this one.',
    });
  if (before.select || after.select)
    throw new ForayError('CHANGE_REFUSED', 'The definition of a campaign with "select" cannot change.', {
      hint: 'Submit it as a campaign of its own: it reuses the runs of this one.',
    });
  const what = unchangeable(before, after);
  const hint = 'Submit it as a campaign of its own.';
  if (what !== undefined)
    throw new ForayError('CHANGE_REFUSED', `In a campaign that has begun, ${what} cannot change.`, { hint });
  // runs that are requested have the version that they were requested with: they must be understood by it
  const { model } = after;
  if (model.versionId === before.model.versionId) return;
  const differs = `Version ${model.version} of "${model.name}" has other inputs than version ${before.model.version}`;
  if (!isSame(before.base.map(kindOf), after.base.map(kindOf)))
    throw new ForayError('CHANGE_REFUSED', `${differs}.`, { hint });
  const { added } = settingsDifference(before, after).outputs;
  if (added.length === 0) return;
  throw new ForayError(
    'CHANGE_REFUSED',
    `The change asks for ${added.length} more outputs of another version.`,
    {
      hint: 'Name the outputs of the campaign under "outputs", or change version and outputs one after the other.',
    },
  );
}

function kindOf({ name, type, units }: BaseInput): unknown {
  return [name, type, units];
}

/**
 * The changed campaign: what was drawn for a fresh one stays. Inputs that differ between points that the campaign has
 * had count as varied for good, so that its table tells them apart.
 */
export function changed(before: Campaign, after: Campaign): Campaign {
  const salt = saltOf(before);
  const base = after.base.map((input) =>
    input.name === salt ? before.base.find(({ name }) => name === salt)! : input,
  );
  const varied = [...after.varied];
  for (const input of [...before.varied, ...base.filter((own) => differs(own, before))]) {
    const { name, type, units } = input;
    if (name === salt || name === RANDOM_SEED || varied.some((one) => one.name === name)) continue;
    varied.push({ name, type, units });
  }
  return { ...after, base, varied, seed: before.seed };
}

/** Gives the values of a point that had those of one campaign as it has them in the changed one: the same, in its order. */
export function relaid(before: Campaign, after: Campaign): ((values: string[]) => string[]) | undefined {
  const names = ({ varied }: Campaign): string[] => varied.map(({ name }) => name);
  if (isSame(names(before), names(after))) return undefined;
  const places = names(after).map((name) => names(before).indexOf(name));
  const fixedValues = names(after).map((name) => before.base.find((input) => input.name === name)!.value);
  return (values) => places.map((place, at) => (place < 0 ? fixedValues[at]! : values[place]!));
}

/**
 * Compares two campaigns by the keys of their points.
 *
 * @param contents of the files of points that either has
 */
export function difference(before: Campaign, after: Campaign, contents: Contents): Difference {
  const known = new Set<string>();
  for (const { key } of expand(before, contents)) known.add(key);
  let [added, kept] = [0, 0];
  for (const { key } of expand(after, contents)) {
    if (known.has(key)) kept += 1;
    else added += 1;
  }
  return { points: { added, dropped: known.size - kept, kept }, ...settingsDifference(before, after) };
}

/** What differs beside the points. */
export function settingsDifference(before: Campaign, after: Campaign): Omit<Difference, 'points'> {
  const lacking = (campaign: Campaign, other: Campaign): string[] =>
    campaign.outputs
      .map(({ name }) => name)
      .filter((name) => !other.outputs.some((one) => one.name === name));
  const [from, to] = [before.model.version, after.model.version];
  return {
    version: from === to ? null : { from, to },
    replications: { from: before.replications, to: after.replications },
    outputs: { added: lacking(after, before), dropped: lacking(before, after) },
    settings: Object.entries(changeable)
      .filter(([name]) => !isSame(before[name as keyof Campaign], after[name as keyof Campaign]))
      .map(([, setting]) => setting),
  };
}

function differs({ name, value }: BaseInput, before: Campaign): boolean {
  return before.base.find((input) => input.name === name)?.value !== value;
}

/** The seed that replication 1 of a campaign without a seed of its own sends. */
function seedOf(base: readonly BaseInput[], varied: readonly VariedInput[]): string | undefined {
  const isVaried = varied.some(({ name }) => name === RANDOM_SEED);
  return isVaried ? 'varied' : base.find(({ name }) => name === RANDOM_SEED)?.value;
}

function saltOf({ fresh }: Campaign): string | undefined {
  return fresh?.by === 'salt' ? fresh.input : undefined;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
