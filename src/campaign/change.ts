import { RANDOM_SEED } from '../api/index.ts';
import { expand } from './design.ts';
import type { Campaign } from './types.ts';

/** What a changed definition makes of a campaign. */
export interface Difference {
  points: { added: number; dropped: number; kept: number };
  replications: { from: number; to: number };
  /** Settings that change, by their names in a definition. */
  settings: string[];
}

/** Settings that can change while a campaign runs, by their names in a definition. */
const changeable = {
  concurrency: 'concurrency',
  failures: 'failures',
  attempts: 'failures.attempts',
  timeouts: 'timeouts',
} as const;

/** What cannot change, with how it is called: what has been run would mean something else. */
const fixed: Record<string, (campaign: Campaign) => unknown> = {
  'the name': ({ name }) => name,
  'the model or its version': ({ model }) => model.versionId,
  'the service': ({ service }) => service,
  'the seed': ({ seed, fresh }) => (fresh?.by === 'seed' ? null : seed),
  'the fixed inputs': fixedInputs,
  'the inputs that the design varies': ({ varied }) => varied.map(({ name }) => name),
  'the files': ({ files }) => files.map(({ input, hash }) => [input, hash]),
  'the outputs': ({ outputs }) => outputs.map(({ name }) => name),
  '"fresh"': ({ fresh }) => fresh,
  'the priority': ({ priority }) => priority,
};

/** What a definition would change in a campaign and cannot, in words; undefined when there is no such thing. */
export function unchangeable(before: Campaign, after: Campaign): string | undefined {
  const differing = Object.entries(fixed).filter(([, of]) => !isSame(of(before), of(after)));
  return differing.length === 0 ? undefined : differing.map(([what]) => what).join(', ');
}

/** The changed campaign: what was drawn for a fresh one stays. */
export function changed(before: Campaign, after: Campaign): Campaign {
  const salt = saltOf(before);
  const base = after.base.map((input) =>
    input.name === salt ? before.base.find(({ name }) => name === salt)! : input,
  );
  return { ...after, base, seed: before.seed };
}

/** Compares two campaigns by the keys of their points. */
export function difference(before: Campaign, after: Campaign): Difference {
  const known = new Set<string>();
  for (const { key } of expand(before)) known.add(key);
  let [added, kept] = [0, 0];
  for (const { key } of expand(after)) {
    if (known.has(key)) kept += 1;
    else added += 1;
  }
  return { points: { added, dropped: known.size - kept, kept }, ...settingsDifference(before, after) };
}

/** What differs beside the points. */
export function settingsDifference(before: Campaign, after: Campaign): Omit<Difference, 'points'> {
  return {
    replications: { from: before.replications, to: after.replications },
    settings: Object.entries(changeable)
      .filter(([name]) => !isSame(before[name as keyof Campaign], after[name as keyof Campaign]))
      .map(([, setting]) => setting),
  };
}

function fixedInputs(campaign: Campaign): unknown {
  const salt = saltOf(campaign);
  // of a fresh campaign it is drawn when that is submitted, and no definition has it
  const isDerived = campaign.seed !== null || campaign.fresh?.by === 'seed';
  const isOther = (name: string): boolean =>
    name === salt ||
    (name === RANDOM_SEED && isDerived) ||
    campaign.varied.some((input) => input.name === name);
  return campaign.base.filter(({ name }) => !isOther(name)).map(({ name, value }) => [name, value]);
}

function saltOf({ fresh }: Campaign): string | undefined {
  return fresh?.by === 'salt' ? fresh.input : undefined;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
