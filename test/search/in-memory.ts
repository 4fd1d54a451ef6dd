import { type Ask, judged, type SearchLog, type SearchStep } from '../../src/campaign/search/log.ts';
import { inputsOfSearch, type Search } from '../../src/campaign/search/search.ts';
import type { Finder } from '../../src/campaign/strategy.ts';
import type { Campaign, CampaignBy } from '../../src/campaign/types.ts';
import { changeOf, judgedAgain } from '../../src/search/change.ts';
import { courseOf } from '../../src/search/course-of.ts';
import { Stream } from '../../src/campaign/sampling/stream.ts';
import type { FinishedRun } from '../../src/search/point-value.ts';
import { campaignBy } from '../support/strategy.ts';

/** The outputs of a run, from the values of the searched inputs. */
export type Run = (values: readonly number[], ordinal: number, replication: number) => Record<string, string>;

/**
 * A campaign that searches for the lowest `f` over numbers within bounds. The method is `cma` unless `search` names
 * another one.
 */
export function searchCampaign(
  inputs: Record<string, { min: number; max: number; digits: number }>,
  search: Partial<Search> & Pick<Search, 'stop'>,
  rest: Partial<Campaign> = {},
): CampaignBy<'search'> {
  const names = Object.keys(inputs);
  const real = (name: string) => ({ name, type: 'DOUBLE' as const, units: null });
  const searched = search.inputs ? inputsOfSearch({ ...search, inputs: search.inputs }) : names.map(real);
  return {
    id: 'campaign',
    base: [
      { name: '{RANDOM_SEED}', type: 'LONG', units: null, value: '1' },
      ...names.map((name) => ({ ...real(name), value: '0' })),
    ],
    varied: names.map(real),
    outputs: [real('f'), real('g')],
    goal: { output: 'f', wants: 'lowest' },
    replications: 1,
    seed: 7,
    commonRandomNumbers: false,
    failures: null,
    fresh: null,
    design: { kind: 'list', inputs: searched.map(({ name }) => name), rows: [] },
    strategy: {
      by: 'search',
      inputs: names.map((name) => ({
        ...real(name),
        kind: 'range' as const,
        scale: 'linear' as const,
        step: null,
        ...inputs[name]!,
      })),
      where: null,
      require: [],
      method: 'cma',
      parallel: 4,
      confirm: null,
      most: null,
      ...search,
    },
    ...rest,
  } as unknown as CampaignBy<'search'>;
}

export function stopAfter(points: number): Search['stop'] {
  return { points, runs: null, value: null, gain: null, stall: null };
}

interface MemoryRun {
  replication: number;
  isFinished: boolean;
  outputs?: Record<string, string>;
}

/**
 * Runs a search or a calibration without a store and a service. A few runs finish at a time, in an order that depends
 * on the seed.
 */
export class SearchInMemory {
  readonly log: SearchLog = { asks: [], events: [] };
  readonly #runs = new Map<number, MemoryRun[]>();
  readonly #values = new Map<number, string[]>();
  readonly #ordinals = new Map<string, number>();
  #campaign: CampaignBy<Finder>;
  readonly #run: Run;
  readonly #order: Stream;
  /** The number of runs that have finished since the last step. */
  #finished = 0;
  /** As long as fewer runs than this number have finished, the next step may only tell values. */
  #needs = 0;

  constructor(campaign: CampaignBy<Finder>, run: Run, seed: number) {
    this.#campaign = campaign;
    this.#run = run;
    this.#order = new Stream(seed, 'order');
  }

