import { descriptorsOf } from './processes.ts';
import type { KeptName } from './schedule.ts';
import type { World } from './world.ts';

const EVERY_MS = 5_000;
/**
 * The time after the start of a process that the comparison leaves out, s. Memory still grows in this time, because a
 * worker caches workflows.
 */
const WARM_UP_S = 120;
/** The shortest life of a process whose memory the monitor compares, s. */
const LEAST_S = 180;
/** The allowed growth of memory, MB, for garbage that is not collected yet. */
const MOST_MB = 40;
const MOST_SHARE = 0.25;
/** The allowed number of additional descriptors, for idle connections and for files that are open at times. */
const MOST_DESCRIPTORS = 12;

interface Sample {
  at: number;
  pid: number;
  mb: number;
}

/** Measures the memory and the descriptors of a world's processes. */
export class Monitor {
  readonly #world: World;
  readonly #timer: NodeJS.Timeout;
  readonly #samples = new Map<KeptName, Sample[]>();
  readonly #baseline = new Map<KeptName, number>();

  constructor(world: World) {
    this.#world = world;
    this.#timer = setInterval(() => void this.#look(), EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Takes the present numbers of descriptors as the usual numbers. */
  setBaseline(): void {
    for (const [name, { pid }] of this.#world.processes) this.#baseline.set(name, descriptorsOf(pid!));
  }

  /** Sentences about the processes that have too many descriptors. */
  leakedDescriptors(): string[] {
    return [...this.#baseline].flatMap(([name, usual]) => {
      const now = descriptorsOf(this.#world.processes.get(name)!.pid ?? 0);
      return now > usual + MOST_DESCRIPTORS
        ? [`${name} has ${now} descriptors, but had ${usual} at first`]
        : [];
    });
  }

  /**
   * The growth of memory of each process that lived long enough. The method compares the minimum of the last third of
   * its life after the warm-up with the minimum of the first third.
   */
  memory(): { said: string; problems: string[] } {
    const said: string[] = [];
    const problems: string[] = [];
    for (const [name, samples] of this.#samples) {
      const last = samples.at(-1)!;
      const own = samples.filter(({ pid }) => pid === last.pid);
      const warm = own.filter(({ at }) => at >= own[0]!.at + WARM_UP_S * 1_000);
      if (warm.length === 0 || last.at - warm[0]!.at < LEAST_S * 1_000) continue;
      const third = Math.floor(warm.length / 3);
      const least = (part: Sample[]): number => Math.min(...part.map(({ mb }) => mb));
      const [before, after] = [least(warm.slice(0, third)), least(warm.slice(-third))];
      const text = `${name} ${before.toFixed(0)} to ${after.toFixed(0)} MB in ${((last.at - warm[0]!.at) / 1_000).toFixed(0)} s`;
      said.push(text);
      if (after > before * (1 + MOST_SHARE) + MOST_MB) problems.push(`memory grows: ${text}`);
    }
    return { said: said.join(', ') || 'no process lived long enough to compare its memory', problems };
  }

  async #look(): Promise<void> {
    await Promise.all(
      [...this.#world.processes].map(async ([name, process]) => {
        const { pid } = process;
        const mb = await process.memoryMb();
        if (pid === undefined || mb === undefined) return;
        const known = this.#samples.get(name) ?? [];
        this.#samples.set(name, known);
        known.push({ at: Date.now(), pid, mb });
      }),
    );
  }
}
