import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Campaign } from '../../src/campaign/types.ts';
import { analysesIn } from '../../src/client/analysis.ts';
import { renderReport } from '../../src/report/html/html.ts';
import { analysesFor } from '../../src/report/of-campaign.ts';
import { Gatherer } from '../../src/server/live/gatherer.ts';
import { filterOf } from '../../src/server/live/filter.ts';
import type { Seen, View } from '../../src/server/live/look.ts';
import { Sections } from '../../src/server/live/watch.ts';
import { openStore, type PlannedRun, type RunObservation, type Store } from '../../src/store/index.ts';
import { doubles, sampleRecord, sampleRow, stream } from '../report/support.ts';
import { temporaryFolder } from '../store/folder.ts';
import { asInReport } from './support.ts';
import { draws } from '../support/fast-check.ts';
import { seeds } from '../support/seeds.ts';
import { uniforms } from '../support/uniforms.ts';
import { until } from '../support/until.ts';

const contact = doubles('Contact rate', [1.2, 1.4, 1.6, 1.8]);
const recovery = doubles('Recovery rate', [0.3, 0.4, 0.5]);
const more = doubles('Recovery rate', [0.3, 0.4, 0.5, 0.6]);
const ALL: View = { address: '', show: [], inputs: [] };
const ID = 'flu-calibration-7f3a';
/** A pace with hardly any pauses. */
const EAGER = { every: 1, leastPause: 1, pauseForDrawing: 0 };

let folder: ReturnType<typeof temporaryFolder>;
let address: string;
let store: Store;
let sections: Sections;
beforeEach(async () => {
  folder = temporaryFolder();
  address = `sqlite:${join(folder.path, 'store.db')}`;
  store = await openStore(address);
  sections = new Sections(address);
});
afterEach(async () => {
  await sections.close();
  await store.close();
  folder.remove();
});

function campaignOver(levels: typeof recovery, changes: Partial<Campaign> = {}): Campaign {
  const { campaign } = sampleRecord({ grid: [contact, levels], replications: 20, ...changes });
  const varied = [contact, levels].map(({ name, values }) => ({
    name,
    type: 'DOUBLE',
    units: null,
    value: values[0]!,
  }));
  return { ...campaign, base: [...campaign.base, ...varied] as Campaign['base'] };
}

/** The store with another method. */
function withMethod<Name extends keyof Store>(name: Name, method: Store[Name]): Store {
  return new Proxy(store, {
    get(target, asked) {
      if (asked === name) return method;
      const own = Reflect.get(target, asked) as unknown;
      return typeof own === 'function' ? (own.bind(target) as unknown) : own;
    },
  });
}

function* pointsOver({ values }: typeof recovery) {
  let ordinal = 0;
  for (const a of contact.values) {
    for (const b of values) {
      yield { ordinal, key: `key ${a} ${b}`, values: [a, b] };
      ordinal += 1;
    }
  }
}

async function submit(campaign: Campaign): Promise<void> {
  await store.addCampaign({ campaign, definition: 'campaign: flu\n', digest: 'first' }, 1_000);
  await store.addPoints(campaign.id, pointsOver(recovery), campaign.replications);
  await store.setPhase(campaign.id, 'running', 2_000);
}

/** Requests a number of waiting runs and records their results. Some of them fail. */
async function finish(count: number, failing = 7): Promise<void> {
  await observe(await store.intend(ID, await store.waitingRuns(ID, -1, count, false), 3_000), failing);
}

async function observe(planned: readonly PlannedRun[], failing: number): Promise<void> {
  const seen = planned.map(({ seq, point, replication }): RunObservation => {
    if (seq % failing === 3) return { seq, state: 'failed', runId: `run ${seq}`, reason: 'Days is 0' };
    const { outputs } = sampleRow(0, point.values, replication);
    const noisy = { ...outputs, 'Fit error': String(Number(outputs['Fit error']) + Math.sin(seq)) };
    return { seq, state: 'done', runId: `run ${seq}`, origin: 'new', outputs: noisy };
  });
  await store.observe(ID, seen, 9_000);
}