  /**
   * Continues the search to its end, and returns the log.
   *
   * @param rebuilds - the share of steps before which the course is rebuilt from the log
   */
  async toTheEnd(rebuilds: number): Promise<SearchLog> {
    let course = await courseOf(this.#campaign, judged(structuredClone(this.log)));
    while (course.stage !== 'over') {
      if (this.#order.uniform() < rebuilds) {
        course.close();
        course = await courseOf(this.#campaign, judged(structuredClone(this.log)));
      }
      const step = await course.step(this.finishedAt(course.awaited()));
      this.#judgeNeeds(step, course.needs);
      course.written(this.#write(step));
      this.#finishSome();
    }
    course.close();
    return judged(this.log);
  }

  /** Gives the search another definition, as `foray apply` does. */
  change(campaign: CampaignBy<'search'>): void {
    const before = campaignBy('search', this.#campaign);
    const { asks } = judged(this.log);
    const ordinals = judgedAgain(before, campaign, asks);
    this.log.events.push(changeOf(before, campaign, asks, this.finishedAt(ordinals)));
    this.#campaign = campaign;
  }

  /** The number of runs that were requested so far. */
  get runCount(): number {
    return this.#runs.values().reduce((sum, { length }) => sum + length, 0);
  }

  finishedAt(ordinals: readonly number[]): Map<number, FinishedRun[]> {
    return new Map(
      ordinals.flatMap((ordinal) => {
        const runs = this.#runs.get(ordinal)!;
        if (!runs.every(({ isFinished }) => isFinished)) return [];
        const values = this.#values.get(ordinal)!.map(Number);
        return [
          [
            ordinal,
            // the outputs of a run are computed only once
            runs.map((run) => ({
              replication: run.replication,
              outputs: (run.outputs ??= this.#run(values, ordinal, run.replication)),
            })),
          ],
        ];
      }),
    );
  }

  /** Checks the number `needs` of the last step: until as many runs have finished, a step may only tell values. */
  #judgeNeeds({ asks, events, replications }: SearchStep, needs: number): void {
    const hasMore = asks.length + events.length + replications.length > 0;
    if (hasMore && this.#finished < this.#needs)
      throw new Error(`A step came after ${this.#finished} runs, although ${this.#needs} were needed.`);
    this.#needs = hasMore ? 0 : needs;
    this.#finished = 0;
  }

  #write(step: SearchStep): (number | null)[] {
    for (const { ask, told } of step.tells) this.log.asks[ask]!.told = structuredClone(told);
    const ordinals = step.asks.map(({ point, ...ask }) => {
      const ordinal = point && (this.#ordinals.get(point.key) ?? this.#ordinals.size);
      if (point && !this.#ordinals.has(point.key)) {
        this.#ordinals.set(point.key, ordinal!);
        this.#values.set(ordinal!, point.values);
      }
      if (point) this.#add(ordinal!, point.from, point.to);
      const added: Ask = { ...ask, ordinal };
      this.log.asks.push(structuredClone(added));
      return ordinal;
    });
    this.log.events.push(...structuredClone(step.events));
    for (const { ordinal, from, to } of step.replications) this.#add(ordinal, from, to);
    return ordinals;
  }

  #add(ordinal: number, from: number, to: number): void {
    const runs = this.#runs.get(ordinal) ?? [];
    for (let replication = from; replication <= to; replication += 1)
      runs.push({ replication, isFinished: false });
    this.#runs.set(ordinal, runs);
  }

  #finishSome(): void {
    const open = [...this.#runs.values()].flat().filter(({ isFinished }) => !isFinished);
    for (const run of open) if (this.#order.uniform() < 0.4) run.isFinished = true;
    if (open.length > 0) open[this.#order.below(open.length)]!.isFinished = true;
    this.#finished = open.filter(({ isFinished }) => isFinished).length;
  }
}

/** A search over two inputs from -1 to 2. */
export function campaignOf(search: Partial<Search>, rest: Partial<Campaign> = {}): CampaignBy<'search'> {
  const box = { min: -1, max: 2, digits: 3 };
  return searchCampaign({ x: box, y: box }, { stop: stopAfter(20), ...search }, rest);
}

/** The lowest `f` is at 0.5 and -0.25. */
export const bowl: Run = ([x, y]) => ({ f: String((x! - 0.5) ** 2 + (y! + 0.25) ** 2), g: String(x) });
/** `bowl` with normal noise in `f`. */
export function noisy(sd: number): Run {
  return (values, ordinal, replication) => {
    const noise = new Stream(ordinal, `replication ${replication}`).normal();
    const { f, g } = bowl(values, ordinal, replication);
    return { f: String(Number(f) + sd * noise), g: g! };
  };
}
