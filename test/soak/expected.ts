import { createHash } from 'node:crypto';
import type { CampaignDefinition } from '../../src/campaign/definition.ts';
import { replicationSeed } from '../../src/campaign/keys.ts';
import { pointKey } from '../support/definition.ts';
import type { ResultRow } from '../../src/store/index.ts';

/**
 * Computes the results that a campaign must have, without the model. Only the keys of points and the seeds of
 * replications come from foray's code.
 */

/** A short description of a campaign: its family, and `count` values that begin with `first`. */
export interface Plan {
  family: number;
  first: number;
  count: number;
  replications: number;
  concurrency: number | 'auto';
}

/** The properties that all campaigns of a family have in common, so that these campaigns can share runs. */
interface Family {
  /** `Careless` computes the same as `Soak`. Its program leaves processes and files, and prints much. */
  model: 'Soak' | 'Careless';
  milliseconds: number;
  /** Runs with a multiple of this value fail; those of `Careless` at the time limit. 0 means that no run fails. */
  bad: number;
  /** Whether runs write a file, which the campaign keeps. */
  trace: boolean;
  /** The seed of the campaign, from which the seeds of replications are derived. With null, each run has the seed 1. */
  seed: number | null;
  attempts: number;
}

export const families: readonly Family[] = [
  { model: 'Soak', milliseconds: 80, bad: 0, trace: false, seed: null, attempts: 1 },
  { model: 'Soak', milliseconds: 200, bad: 7, trace: false, seed: null, attempts: 2 },
  { model: 'Soak', milliseconds: 50, bad: 0, trace: true, seed: null, attempts: 1 },
  { model: 'Soak', milliseconds: 120, bad: 11, trace: true, seed: 17, attempts: 1 },
  { model: 'Soak', milliseconds: 300, bad: 0, trace: false, seed: 23, attempts: 1 },
  { model: 'Careless', milliseconds: 20, bad: 499, trace: false, seed: 31, attempts: 1 },
  { model: 'Careless', milliseconds: 300, bad: 0, trace: true, seed: null, attempts: 1 },
];

/** The seeds that the model `Careless` takes. */
const SEEDS = { least: 0, most: 2 ** 31 - 1 };

/** What the reason of a run with a bad value contains. */
export function failureOf(family: number, value: number): string {
  return families[family]?.model === 'Careless' ? 'longer than the time limit' : `the value ${value} is bad`;
}

export function definitionOf({ family, first, count, replications, concurrency }: Plan): CampaignDefinition {
  const { model, milliseconds, bad, trace, seed, attempts } = families[family]!;
  return {
    campaign: 'soak',
    model: { name: model },
    inputs: { Milliseconds: milliseconds, Bad: bad, Trace: trace },
    design: { grid: { Value: { from: first, to: first + count - 1, step: 1 } } },
    replications,
    concurrency,
    ...(seed !== null && { seed }),
    ...(trace && { outputs: { files: 'keep' } }),
    ...(attempts > 1 && { failures: { attempts, backoff: '1 s' } }),
  };
}

/** The expected outcome of a run. `result` is null for a failed run. */
export interface ExpectedRun {
  point: string;
  value: number;
  replication: number;
  seed: number;
  result: string | null;
  /** What the reason of a failure contains. */
  failure: string;
  /** The content of the file that the run writes, or null. */
  file: string | null;
}

const keyOf = ({ point, replication }: { point: string; replication: number }): string =>
  `${point}/${replication}`;

export function runsOf({ family, first, count, replications }: Plan): Map<string, ExpectedRun> {
  const { model, milliseconds, bad, trace, seed: campaignSeed } = families[family]!;
  const range = model === 'Careless' ? SEEDS : undefined;
  const runs = new Map<string, ExpectedRun>();
  for (let value = first; value < first + count; value += 1) {
    const inputs = { Value: value, Milliseconds: milliseconds, Bad: bad, Trace: trace };
    const point = pointKey(Object.entries(inputs).map(([name, of]) => ({ name, value: String(of) })));
    for (let replication = 1; replication <= replications; replication += 1) {
      const seed =
        campaignSeed === null ? 1 : Number(replicationSeed(campaignSeed, point, replication, 0, range));
      const fails = bad > 0 && value % bad === 0;
      const run = {
        point,
        value,
        replication,
        seed,
        failure: failureOf(family, value),
        result: fails ? null : String((31 * value * value + 17 * value + seed) % 1_000_003),
        file: trace && !fails ? traceOf(value, seed) : null,
      };
      runs.set(keyOf(run), run);
    }
  }
  return runs;
}

export function traceOf(value: number, seed: number): string {
  return `value ${value}, seed ${seed}\n`.repeat(50);
}

/** The acknowledged definitions of a campaign, and whether a stop or a cancellation may have ended it early. */
export interface CampaignCourse {
  id: string;
  plans: Plan[];
  isEnded: boolean;
  /** Whether the campaign was ever cancelled or stopped. Files from that time may be missing. */
  wasEnded: boolean;
}

/**
 * The differences between the results of a campaign and its expected results, as sentences. A campaign that ended early
 * may have fewer results. Points that a changed definition has dropped may have results.
 */
export function differences(course: CampaignCourse, phase: string, rows: readonly ResultRow[]): string[] {
  const found: string[] = [];
  const [last, ...earlier] = course.plans.toReversed();
  const required = runsOf(last!);
  const allowed = new Map([...earlier.flatMap((plan) => [...runsOf(plan)]), ...required]);
  const had = new Set<string>();
  for (const row of rows) {
    const key = keyOf(row);
    const run = allowed.get(key);
    if (had.has(key)) found.push(`${key} appears twice`);
    had.add(key);
    if (!run) found.push(`${key} does not belong to the campaign`);
    else found.push(...differencesOf(row, run));
  }
  const isPartial = course.isEnded && phase === 'cancelled';
  const lacking = isPartial ? [] : [...required.keys()].filter((key) => !had.has(key));
  if (lacking.length > 0)
    found.push(
      `${lacking.length} of ${required.size} results are missing, and the campaign is ${phase}: ${lacking.slice(0, 3).join(', ')}`,
    );
  return found.map((what) => `${course.id}: ${what}`);
}

function differencesOf(row: ResultRow, run: ExpectedRun): string[] {
  const is = `value ${run.value}, replication ${run.replication}`;
  if (Number(row.values[0]) !== run.value) return [`${is} has the value ${row.values[0]}`];
  if (run.result === null) {
    const isRight = row.status === 'failed' && row.reason?.includes(run.failure);
    return isRight ? [] : [`${is} is ${row.status} but should have failed (${row.reason})`];
  }
  if (row.status !== 'done') return [`${is} has failed: ${row.reason}`];
  if (row.outputs['Result'] !== run.result)
    return [`${is} has the result ${row.outputs['Result']} instead of ${run.result}`];
  const file = row.outputs['Trace file'] ?? 'null';
  const hash = (JSON.parse(file) as { hash: string } | null)?.hash ?? null;
  return hash === (run.file === null ? null : hashOf(run.file)) ? [] : [`${is} has another file: ${file}`];
}

export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url');
}
