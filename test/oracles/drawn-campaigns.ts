import { RANDOM_SEED } from '../../src/api/index.ts';
import type { Design } from '../../src/campaign/designs/index.ts';
import { hasRunsPerDraw } from '../../src/campaign/draws.ts';
import { countDraws, expand } from '../../src/campaign/points.ts';
import { Stream } from '../../src/campaign/sampling/stream.ts';
import type { BaseInput } from '../../src/campaign/designs/input-types.ts';
import { type Campaign, ONE_ATTEMPT } from '../../src/campaign/types.ts';
import type { RunObservation, Store } from '../../src/store/index.ts';
import { finding, goOn } from './drawn-findings.ts';

/** The kinds of designs, in the order in which campaigns have them. */
const KINDS = [
  'grid',
  'random',
  'lhs',
  'factorial',
  'morris',
  'saltelli',
  'onePerInput',
  'oneAtATime',
  'repeated',
  'texts',
  'fraction',
  'select',
  'search',
  'calibrate',
] as const;
type Kind = (typeof KINDS)[number];

/** A drawn campaign, and the model that gives the outputs of its runs. */
export interface DrawnCampaign {
  kind: Kind;
  campaign: Campaign;
  model: Model;
  /** The inputs that change something. Each output depends on exactly these inputs. */
  active: string[];
}

/** Gives the outputs of a run as texts; undefined if the run fails. */
type Model = (values: readonly number[], chance: Stream) => Record<string, string> | undefined;

/**
 * Draws a campaign with a model: a function of some inputs, plus chance. It has a number, a count, a true or false, a
 * share and a quantile as outputs, and sometimes a curve.
 *
 * @param number - decides the kind of the design; together with the seed it decides everything else
 */
export function drawCampaign(seed: number, number: number): DrawnCampaign {
  const stream = new Stream(seed, `sentences ${number}`);
  const kind = KINDS[number % KINDS.length]!;
  const names = ['Alpha', 'Beta', 'Gamma', 'Delta'].slice(0, kind === 'fraction' ? 4 : 2 + stream.below(3));
  const isSeeded = kind === 'select' || stream.uniform() < 0.85;
  const isFinding = kind === 'select' || kind === 'search' || kind === 'calibrate';
  const isPrecise = isSeeded && !isFinding && stream.uniform() < 0.3;
  const replications = isPrecise ? 2 + stream.below(4) : isSeeded ? 1 + stream.below(10) : 1;
  const { model, active } = drawModel(stream, names, isSeeded);
  const hasCurve = stream.uniform() < 0.3;
  const outputs: Campaign['outputs'] = [
    { name: 'Cost', type: 'DOUBLE', units: null },
    { name: 'Arrivals', type: 'INTEGER', units: null },
    { name: 'Late', type: 'BOOLEAN', units: null },
    ...(hasCurve ? [{ name: 'Course', type: 'DATA_SET' as const, units: null }] : []),
  ];
  const derived = ['P(Cost > 12)', `Q(Cost, ${one(stream, [0.5, 0.9])})`];
  const goal = one(stream, ['Cost', 'Arrivals', 'Late', ...derived]);
  const absolute = one(stream, [0.5, 1, 2]);
  const typed = names.map((name) => ({ name, ...typeOf(kind, name) }));
  const campaign: Campaign = {
    strategy: { by: 'design' },
    id: `drawn-${number}`,
    name: `drawn-${number}`,
    service: 'http://127.0.0.1:8090/api/open/8.5.0',
    model: { id: 'm', name: 'Drawn', versionId: 'v', version: 1 },
    base: [
      ...typed.map(({ name, type, value }): BaseInput => ({ name, type, units: null, value })),
      ...(isSeeded ? [{ name: RANDOM_SEED, type: 'LONG' as const, units: null, value: '1' }] : []),
    ],
    varied: typed.map(({ name, type }) => ({ name, type, units: null })),
    design: drawDesign(stream, kind, names),
    files: [],
    replications,
    precision: isPrecise
      ? {
          min: replications,
          max: 40,
          relative: null,
          ...(stream.uniform() < 0.7
            ? { outputs: ['Cost'], absolute }
            : { outputs: ['Late'], shares: ['Late'], absolute: 0.2 }),
          confidence: one(stream, [0.9, 0.95]),
        }
      : null,
    seed: isSeeded ? seed : null,
    commonRandomNumbers: isSeeded && stream.uniform() < 0.2,
    outputs,
    derived,
    ...(stream.uniform() < 0.7 && {
      goal: { output: goal, wants: one(stream, ['lowest', 'highest'] as const) },
    }),
    outputFiles: 'link',
    concurrency: 'auto',
    failures: null,
    attempts: ONE_ATTEMPT,
    timeouts: { run: null, campaign: null },
    fresh: null,
    priority: 3,
  };
  return { kind, active, model, campaign: isFinding ? finding(stream, kind, campaign) : campaign };
}

