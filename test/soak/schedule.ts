import { seeded } from '../support/durations.ts';
import { type Toxic, toxics } from '../support/proxy.ts';
import { families, type Plan } from './expected.ts';

/**
 * The faults and actions of a soak, with their times. The schedule is a pure function of the seed, the duration and the
 * {@link Means}. It is made before the processes start. `at` is in seconds from the moment when all processes run.
 */

export type KeptName = 'worker-1' | 'worker-2' | 'service' | 'temporal';
export type Process = KeptName | 'postgres';

/** `seconds` is the duration of a fault. A clock keeps its offset until the next fault of the clock. */
export type Fault =
  | { kind: 'kill'; target: Process; seconds: number }
  | { kind: 'freeze'; target: KeptName; seconds: number }
  | { kind: 'disk'; target: 'service' | 'store'; seconds: number }
  | { kind: 'models'; seconds: number }
  | { kind: 'store'; seconds: number }
  | { kind: 'descriptors'; target: Exclude<KeptName, 'temporal'>; spare: number; seconds: number }
  | { kind: 'clock'; offset: number; seconds: number }
  | { kind: 'network'; toxic: Toxic; share: number; seconds: number };
export type FaultKind = Fault['kind'];
export const faultKinds: readonly FaultKind[] = [
  'kill',
  'freeze',
  'disk',
  'models',
  'store',
  'descriptors',
  'clock',
  'network',
];

export type Action = { campaign: number } & (
  | { kind: 'submit'; plan: Plan }
  | { kind: 'apply'; plan: Plan }
  | { kind: 'concurrency'; value: number | 'auto' }
  | { kind: 'pause' }
  | { kind: 'resume' }
  | { kind: 'retry' }
  | { kind: 'stop' }
  | { kind: 'cancel' }
);

export type Entry = { at: number } & ({ fault: Fault } | { action: Action });

export interface Schedule {
  seed: number;
  minutes: number;
  store: 'sqlite' | 'postgres';
  entries: Entry[];
}

/** The store of the soak, and the kinds of faults that this machine allows. */
export interface Means {
  store: Schedule['store'];
  kinds: readonly FaultKind[];
}

/** The time at the start without faults, s. In this time, the soak measures the normal state. */
const CALM_SECONDS = 15;
/** The share of the time in which processes are killed. Later, processes live long enough to compare their memory. */
const WITH_KILLS = 0.65;
const BETWEEN_FAULTS = 3.5;
const BETWEEN_CAMPAIGNS = 6;

type Random = () => number;
const between = (random: Random, least: number, most: number): number =>
  Math.round((least + (most - least) * random()) * 10) / 10;
const whole = (random: Random, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1));
const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)]!;

export function killsUntil(minutes: number): number {
  return 60 * minutes * WITH_KILLS;
}

export function generate(seed: number, minutes: number, means: Means): Schedule {
  const entries = [
    ...faultsOf(seeded(seed), minutes, means),
    ...actionsOf(seeded(seed + 1_000_000), minutes),
  ];
  return { seed, minutes, store: means.store, entries: entries.sort((a, b) => a.at - b.at) };
}

/** Makes faults one after the other. Faults may overlap, but a target has only one fault at a time. */
function faultsOf(random: Random, minutes: number, means: Means): Entry[] {
  const end = 60 * minutes;
  const entries: Entry[] = [];
  // PostgreSQL has no file that could be taken away
  const kinds = means.kinds.filter((kind) => kind !== 'store' || means.store === 'sqlite');
  if (kinds.length === 0) return entries;
  const busyUntil = new Map<string, number>();
  for (let at = CALM_SECONDS; at < end - 12; at += BETWEEN_FAULTS * (0.3 + 1.4 * random())) {
    // kills come more often than other faults, because most promises depend on them
    const kind = kinds.includes('kill') && random() < 0.2 ? 'kill' : pick(random, kinds);
    const fault = faultOf(random, kind, means.store);
    const thing = 'target' in fault ? `${kind === 'disk' ? 'disk ' : ''}${fault.target}` : kind;
    if ((busyUntil.get(thing) ?? 0) > at || (kind === 'kill' && at > killsUntil(minutes))) continue;
    busyUntil.set(thing, at + fault.seconds + 2);
    entries.push({ at: Math.round(at * 10) / 10, fault });
  }
  return entries;
}

