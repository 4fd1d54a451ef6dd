import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Seen } from '../../src/server/live/look.ts';
import { Sections } from '../../src/server/live/watch.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { fill, fillPostgres } from '../export/fill.ts';
import { NUMBERS, outputsOf, REPLICATIONS } from '../numbers.ts';
import { documentOf, isMet, type Part, textOf } from '../report.ts';
import { uniform } from '../uniform.ts';
import { viewers } from './viewers.ts';
import { type Visit, visit } from './visit.ts';

const SIZES = '1000,100000,1000000';
/** Number of runs that finish while a viewer is on the page. */
const OPEN = 10;
/** Number of measured looks. A look reads the state of the pictures that a viewer sees. */
const LOOKS = 10_000;
/** The shortest interval between drawings, as a multiple of the time of a drawing (src/server/live/gatherer.ts). */
const PAUSE_FOR_DRAWING = 10;
const VIEW = { address: '', show: [], inputs: [] };
const MOST_COMPLETE_S = 10;
const MOST_SEEN_S = 5;
const MOST_STALL_MS = 50;
const MOST_LOOK_MS = 0.5;
const MOST_MB = 150;
const MOST_FIRST_BYTE_MS = 100;
const MOST_DOM_MS = 500;
const MOST_KB = 80;
const MOST_TASK_MS = 50;
const MOST_POLL_MS = 0.5;
const MOST_WHOLE_POLL_MS = 3;
const MOST_DRAW_MS = 250;
const MOST_SCRIPT_KB = 5;
/** Smaller growth of the heap counts as no growth, MB. */
const MOST_GROWTH_MB = 1;

interface Row extends Partial<Visit> {
  runs: number;
  /** The time to read the counts of all runs, ms. */
  counts: number;
  /** The time until an open campaign has its first pictures, s. */
  first: number;
  /** The time until the pictures show all runs that have finished, s. */
  complete: number;
  /** CPU time of the whole process until the pictures show all runs that have finished, s. */
  cpu: number;
  /** Time from the end of ten more runs to their pictures, s. */
  shown: number;
  /** The time of the drawing that first shows the ten more runs, ms. A time below 100 is shown as 100. */
  draw: number;
  /** Time from the end of the campaign to its last pictures, s. */
  closed: number;
  /** The longest time in which the thread that answers requests was busy, ms. */
  stall: number;
  /** The time of a check that finds no new runs, ms. */
  look: number;
  pictures: number;
  /** The compressed size of all pictures, kB. */
  kilobytes: number;
  /** Largest additional memory of the process, MB. */
  megabytes: number;
}

/**
 * Measures the page's pictures of campaigns with 1,000 to 1,000,000 runs and five outputs each: while the campaign is
 * open, and when it has just ended. With `--postgres`, the store is in a separate PostgreSQL server. With `--browser`,
 * the bench also visits the pages in Chromium. `--viewers` measures only a real campaign, without viewers and with
 * twenty.
 */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      sizes: { type: 'string', default: SIZES },
      postgres: { type: 'boolean', default: false },
      browser: { type: 'boolean', default: false },
      replications: { type: 'string', default: String(REPLICATIONS) },
      viewers: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  return values.viewers ? report(await viewers(), values.json) : report(await pictures(values), values.json);
}

/** Prints a part. Returns whether its goals are met. */
function report<Row>(part: Part<Row>, isJson: boolean): boolean {
  console.log(isJson ? JSON.stringify({ parts: [documentOf(part)] }, undefined, 2) : textOf(part));
  return part.goals.every(isMet);
}

async function pictures({
  sizes,
  ...values
}: Record<'sizes' | 'replications', string> & Record<'postgres' | 'browser', boolean>): Promise<Part<Row>> {
  const rows: Row[] = [];
  const replications = Number(values.replications);
  const inStore = values.postgres ? inPostgres : inSqlite;
  for (const size of sizes.split(',').map(Number))
    rows.push(await inStore(size, replications, (address) => measure(address, size, values.browser)));
  return partOf(rows, `${replications} replications a point, ${values.postgres ? 'PostgreSQL' : 'SQLite'}`);
}