/** The type of an input and its value in the model. In campaigns with texts, one input is a text and one is BOOLEAN. */
function typeOf(kind: Kind, name: string): Pick<BaseInput, 'type' | 'value'> {
  if (kind === 'texts' && name === 'Alpha') return { type: 'STRING', value: 'mid' };
  if (kind === 'texts' && name === 'Beta') return { type: 'BOOLEAN', value: 'false' };
  return { type: 'DOUBLE', value: '0.5' };
}

/** The number that the model computes with. */
function numberOf(value: string): number {
  return { low: 0, mid: 0.5, high: 1, false: 0, true: 1 }[value] ?? Number(value);
}

function one<T>(stream: Stream, items: readonly T[]): T {
  return items[stream.below(items.length)]!;
}

function drawDesign(stream: Stream, kind: Kind, names: readonly string[]): Design {
  const seed = 1 + stream.below(1_000);
  const inputs = names.map((name) => ({
    name,
    isWhole: false,
    distribution: { kind: 'uniform' as const, min: 0, max: 1 },
  }));
  const each = (values: readonly string[]): string[][] => names.map(() => [...values]);
  const few = one(stream, [8, 20, 40, 60]);
  const sample = { kind: 'sample' as const, points: few, seed, scramble: true, inputs };
  switch (kind) {
    case 'grid':
      return {
        kind,
        inputs: [...names],
        values: each(stream.uniform() < 0.5 ? ['0', '1'] : ['0', '0.5', '1']),
      };
    case 'random':
    case 'lhs':
      return { ...sample, method: kind };
    case 'repeated':
      return {
        ...sample,
        method: 'random',
        inputs: names.map((name) => ({
          name,
          isWhole: false,
          distribution: { kind: 'choice' as const, values: ['0', '0.5', '1'], weights: [1, 2, 3] },
        })),
      };
    case 'texts':
      return {
        kind: 'grid',
        inputs: [...names],
        values: names.map((name) =>
          name === 'Alpha' ? ['low', 'high', 'mid'] : name === 'Beta' ? ['false', 'true'] : ['0', '1'],
        ),
      };
    case 'select':
      return {
        kind: 'grid',
        inputs: [...names],
        values: each(names.length < 3 ? ['0', '0.5', '1'] : ['0', '1']),
      };
    case 'search':
    case 'calibrate':
      return { kind: 'list', inputs: [...names], rows: [] };
    case 'fraction':
      return {
        kind: 'factorial',
        inputs: [...names],
        values: each(['0', '1']),
        generators: [null, null, null, { of: [0, 1, 2], sign: 1 }],
      };
    case 'factorial':
      return { kind, inputs: [...names], values: each(['0', '1']), generators: names.map(() => null) };
    case 'morris':
      return { kind, inputs, trajectories: one(stream, [4, 10, 20]), levels: 4, seed };
    case 'saltelli':
      return {
        kind,
        inputs,
        points: one(stream, [16, 32, 64]),
        scrambles: 1,
        secondOrder: stream.uniform() < 0.5,
        seed,
      };
    case 'onePerInput':
      return { kind, inputs: [...names], values: each(['0', '1']) };
    case 'oneAtATime':
      return { kind, inputs: [...names], values: each(['0', '0.25', '1']) };
  }
}

