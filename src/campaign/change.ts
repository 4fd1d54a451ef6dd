import { RANDOM_SEED } from '../api/index.ts';
import { ForayError } from '../errors.ts';
import { type Contents, expand } from './points.ts';
import { isSame } from './is-same.ts';
import { saltOf } from './seeds.ts';
import { checkStrategyChange, keptStrategy, strategyChanges } from './strategy-rules.ts';
import type { BaseInput } from './designs/input-types.ts';
import { baseValues, reordering } from './designs/kind.ts';
import type { Campaign, VariedFile, VariedInput } from './types.ts';
import { fileKey, pathOf } from './varied-files.ts';

/** The difference that a changed definition makes to a campaign. */
export interface Difference {
  points: { added: number; dropped: number; kept: number };
  /** Replications per point; the least number if a point can get more. */
  replications: { from: number; to: number };
  outputs: { added: string[]; dropped: string[] };
  /** The settings that change, by their names in messages. */
  settings: string[];
  /** The change of the model's version, for runs that are requested after it; null if there is none. */
  version: { from: number; to: number } | null;
}

/** Maps the fields of a campaign that can change after its submission to their names in messages. */
const changeable = {
  concurrency: 'concurrency',
  precision: 'the precision of replications',
  files: 'files',
  failures: 'failures',
  attempts: 'failures.attempts',
  timeouts: 'timeouts',
  outputFiles: 'outputs.files',
  derived: 'the formulas under outputs',
  goal: 'goal',
  notify: 'notify',
} as const;

/** The settings that cannot change, by their names in errors. Most of them decide what the finished runs mean. */
const fixed: Record<string, (campaign: Campaign) => unknown> = {
  'the name': ({ name }) => name,
  'the model': ({ model }) => model.id,
  'the service': ({ service }) => service,
  // `fresh: true` draws a seed only at the submission, and `changed` keeps this seed
  'the seed': ({ seed, fresh, base, varied }) =>
    fresh?.by === 'seed' ? null : (seed ?? modelSeedOf(base, varied)),
  '"commonRandomNumbers"': ({ commonRandomNumbers }) => commonRandomNumbers,
  '"fresh"': ({ fresh }) => fresh,
  'the priority': ({ priority }) => priority,
};

/** Names the settings that must stay the same but differ, for an error; undefined if there are none. */
export function unchangeable(before: Campaign, after: Campaign): string | undefined {
  const differing = Object.entries(fixed).filter(([, of]) => !isSame(of(before), of(after)));
  return differing.length === 0 ? undefined : differing.map(([what]) => what).join(', ');
}

/** A changed definition as the same campaign. A definition without `notify` keeps the campaign's notices. */
export function asChangeOf(before: Campaign, after: Omit<Campaign, 'id' | 'service'>): Campaign {
  const { id, service, serviceId, versions, notify } = before;
  return { ...after, id, service, serviceId, versions, notify: after.notify ?? notify };
}

/** @throws ForayError CHANGE_REFUSED if a definition changes something that cannot change */
export function checkChange(before: Campaign, after: Campaign): void {
  checkStrategyChange(before, after);
  const what = unchangeable(before, after);
  const hint = 'Submit the definition as a new campaign.';
  if (what !== undefined)
    throw new ForayError('CHANGE_REFUSED', `In a campaign that has begun, ${what} cannot change.`, {
      hint: seedHint(before, after) ?? hint,
    });
  const changedFile = after.variedFiles?.find((file) => {
    const known = before.variedFiles?.find(({ input, path }) => input === file.input && path === file.path);
    return known && known.hash !== file.hash;
  });
  if (changedFile)
    throw new ForayError('CHANGE_REFUSED', `The file "${changedFile.path}" has other content than before.`, {
      hint: 'Points are named by the paths of their files. Give the new content another path.',
    });
  // requested runs keep their version, which must have the same inputs, and may lack added outputs
  const { model } = after;
  if (model.versionId === before.model.versionId) return;
  if (!isSame(before.base.map(withoutValue), after.base.map(withoutValue)))
    throw new ForayError(
      'CHANGE_REFUSED',
      `Version ${model.version} of "${model.name}" has other inputs than version ${before.model.version}.`,
      { hint },
    );
  const { added } = settingsDifference(before, after).outputs;
  if (added.length === 0) return;
  throw new ForayError(
    'CHANGE_REFUSED',
    `The change names another version and ${added.length} more outputs.`,
    {
      hint: 'Name the outputs of the campaign under "outputs", or change version and outputs one after the other.',
    },
  );
}

function withoutValue({ name, type, units }: BaseInput): unknown {
  return [name, type, units];
}

/**
 * The changed campaign. A campaign with `fresh` keeps its random seed, or the random value of the input that
 * `fresh.salt` names. An input that has differed between points stays a varied input, and an input that gets another
 * fixed value becomes one, so that the table of results shows the difference.
 */
export function changed(before: Campaign, after: Campaign): Campaign {
  const salt = saltOf(before);
  const base = after.base.map((input) =>
    input.name === salt ? before.base.find(({ name }) => name === salt)! : input,
  );
  const varied = [...after.varied];
  for (const input of [...before.varied, ...base.filter((one) => hasOtherValue(one, before))]) {
    const { name, type, units } = input;
    if (name === salt || name === RANDOM_SEED || varied.some((one) => one.name === name)) continue;
    varied.push({ name, type, units });
  }
  const variedFiles = variedFilesAfter(before, after, varied);
  const isVaried = (input: string): boolean => varied.some(({ name }) => name === input);
  // the value of an input is the hash of a fixed file, or the path of a varied one
  const named = base.map((input) => ({
    ...input,
    value: isVaried(input.name) ? pathOf(variedFiles, input.name, input.value) : input.value,
  }));
  return keptStrategy(before, {
    ...after,
    base: named,
    varied,
    ...(variedFiles.length > 0 && { variedFiles }),
    seed: before.seed,
  });
}