type Use<T> = (address: string) => Promise<T>;

async function inSqlite<T>(runs: number, replications: number, use: Use<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'foray-page-'));
  try {
    const file = join(folder, 'store.db');
    await fill(file, runs, { replications, open: OPEN });
    return await use(`sqlite:${file}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inPostgres<T>(runs: number, replications: number, use: Use<T>): Promise<T> {
  const server = await startPostgres();
  try {
    const address = await server.database();
    await fillPostgres(address, runs, (text) => server.query(address, text), { replications, open: OPEN });
    return await use(address);
  } finally {
    await server.remove();
  }
}

async function measure(address: string, runs: number, isVisited: boolean): Promise<Row> {
  const store = await openStore(address);
  const sections = new Sections(address);
  let row: Row;
  try {
    // opens the campaign again: it is stored as completed, although its last runs have not finished
    await store.reopen(NUMBERS, 3);
    row = await watched(store, sections, runs);
  } finally {
    await sections.close();
    await store.close();
  }
  return isVisited ? { ...row, ...(await visit(address)) } : row;
}

async function watched(store: Store, sections: Sections, runs: number): Promise<Row> {
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 50);
  const delays = monitorEventLoopDelay({ resolution: 5 });
  const counts = await seconds(() => store.counts(NUMBERS));
  delays.enable();
  const hasAll = (count: number) => (seen: Seen) =>
    seen.sections.some(({ html }) => html.includes(`${count.toLocaleString('en')} runs over all points`));
  let first = 0;
  const used = process.cpuUsage();
  let seen: Seen | undefined;
  const complete = await seconds(async () => {
    first = await seconds(() => until(sections, ({ version }) => version !== ''));
    seen = await until(sections, hasAll(runs - OPEN));
  });
  const { user, system } = process.cpuUsage(used);
  delays.disable();
  const look =
    (await seconds(async () => {
      for (let n = 0; n < LOOKS; n += 1) await sections.look(NUMBERS, VIEW, 'a key');
    })) / LOOKS;
  delays.enable();
  await finishLast(store, runs);
  const shown = await seconds(async () => (seen = await until(sections, hasAll(runs))));
  await store.setPhase(NUMBERS, 'completed', 4);
  const closed = await seconds(() => until(sections, ({ next }) => next === 0));
  delays.disable();
  clearInterval(watch);
  const pages = seen!.sections.map(({ html }) => html).join('\n');
  return {
    runs,
    counts: 1_000 * counts,
    first,
    complete,
    cpu: (user + system) / 1e6,
    shown,
    closed,
    draw: seen!.next / PAUSE_FOR_DRAWING,
    stall: delays.max / 1e6,
    look: 1_000 * look,
    pictures: seen!.sections.length,
    kilobytes: gzipSync(pages).length / 1_000,
    megabytes: (most - before) / 2 ** 20,
  };
}

/** Finishes the last runs of an open campaign. */
async function finishLast(store: Store, runs: number): Promise<void> {
  const seqs = Array.from({ length: OPEN }, (_, at) => runs - OPEN + at);
  await store.intend(NUMBERS, seqs, 4);
  const next = uniform(2);
  const done = seqs.map((seq) => ({
    seq,
    runId: `run-${seq}`,
    origin: 'new' as const,
    outputs: outputsOf(next),
  }));
  await store.observe(
    NUMBERS,
    done.map((run) => ({ ...run, state: 'done' })),
    5,
  );
}

async function until(sections: Sections, isIt: (seen: Seen) => boolean): Promise<Seen> {
  for (;;) {
    const seen = await sections.look(NUMBERS, VIEW, 'a key');
    if (isIt(seen)) return seen;
    await delay(20);
  }
}

async function seconds(act: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await act();
  return (performance.now() - from) / 1_000;
}

const visitColumns: Part<Row>['columns'] = [
  { title: 'first byte, ms', of: (row) => row.firstByte!, digits: 1 },
  { title: 'document, ms', of: (row) => row.dom!, digits: 0 },
  { title: 'longest task, ms', of: (row) => row.task!, digits: 0 },
  { title: 'page, kB gzip', of: (row) => row.page!, digits: 1 },
  { title: 'script, kB', of: (row) => row.script!, digits: 1 },
  { title: 'poll, ms', of: (row) => row.poll!, digits: 2 },
  { title: 'with pictures, ms', of: (row) => row.whole!, digits: 2 },
  { title: 'replacing, ms', of: (row) => row.replacing!, digits: 0 },
  { title: 'heap, MB more', of: (row) => row.growth!, digits: 2 },
];

function partOf(rows: Row[], what: string): Part<Row> {
  const last = rows.at(-1)!;
  return {
    name: 'page',
    title: `page: pictures of campaigns, five outputs a run, ${what}`,
    rows,
    columns: [
      { title: 'runs', of: ({ runs }) => runs.toLocaleString('en') },
      { title: 'counts, ms', of: (row) => row.counts, digits: 2 },
      { title: 'first pictures, s', of: (row) => row.first, digits: 2 },
      { title: 'pictures of all runs, s', of: (row) => row.complete, digits: 2 },
      { title: 'CPU, s', of: (row) => row.cpu, digits: 2 },
      { title: 'more runs, s', of: (row) => row.shown, digits: 2 },
      { title: 'drawing, ms', of: (row) => row.draw, digits: 0 },
      { title: 'after the end, s', of: (row) => row.closed, digits: 2 },
      { title: 'longest stall, ms', of: (row) => row.stall, digits: 1 },
      { title: 'look, ms', of: (row) => row.look, digits: 4 },
      { title: 'pictures', of: (row) => row.pictures },
      { title: 'kB gzip', of: (row) => row.kilobytes },
      { title: 'MB more', of: (row) => row.megabytes },
      ...(last.dom === undefined ? [] : visitColumns),
    ],
    goals: [
      { what: 'first pictures, s', figure: last.first, most: MOST_SEEN_S },
      { what: 'pictures of all runs, s', figure: last.complete, most: MOST_COMPLETE_S },
      { what: 'pictures of ten more runs, s', figure: last.shown, most: MOST_SEEN_S },
      { what: 'drawing, ms', figure: last.draw, most: MOST_DRAW_MS },
      { what: 'longest stall of the thread that answers, ms', figure: last.stall, most: MOST_STALL_MS },
      { what: 'look without news, ms', figure: last.look, most: MOST_LOOK_MS },
      { what: 'memory, MB', figure: last.megabytes, most: MOST_MB },
      ...(last.dom === undefined
        ? []
        : [
            { what: 'first byte, ms', figure: last.firstByte!, most: MOST_FIRST_BYTE_MS },
            { what: 'document complete, ms', figure: last.dom, most: MOST_DOM_MS },
            { what: 'first page, kB gzip', figure: last.page!, most: MOST_KB },
            { what: 'longest task of the browser, ms', figure: last.task!, most: MOST_TASK_MS },
            { what: 'script, kB gzip', figure: last.script!, most: MOST_SCRIPT_KB },
            { what: 'poll without news, ms', figure: last.poll!, most: MOST_POLL_MS },
            { what: 'poll with all pictures, ms', figure: last.whole!, most: MOST_WHOLE_POLL_MS },
            { what: 'longest task of 1,000 updates, ms', figure: last.replacing!, most: MOST_TASK_MS },
            { what: 'heap after 1,000 updates, MB more', figure: last.growth!, most: MOST_GROWTH_MB },
          ]),
    ],
  };
}
