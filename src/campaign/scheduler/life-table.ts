/**
 * A life table, as actuaries use it: it gives the hazard of runs, which is the chance that a run of some age finishes
 * in the next moment. The table learns the hazard from looks at runs: the number of finishes in a class of age, divided
 * by the running time in that class (Kaplan and Meier, 1958, with ages in classes). It also counts the running time of
 * unfinished runs, so long runs have their weight before they finish. It assumes no distribution, so a mixture of short
 * and long runs is fine.
 *
 * Ages are in ms. Classes of age grow geometrically, so the same table serves runs of milliseconds and of days.
 */
export interface LifeTable {
  /** Finished runs by class of age. */
  events: number[];
  /** Observed running time by class of age, ms. */
  exposure: number[];
  /** Number of finished runs, in which older runs count less (`fade`). */
  finished: number;
}

const FIRST_AGE = 50;
const GROWTH = 1.25;
/** The last class begins at about 33 days. */
const CLASSES = 82;
/** Each class gets this many extra events at the overall rate, so that a class with few events has less influence. */
const PRIOR_EVENTS = 0.5;
/** The fewest finished runs for a prediction. */
const ENOUGH = 8;
/** With more finished runs than this, all counts are halved, so that older runs count less and less. */
const MEMORY = 2_000;

export function newLifeTable(): LifeTable {
  return { events: [], exposure: [], finished: 0 };
}

function classOf(age: number): number {
  if (age < FIRST_AGE) return 0;
  return Math.min(CLASSES - 1, 1 + Math.floor(Math.log(age / FIRST_AGE) / Math.log(GROWTH)));
}

/** The age at which a class starts. */
function startOf(index: number): number {
  return index === 0 ? 0 : FIRST_AGE * GROWTH ** (index - 1);
}

/**
 * Adds one look at a run: it was running at age `from` (0 for a new run), and has finished or is still running at age
 * `to`. The exact time of its end is unknown, so the middle of the two ages is used.
 */
export function learn(table: LifeTable, from: number, to: number, isFinished: boolean): void {
  const until = isFinished ? (from + to) / 2 : to;
  for (let index = classOf(from); index <= classOf(until); index += 1) {
    const start = Math.max(from, startOf(index));
    const end = Math.min(until, index === CLASSES - 1 ? Infinity : startOf(index + 1));
    if (end > start) table.exposure[index] = (table.exposure[index] ?? 0) + end - start;
  }
  if (!isFinished) return;
  const index = classOf(until);
  table.events[index] = (table.events[index] ?? 0) + 1;
  table.finished += 1;
  if (table.finished > MEMORY) fade(table);
}

function fade(table: LifeTable): void {
  table.events = Array.from(table.events, (events) => (events ?? 0) / 2);
  table.exposure = Array.from(table.exposure, (exposure) => (exposure ?? 0) / 2);
  table.finished /= 2;
}

/** Predictions from the life table. */
export interface Durations {
  /** The mean duration, ms. */
  mean: number;
  /**
   * The cumulative hazard at an age. The chance that a run which was running at age `a` has finished by age `b` is
   * 1 - exp(H(a) - H(b)).
   */
  hazardAt: (age: number) => number;
}

/** The predictions of a life table; undefined until enough runs have finished. */
export function durationsOf(table: LifeTable): Durations | undefined {
  if (table.finished < ENOUGH) return undefined;
  const overall = total(table.events) / total(table.exposure);
  const last = table.exposure.length;
  const rates: number[] = [];
  const sums: number[] = [0];
  let mean = 0;
  for (let index = 0; index < last; index += 1) {
    const events = (table.events[index] ?? 0) + PRIOR_EVENTS;
    const rate = events / ((table.exposure[index] ?? 0) + PRIOR_EVENTS / overall);
    const width = startOf(index + 1) - startOf(index);
    mean += (Math.exp(-sums[index]!) * (1 - Math.exp(-rate * width))) / rate;
    rates[index] = rate;
    sums[index + 1] = sums[index]! + rate * width;
  }
  // beyond the last class with a run, the overall rate is used
  mean += Math.exp(-sums[last]!) / overall;
  const hazardAt = (age: number): number => {
    const index = classOf(age);
    if (index >= last) return sums[last]! + overall * (age - startOf(last));
    return sums[index]! + rates[index]! * (age - startOf(index));
  };
  return { mean, hazardAt };
}

function total(numbers: readonly (number | undefined)[]): number {
  return numbers.reduce<number>((sum, number) => sum + (number ?? 0), 0);
}
