import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect } from '@jest/globals';
import { type Campaign, ONE_ATTEMPT, type Point } from '../../src/campaign/types.ts';
import type { ResultRow, RunObservation, Store } from '../../src/store/index.ts';

/** A database for one test. Each call of `open` gives another handle (an open store) on it. */
export interface TestDatabase {
  open(): Promise<Store>;
  /** Closes all open handles and removes the database. */
  remove(): Promise<void>;
}

/** Gives each test of a block a new database with an open store. */
export function openForEachTest(
  createDatabase: () => Promise<TestDatabase> | TestDatabase,
  use: (database: TestDatabase, store: Store) => void,
): void {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createDatabase();
    use(database, await database.open());
  });
  afterEach(() => database.remove());
}

export function campaign(id: string): Campaign {
  return {
    id,
    name: 'flu',
    service: 'http://127.0.0.1:8090/api/open/8.5.0',
    model: { id: 'model', name: 'Epidemic “β”', versionId: 'version', version: 1 },
    base: [{ name: 'Days', type: 'INTEGER', units: 'DAY', value: '14' }],
    varied: [],
    strategy: { by: 'design' },
    design: { kind: 'grid', inputs: [], values: [] },
    files: [],
    replications: 1,
    precision: null,
    seed: null,
    commonRandomNumbers: false,
    outputs: [],
    outputFiles: 'link',
    concurrency: 'auto',
    failures: null,
    attempts: ONE_ATTEMPT,
    timeouts: { run: null, campaign: null },
    fresh: null,
    priority: 3,
  };
}

/** The fields of a run that has never failed. */
export const untried = { failures: 0, reseeded: 0, version: null };

export function* points(count: number): Generator<Point> {
  for (let ordinal = 0; ordinal < count; ordinal += 1) {
    yield { ordinal, key: `key ${ordinal}`, values: [String(ordinal), `value ${ordinal}`] };
  }
}

export async function add(
  store: Store,
  id = 'flu',
  size?: { points: number; replications: number },
): Promise<void> {
  await store.addCampaign({ campaign: campaign(id), definition: 'campaign: flu\n', digest: 'digest' }, 1_000);
  if (size) await store.addPoints(id, points(size.points), size.replications);
}

/** Points with these names, in this order. */
export function* named(names: readonly string[]): Generator<Point> {
  for (const [ordinal, name] of names.entries()) yield { ordinal, key: `key of ${name}`, values: [name] };
}

/** Adds a campaign with points of these names. */
export async function addNamed(
  store: Store,
  names: readonly string[],
  replications = 1,
  id = 'flu',
): Promise<void> {
  await add(store, id);
  await store.addPoints(id, named(names), replications);
}

/** The design after a change of a campaign. */
export interface Design {
  names: readonly string[];
  replications?: number;
  digest?: string;
  id?: string;
}

export async function change(
  store: Store,
  { names, replications = 1, digest = JSON.stringify([names, replications]), id = 'flu' }: Design,
  points: Iterable<Point> = named(names),
): Promise<void> {
  const changed = { ...campaign(id), replications };
  await store.changeCampaign(
    { campaign: changed, definition: `# ${digest}`, digest },
    points,
    undefined,
    5_000,
  );
}

/** Runs an action through a handle that closes after some steps. This leaves the store as a killed worker would. */
export async function cutShort(
  database: TestDatabase,
  { turns, steps }: { turns: number; steps: number },
  act: (store: Store) => Promise<unknown>,
): Promise<void> {
  const store = await database.open();
  const acting = act(store).catch(() => undefined);
  for (let n = 0; n < turns; n += 1) await turn();
  for (let n = 0; n < steps; n += 1) await Promise.resolve();
  await store.close();
  await acting;
}

/**
 * A number above the numbers of all runs, in tests that ask for all runs. It is small, because each number up to it is
 * a parameter of a query.
 */
const NUMBERS = 1_000;

/** The seqs of all runs of a campaign by state. */
export async function seqsOf(
  store: Store,
  id = 'flu',
): Promise<{ waiting: number[]; open: number[]; over: number[] }> {
  const waiting = await store.waitingRuns(id, -1, 1_000_000, false);
  const open = (await store.openRuns(id)).map(({ seq }) => seq);
  const { total, done: good, failed: bad } = await store.counts(id);
  expect(waiting.length + open.length + good + bad).toBe(total);
  const over = (await store.finished(id, upTo(NUMBERS))).map(({ seq }) => seq);
  expect(over).toHaveLength(good + bad);
  return { waiting, open, over: over.toSorted((a, b) => a - b) };
}

/** Requests all waiting runs, and returns `name/replication` of each run by the seq of the run. */
export async function requestAll(store: Store, id = 'flu'): Promise<Map<number, string>> {
  await store.setPhase(id, 'running', 1);
  const planned = await store.intend(id, await store.waitingRuns(id, -1, 1_000_000, false), 6_000);
  return new Map(planned.map(({ seq, point, replication }) => [seq, `${point.values[0]}/${replication}`]));
}

export function runsOf(names: readonly string[], replications = 1): string[] {
  return upTo(replications).flatMap((n) => names.map((name) => `${name}/${n + 1}`));
}

export function runName(row: { values: readonly string[]; replication: number }): string {
  return `${row.values[0]}/${row.replication}`;
}

export function done(
  seq: number,
  origin: 'new' | 'reused' = 'new',
  outputs: Record<string, string> = { 'Fit error': String(seq) },
): RunObservation {
  return { seq, state: 'done', runId: `run ${seq}`, origin, outputs };
}

export function failed(seq: number, reason = 'no reason'): RunObservation {
  return { seq, state: 'failed', runId: `run ${seq}`, reason };
}

export function open(
  seq: number,
  state: 'queued' | 'running' = 'running',
  runId = `run ${seq}`,
  owned = true,
): RunObservation {
  return { seq, state, runId, owned };
}

export async function rowsOf(store: Store, id = 'flu'): Promise<ResultRow[]> {
  return await Array.fromAsync(store.results(id));
}

export function upTo(count: number): number[] {
  return [...Array(count).keys()];
}

/** Yields some points of a design of 2,500 points. Then it throws an error, as if the worker was killed. */
export function* dying(survived: number): Generator<Point> {
  for (const point of points(2_500)) {
    if (point.ordinal === survived) throw new Error('killed');
    yield point;
  }
}