function faultOf(random: Random, kind: FaultKind, store: Means['store']): Fault {
  const workers = ['worker-1', 'worker-2'] as const;
  switch (kind) {
    case 'kill':
      return {
        kind,
        target: pick(random, [
          ...workers,
          'service',
          'temporal',
          ...(store === 'postgres' ? ['postgres' as const] : []),
        ]),
        seconds: between(random, 0, 4),
      };
    case 'freeze':
      return {
        kind,
        target: pick(random, [...workers, 'service', 'temporal']),
        seconds: between(random, 1, 9),
      };
    case 'disk':
      return {
        kind,
        target: store === 'sqlite' && random() < 0.5 ? 'store' : 'service',
        seconds: between(random, 2, 10),
      };
    case 'models':
    case 'store':
      return { kind, seconds: between(random, 1, 10) };
    case 'descriptors':
      return {
        kind,
        target: pick(random, ['service', 'service', ...workers]),
        spare: whole(random, 0, 6),
        seconds: between(random, 2, 10),
      };
    case 'clock':
      return { kind, offset: whole(random, -600, 600), seconds: 0 };
    case 'network':
      return {
        kind,
        toxic: pick(random, toxics),
        share: between(random, 0.3, 1),
        seconds: between(random, 1, 10),
      };
  }
}

function actionsOf(random: Random, minutes: number): Entry[] {
  const entries: Entry[] = [];
  const end = 60 * minutes;
  let campaign = 0;
  for (let at = 0; at < end - 10; at += BETWEEN_CAMPAIGNS * (0.4 + 1.2 * random())) {
    campaign += 1;
    const plan = planOf(random, campaign);
    const act = (after: number, action: Action): void =>
      void entries.push({ at: Math.round(Math.min(at + after, end) * 10) / 10, action });
    act(0, { kind: 'submit', campaign, plan });
    for (const [after, action] of courseOf(random, plan)) act(after, { ...action, campaign });
  }
  return entries;
}

/** Makes the plan of a campaign. Campaigns of one family may have common points. */
function planOf(random: Random, campaign: number): Plan {
  const family = whole(random, 0, families.length - 1);
  return {
    family,
    first: 20 * campaign + whole(random, -30, 10) + 100,
    count: whole(random, 5, 60),
    replications: families[family]!.seed === null ? 1 : whole(random, 1, 3),
    concurrency: random() < 0.5 ? 'auto' : whole(random, 4, 20),
  };
}

type Step = [after: number, action: DistributiveOmit<Action, 'campaign'>];
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** Makes the actions on a campaign after its submission, with their delays in seconds. */
function courseOf(random: Random, plan: Plan): Step[] {
  const soon = (): number => between(random, 0, 20);
  const chance = random();
  if (chance < 0.3) return [];
  if (chance < 0.4) return [[soon(), { kind: 'retry' }]];
  const from = soon();
  const to = from + soon();
  if (chance < 0.5)
    return [
      [from, { kind: 'pause' }],
      [to, { kind: 'resume' }],
    ];
  if (chance < 0.6)
    return [[from, { kind: 'concurrency', value: random() < 0.3 ? 'auto' : whole(random, 4, 30) }]];
  if (chance < 0.8) {
    const changed = {
      ...plan,
      first: plan.first + whole(random, -10, 10),
      count: Math.max(1, plan.count + whole(random, -20, 20)),
      ...(families[plan.family]!.seed !== null && { replications: whole(random, 1, 3) }),
    };
    return [[from, { kind: 'apply', plan: changed }]];
  }
  const end: Step = [from, chance < 0.85 ? { kind: 'stop' } : { kind: 'cancel' }];
  return random() < 0.5 ? [end] : [end, [to, { kind: 'retry' }]];
}

/** Writes a schedule as lines of JSON: one line for the head, and one line for each entry. */
export function toLines({ entries, ...head }: Schedule): string {
  return [head, ...entries].map((line) => `${JSON.stringify(line)}\n`).join('');
}

export function fromLines(text: string): Schedule {
  const [head, ...entries] = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
  return { ...(head as Omit<Schedule, 'entries'>), entries: entries as Entry[] };
}