/** The files of the varied inputs of a changed campaign: those of both campaigns, each path of an input once. */
function variedFilesAfter(before: Campaign, after: Campaign, varied: readonly VariedInput[]): VariedFile[] {
  const { variedFiles: wanted = [] } = after;
  const known = new Set(wanted.map(fileKey));
  // points that the design no longer has may have runs at the service
  const former = (before.variedFiles ?? []).filter((file) => !known.has(fileKey(file)));
  const variedFiles = [...wanted, ...former];
  for (const { input, hash, path } of [...before.files, ...after.files]) {
    // a file that all points had or have is a varied file if its input now varies, unless its path or content is known
    if (!varied.some(({ name }) => name === input)) continue;
    const isKnown = variedFiles.some(
      (file) => file.input === input && (file.hash === hash || file.path === path),
    );
    if (!isKnown) variedFiles.push({ input, path, hash });
  }
  return variedFiles;
}

/**
 * Returns a function that puts the values of a point of `before` into the order of the varied inputs of `after`. A
 * newly varied input gets the value that it had at all points of `before`. Undefined if the varied inputs stay the
 * same.
 */
export function relaid(before: Campaign, after: Campaign): ((values: string[]) => string[]) | undefined {
  const names = ({ varied }: Campaign): string[] => varied.map(({ name }) => name);
  if (isSame(names(before), names(after))) return undefined;
  const fixed = baseValues(names(after), before.base);
  const named = names(after).map((name, at) => pathOf(after.variedFiles, name, fixed[at]!));
  return reordering(names(before), names(after), named);
}

/**
 * Compares two campaigns by the keys of their points.
 *
 * @param contents - the contents of the point files of either campaign
 */
export function difference(before: Campaign, after: Campaign, contents: Contents): Difference {
  const known = new Set<string>();
  for (const { key } of expand(before, contents)) known.add(key);
  let [added, kept] = [0, 0];
  for (const { key } of expand(after, contents)) {
    if (known.has(key)) kept += 1;
    else added += 1;
  }
  return wholeDifference({ added, dropped: known.size - kept, kept }, before, after);
}

/** The difference of two campaigns, whose points differ as `points` says. */
export function wholeDifference(points: Difference['points'], before: Campaign, after: Campaign): Difference {
  const { settings, ...others } = settingsDifference(before, after);
  // the definition is another one, although its points are the same
  const isRewritten = points.added + points.dropped === 0 && !isSame(before.design, after.design);
  return {
    points,
    ...others,
    settings: isRewritten ? [...settings, 'the order or form of the design'] : settings,
  };
}

/** All differences except the difference of the points. */
export function settingsDifference(before: Campaign, after: Campaign): Omit<Difference, 'points'> {
  const names = (campaign: Campaign): string[] => campaign.outputs.map(({ name }) => name);
  const lacking = (campaign: Campaign, other: Campaign): string[] =>
    names(campaign).filter((name) => !names(other).includes(name));
  const [from, to] = [before.model.version, after.model.version];
  const outputs = { added: lacking(after, before), dropped: lacking(before, after) };
  const areSame = isSame(names(before), names(after));
  const areReordered = outputs.added.length + outputs.dropped.length === 0 && !areSame;
  return {
    version: from === to ? null : { from, to },
    replications: { from: before.replications, to: after.replications },
    outputs,
    settings: [
      ...(areReordered ? ['the order of outputs'] : []),
      ...(areSame && !isSame(axesOf(before), axesOf(after)) ? ['the x axes of outputs'] : []),
      ...Object.entries(changeable)
        .filter(([name]) => !isSame(before[name as keyof Campaign], after[name as keyof Campaign]))
        .map(([, setting]) => setting),
      ...strategyChanges(before, after),
    ],
  };
}

function axesOf({ outputs }: Campaign): unknown[] {
  return outputs.map(({ axis }) => axis ?? null);
}

function hasOtherValue({ name, value }: BaseInput, before: Campaign): boolean {
  return before.base.find((input) => input.name === name)?.value !== value;
}

/** The hint for a definition that changes the seed only by its replications. */
function seedHint(before: Campaign, after: Campaign): string | undefined {
  if (before.fresh?.by === 'seed' || after.fresh?.by === 'seed') return undefined;
  if (before.seed !== null && after.seed === null)
    return `Give the campaign the seed that it has: seed: ${before.seed}.`;
  if (before.seed === null && after.seed !== null)
    return 'The finished runs have the seed of the model; with "replications" or "seed", each run has a seed of its own. Submit the definition as a new campaign. A campaign that has "seed" from the start can take replications later.';
  return undefined;
}

/** The seed of the runs of a campaign without a seed. */
function modelSeedOf(base: readonly BaseInput[], varied: readonly VariedInput[]): string | undefined {
  const isVaried = varied.some(({ name }) => name === RANDOM_SEED);
  return isVaried ? 'varied' : base.find(({ name }) => name === RANDOM_SEED)?.value;
}