/** Waits until the sections have another version than `since`. */
function news(since: string, view = ALL, isAll = (seen: Seen) => seen.version !== ''): Promise<Seen> {
  return until('the sections have another version', async () => {
    const seen = await sections.look(ID, view, 'a key');
    return seen.version !== since && isAll(seen) && seen;
  });
}

const isFinal = ({ next }: Seen): boolean => next === 0;

/** The report of the campaign in the store. `isWanted` chooses points. */
async function report(isWanted?: (values: readonly string[]) => boolean, show?: string[]): Promise<string> {
  const record = (await store.getCampaign(ID))!;
  const all = await Array.fromAsync(store.results(ID));
  const rows = isWanted ? all.filter(({ values }) => isWanted(values)) : all;
  const isWhole = record.phase === 'completed' && !isWanted;
  const analyze = (outputs?: string[]) => analysesIn(store, record, { outputs });
  return renderReport(record, await store.counts(ID), stream(rows), {
    show,
    analyses: isWhole ? await analysesFor(record, analyze) : [],
  });
}

function figuresOf(page: string): number {
  return page.match(/<figure /g)?.length ?? 0;
}

/** The sections without those that have counts of runs, which a filter changes. */
const withoutCounts = ({ sections }: Seen) =>
  sections.filter(({ id }) => id !== 'facts' && id !== 'campaign');

/** Rounds the numbers in a part of a report, because their last digits depend on the order of the runs. */
function rounded(part: string): string {
  return part.replaceAll(/-?\d+\.\d{6,}(e-?\d+)?/g, (number) => Number(number).toPrecision(9));
}

/**
 * Makes random changes to a campaign. Runs end in any order, failed runs are requested again, and the definition
 * changes.
 */
class Changes {
  readonly #next: () => number;
  #requested: PlannedRun[] = [];
  #levels = recovery;
  #replications = 3;

  constructor(seed: number) {
    this.#next = uniforms(seed);
  }