function drawModel(
  stream: Stream,
  names: readonly string[],
  isSeeded: boolean,
): Pick<DrawnCampaign, 'model' | 'active'> {
  const slopes = names.map(() => (stream.uniform() < 0.4 ? 0 : -6 + 12 * stream.uniform()));
  const together = stream.uniform() < 0.4 ? 5 : 0;
  const [first, second] = slopes as [number, number];
  const interacts = together > 0 && first !== 0 && second !== 0;
  const noise = isSeeded ? one(stream, ['normal', 'exponential', 'rare'] as const) : undefined;
  const size = one(stream, [0.3, 1, 3]);
  const failing = one(stream, [0, 0, 0, 0.05, 0.15]);
  const isLimited = stream.uniform() < 0.1;
  const lacking = one(stream, [0, 0, 0, 0.1]);
  return {
    active: names.filter((_, at) => slopes[at] !== 0),
    model: (values, chance) => {
      const drawn = {
        failure: chance.uniform(),
        lack: chance.uniform(),
        noise: chance.uniform(),
        rare: chance.uniform(),
        normal: chance.normal(),
        end: chance.uniform(),
      };
      if (isSeeded && drawn.failure < failing) return undefined;
      if (isLimited && values[0]! > 0.9) return undefined;
      const sum = values.reduce((all, value, at) => all + slopes[at]! * value, 0);
      const exact = sum + (interacts ? together * values[0]! * values[1]! : 0);
      const error = {
        normal: drawn.normal,
        exponential: -Math.log(drawn.noise),
        rare: drawn.rare < 0.1 ? 5 : 0,
      };
      const cost = 10 + exact + (noise ? size * error[noise] : 0);
      return {
        Cost: String(cost),
        ...(isSeeded && drawn.lack < lacking
          ? {}
          : { Arrivals: String(noise ? poisson(chance, Math.exp(exact / 6)) : Math.round(exact)) }),
        Late: String(noise ? drawn.noise < 1 / (1 + Math.exp(2 - exact / 2)) : exact > 0),
        Course: courseOf(cost, exact, isSeeded && drawn.end < lacking ? 3 : 5),
      };
    },
  };
}

/** A curve from 10 to the cost; at first it does not depend on the inputs. */
function courseOf(cost: number, exact: number, length: number): string {
  const all = [10, 10 + (cost - 10 - exact) / 2, 10 + (cost - 10) / 4, 10 + (cost - 10) / 2, cost];
  return JSON.stringify({ dataX: [0, 1, 2, 3, 4].slice(0, length), dataY: all.slice(0, length) });
}

function poisson(stream: Stream, mean: number): number {
  let count = 0;
  for (let left = Math.exp(-mean), product = stream.uniform(); product > left; count += 1)
    product *= stream.uniform();
  return count;
}

/**
 * Fills a store with a campaign whose runs have all finished, in virtual time: without any service or clock. Returns the
 * campaign as the store has it.
 */
export async function fill(store: Store, { campaign: drawn, model }: DrawnCampaign): Promise<Campaign> {
  const counting = countDraws(drawn);
  let counted = counting.next();
  while (counted.done !== true) counted = counting.next();
  const repeats = [...counted.value.values()].reduce((sum, own) => sum + own - 1, 0);
  const campaign = { ...drawn, ...(repeats > 0 && { repeats }) };
  const { id, replications, seed, commonRandomNumbers } = campaign;
  await store.addCampaign({ campaign, definition: `campaign: ${id}\n`, digest: '' }, 1);
  await store.addPoints(id, expand(campaign), replications, hasRunsPerDraw(campaign));
  await store.setPhase(id, 'running', 2);
  await goOn(store, campaign);
  for (;;) {
    const waiting = await store.waitingRuns(id, -1, 100_000, false);
    if (waiting.length === 0) break;
    const planned = await store.intend(id, waiting, 3);
    const done = planned.map(({ seq, point: { key, values }, replication }): RunObservation => {
      const chance = new Stream(seed ?? 0, `${commonRandomNumbers ? '' : key} ${replication}`);
      const outputs = model(values.map(numberOf), chance);
      const run = { seq, runId: `${id}-${seq}` };
      if (!outputs) return { ...run, state: 'failed', reason: 'The model failed.' };
      const kept = Object.entries(outputs).filter(([name]) =>
        campaign.outputs.some((one) => one.name === name),
      );
      return { ...run, state: 'done', origin: 'new', outputs: Object.fromEntries(kept) };
    });
    await store.observe(id, done, 4);
    await goOn(store, campaign);
  }
  await store.setPhase(id, 'completed', 5);
  return campaign;
}