  begin(): Promise<void> {
    return submit(campaignOver(recovery, { replications: this.#replications }));
  }

  async once(): Promise<string> {
    const kind = this.#next();
    if (kind < 0.15) {
      await store.resetFailed(ID, false, 10_000);
      return 'retry';
    }
    if (kind < 0.35) {
      if (kind < 0.25) this.#levels = this.#levels === more ? recovery : more;
      else this.#replications += 1;
      const campaign = campaignOver(this.#levels, { replications: this.#replications });
      const record = { campaign, definition: '', digest: `digest ${this.#next()}` };
      await store.changeCampaign(record, pointsOver(this.#levels), undefined, 11_000);
      return kind < 0.25 ? 'apply' : 'more replications';
    }
    const waiting = await store.waitingRuns(ID, -1, 1 + Math.floor(12 * this.#next()), false);
    this.#requested.push(...(await store.intend(ID, waiting, 3_000)));
    const ended = this.#requested.filter(() => this.#next() < 0.6);
    this.#requested = this.#requested.filter((run) => !ended.includes(run));
    await observe(ended, 5);
    return `${ended.length} ended`;
  }
}

describe('a filter', () => {
  const varied = [
    { name: 'x', type: 'DOUBLE', units: null },
    { name: 'Big', type: 'LONG', units: null },
    { name: 'Kind', type: 'STRING', units: null },
    { name: 'When', type: 'DATE_TIME', units: null },
  ] as const;
  const point = ['1.5', '9007199254740993', 'B, C', '2026-03-01T00:00:00'];
  const passes = (name: string, text: string, values = point): boolean =>
    filterOf({ varied: [...varied] }, [{ name, text }])(values);

  test.each([
    ['x', '1.50', true],
    ['x', '1, 1.5', true],
    ['x', '1..2', true],
    ['x', ' 1.5 .. ', true],
    ['x', '2..3, 1.5', true],
    ['x', '..1.4', false],
    ['x', '"1.5","2"', true],
    ['Big', '9007199254740993', true],
    ['Big', '9007199254740992', false],
    ['Kind', 'B, C', true],
    ['Kind', '"B, C"', true],
    ['Kind', 'A,"B, C"', true],
    ['Kind', 'B,A', false],
    ['When', '2026-03-01T00:00', true],
  ])('of the input %s with the text %j selects the point: %j', (name, text, expected) => {
    expect(passes(name, text)).toBe(expected);
  });

  test.each(['A', 'B, C', '1..2', ' lead', 'say "x", or', '"'])(
    'selects the text %j in a list with quotes, and alone',
    (kind) => {
      const values = point.with(2, kind);
      expect(passes('Kind', kind, values)).toBe(true);
      expect(passes('Kind', `Z,"${kind.replaceAll('"', '""')}"`, values)).toBe(true);
    },
  );

  test.each([
    ['x', 'abc', 'is "abc", which is not a number'],
    ['x', 'nan', 'is "nan", which is not a number'],
    ['x', '1,', 'is "", which is not a number'],
    ['x', '2..1', 'is 2..1, which is not a range from a lower to a higher number'],
    ['x', '1..2..3', 'is 1..2..3, which is not a range'],
    ['x', '1..z', 'is "z", which is not a number'],
    ['When', 'today', 'is "today", which is not a date'],
  ])('of the input %s with the text %j is refused', (name, text, message) => {
    expect(() => passes(name, text)).toThrow(
      expect.objectContaining({ code: 'INVALID_VALUE', message: expect.stringContaining(message) }),
    );
  });
});

describe('the pictures of a campaign', () => {
  test('change with failures, a retry and another definition, and equal the pictures of the report at the end', async () => {
    await submit(campaignOver(recovery));
    await finish(5);
    let seen = await news('');
    expect(seen.asOf).toMatch(/^\d{4}-/);
    await finish(100);
    await store.resetFailed(ID, false, 10_000);
    seen = await news(seen.version);
    await store.changeCampaign(
      { campaign: campaignOver(more), definition: '', digest: 'second' },
      pointsOver(more),
      undefined,
      11_000,
    );
    await finish(150);
    seen = await news(seen.version);
    await finish(1_000, 1_000_000);
    await store.setPhase(ID, 'completed', 12_000);
    seen = await news(seen.version, ALL, isFinal);
    const page = await report();
    for (const { html } of seen.sections) expect(page).toContain(asInReport(html));
    expect(seen.sections.filter(({ html }) => html.includes('<figure '))).toHaveLength(figuresOf(page));
    // each of the 4 x 4 cells of the picture and each row of the table has the key of its point
    const { html } = seen.sections.find(({ id }) => id === 'grid')!;
    const { points } = JSON.parse(/<script type="application\/json">([^<]*)/.exec(html)![1]!) as {
      points: string[];
    };
    expect(new Set(points).size).toBe(16);
    expect(html.match(/<td><a /g)).toHaveLength(16);
    // a second look gives the same sections
    expect(await sections.look(ID, ALL, 'a key')).toEqual(seen);
  });

  test('of a closed campaign are drawn once, also for a server that starts later, until the campaign changes', async () => {
    await submit(campaignOver(recovery));
    await finish(1_000, 1_000_000);
    await store.setPhase(ID, 'completed', 12_000);
    let seen = await news('', ALL, isFinal);
    const restart = async (): Promise<Seen> => {
      await sections.close();
      sections = new Sections(address);
      return news('', ALL, isFinal);
    };
    // a server may end before it has kept its drawing; `asOf` is the time of the drawing
    await until('a server that starts later shows the kept drawing', async () => {
      const before = seen;
      seen = await restart();
      return seen.asOf === before.asOf;
    });
    expect(await restart()).toEqual(seen);
    await store.setPhase(ID, 'cancelled', 13_000);
    const later = await restart();
    expect(later.changedAt).not.toBe(seen.changedAt);
    expect(later.asOf! > seen.asOf!).toBe(true);
  });

  test('are drawn anew if the drawing in the store is broken, and then kept', async () => {
    await submit(campaignOver(recovery));
    await finish(1_000, 1_000_000);
    await store.setPhase(ID, 'completed', 12_000);
    const drawnBy = async (source: Store): Promise<Seen> => {
      let seen: Seen | undefined;
      const gatherer = new Gatherer(source, ID, ALL, (news) => (seen = news), EAGER);
      const running = gatherer.run();
      await until('the pictures are drawn', () => seen);
      gatherer.end();
      await running;
      return seen!;
    };
    const first = await drawnBy(store);
    const broken = [
      () => Promise.resolve('{"version":'),
      () => Promise.reject(new Error('incorrect header check')),
    ];
    for (const keptPictures of broken) {
      const seen = await drawnBy(withMethod('keptPictures', keptPictures));
      expect(seen.version).toBe(first.version);
      expect(await drawnBy(store)).toEqual(seen);
    }
  });

  test.each(seeds(1, 50))(
    'equal the pictures of a report at random moments, with retries, changes and more replications: seed %d',
    async (seed) => {
      const changes = new Changes(seed);
      await changes.begin();
      let seen: Seen | undefined;
      const pace = { every: 5, leastPause: 0, pauseForDrawing: 0 };
      const gatherer = new Gatherer(store, ID, ALL, (news) => (seen = news), pace);
      const running = gatherer.run();
      const story: string[] = [];
      for (let moment = 0; moment < draws(6); moment += 1) {
        for (let change = 0; change < 3; change += 1) story.push(await changes.once());
        const expected = rounded(await report());
        await until(`the pictures equal those of the report, seed ${seed}, after ${story.join(', ')}`, () =>
          seen?.sections.every(({ html }) => expected.includes(rounded(asInReport(html)))),
        );
        expect(seen!.sections.length).toBeGreaterThan(2);
      }
      gatherer.end();
      await running;
    },
  );

  test('have one number of runs, also if runs finish while they are drawn', async () => {
    await submit(campaignOver(recovery));
    await finish(30);
    // each count of the runs is followed by a further run
    const busy = withMethod('counts', async (...args) => {
      const counts = await store.counts(...args);
      await finish(1);
      return counts;
    });
    const drawn: Seen[] = [];
    const pace = { every: 1, leastPause: 1, pauseForDrawing: 0 };
    const gatherer = new Gatherer(busy, ID, ALL, (seen) => drawn.push(seen), pace);
    const running = gatherer.run();
    await until('several pictures are drawn', () => drawn.length >= 4);
    gatherer.end();
    await running;
    for (const { sections: parts, finished } of drawn) {
      const page = parts.map(({ html }) => html).join('\n');
      const [, done] = /<dt>Runs done<\/dt>\s*<dd>(\d+)/.exec(page)!;
      const [, failed] = /<dt>Failed<\/dt>\s*<dd>\s*<span class="(?:bad)?">(\d+)/.exec(page)!;
      expect(Number(done) + Number(failed)).toBe(finished);
      expect(page).toContain(`${done} runs over all points`);
    }
    expect(new Set(drawn.map(({ finished }) => finished)).size).toBeGreaterThan(1);
  });

  test('show only the points that a person chooses, and the chosen output first', async () => {
    await submit(campaignOver(recovery));
    await finish(1_000);
    await store.setPhase(ID, 'completed', 12_000);
    const some: View = {
      address: '?show=Peak+day&in%3AContact+rate=1.3..1.7',
      show: ['Peak day'],
      inputs: [{ name: 'Contact rate', text: '1.3..1.7' }],
    };
    const ranged = await news('', some, isFinal);
    const page = await report(([a]) => Number(a) >= 1.3 && Number(a) <= 1.7, ['Peak day']);
    for (const { html } of withoutCounts(ranged)) expect(page).toContain(asInReport(html));
    // points that a picture or a table leads to have the same filter
    const grid = ranged.sections.find(({ html }) => html.includes('data-points'))!.html;
    expect(grid).toContain('data-view="?show=Peak+day&#38;in%3AContact+rate=1.3..1.7"');
    expect(grid).toMatch(/href="[^"]*\/points\/\w+\?show=Peak\+day&#38;in%3AContact\+rate=1\.3\.\.1\.7"/);
    // the tiles have the same points as the pictures
    const tiles = ranged.sections.find(({ id }) => id === 'facts')!.html.replaceAll(/\s+/g, ' ');
    const [runs] = ranged.sections.flatMap(({ html }) => /by value: (\d+) runs/.exec(html)?.[1] ?? []);
    expect(tiles).toContain('<dt>Points shown</dt> <dd>6 of 12</dd>');
    expect(tiles).toContain(`<dt>Runs done</dt> <dd>${runs}</dd>`);
    const few: View = { ...ALL, inputs: [{ name: 'Recovery rate', text: '0.40' }] };
    const listed = await news('', few, isFinal);
    const other = await report(([, b]) => b === '0.4');
    for (const { html } of withoutCounts(listed)) expect(other).toContain(asInReport(html));
    expect(listed.version).not.toBe(ranged.version);
    const none = await news('', { ...ALL, inputs: [{ name: 'Recovery rate', text: '7' }] }, isFinal);
    expect(none.sections.map(({ html }) => html)).toEqual([
      expect.stringContaining('No finished run matches the filter.'),
    ]);
  });

  test('equal the pictures of the report of a running campaign whose goal is a quantile', async () => {
    await submit(campaignOver(recovery, { goal: { output: 'Q(`Fit error`, 0.5)', wants: 'lowest' } }));
    await finish(60);
    const seen = await news('');
    expect(seen.next).toBeGreaterThan(0);
    const page = await report();
    for (const { html } of seen.sections) expect(page).toContain(asInReport(html));
  });

  test('of a further key take a place of the key that has most views, and keys with one view keep it', async () => {
    await submit(campaignOver(recovery));
    await finish(60);
    // no point matches these filters, so the drawings are quick
    const seen = async (at: number, key: string) =>
      (await sections.look(ID, { ...ALL, inputs: [{ name: 'Contact rate', text: `8..${at + 9}` }] }, key))
        .version;
    const drawn = (at: number, key: string) =>
      until('the view is drawn', async () => (await seen(at, key)) !== '');
    for (let at = 0; at < 8; at += 1) await seen(at, 'greedy');
    await Promise.all([drawn(0, 'greedy'), drawn(1, 'greedy')]);
    for (let at = 0; at < 8; at += 1) await seen(at, 'greedy');
    await drawn(10, 'modest');
    // the view that was looked at longest ago went
    expect(await seen(1, 'greedy')).not.toBe('');
    expect(await seen(0, 'greedy')).toBe('');
    const others = [11, 12, 13, 14, 15, 16];
    await Promise.all(others.map((at) => drawn(at, `key ${at}`)));
    // one view each: nobody takes a place from another one
    expect(await seen(17, 'late')).toBe('');
    expect(await Promise.all(others.map((at) => seen(at, `key ${at}`)))).not.toContain('');
  });

  test('are refused for an unknown campaign, output or input', async () => {
    const refusal = (view: View) =>
      until('the view is refused', async () => {
        try {
          await sections.look(ID, view, 'a key');
          return false;
        } catch (error) {
          return (error as { code: string }).code;
        }
      });
    expect(await refusal(ALL)).toBe('UNKNOWN_CAMPAIGN');
    await submit(campaignOver(recovery));
    expect(await refusal({ ...ALL, show: ['Nothing'] })).toBe('UNKNOWN_OUTPUT');
    for (const [name, text] of [
      ['Days', '1'],
      ['Contact rate', 'high'],
    ] as const)
      expect(await refusal({ ...ALL, inputs: [{ name, text }] })).toBe('INVALID_VALUE');
  });
});
