/**
 * What is known of how long runs take: their hazard, the chance to finish in the next moment at each age, learned from
 * looks at runs. It takes in runs that have not finished as well, so that it is right from the first finish on, and it
 * has no shape of its own, so that a mixture of short and long runs is as good as any. (The life table of actuaries:
 * events over exposure, by age; Kaplan and Meier, 1958, with ages in classes.)
 *
 * Ages are in ms. Classes of age grow geometrically, so the same table serves runs of milliseconds and of days.
 */
export interface LifeTable {
  /** Runs that were seen to finish, by class of age. */
  events: number[];
  /** Time that runs were looked over, by class of age, ms. */
  exposure: number[];
  /** How many runs were seen to finish, those that have faded not counted. */
  finished: number;
}

const FIRST_AGE = 50;
const GROWTH = 1.25;
/** The last class begins at about 60 days. */
const CLASSES = 82;
/** A class borrows this many events from the overall rate, so that a thin one is not taken at its word. */
const PRIOR_EVENTS = 0.5;
/** Fewer finishes than this say little. */
const ENOUGH = 8;
/** What is older counts less and less: of this many finished runs the oldest have faded. */
const MEMORY = 2_000;

export function newLifeTable(): LifeTable {
  return { events: [], exposure: [], finished: 0 };
}

function classOf(age: number): number {
  if (age < FIRST_AGE) return 0;
  return Math.min(CLASSES - 1, 1 + Math.floor(Math.log(age / FIRST_AGE) / Math.log(GROWTH)));
}

function startOf(index: number): number {
  return index === 0 ? 0 : FIRST_AGE * GROWTH ** (index - 1);
}

/**
 * Takes in one look at a run: it was running at age `from` (0 for a new one) and has finished, or is still running, at
 * age `to`. When in between it finished nobody knows; the middle stands for it.
 */
export function learn(hazard: LifeTable, from: number, to: number, isFinished: boolean): void {
  const until = isFinished ? (from + to) / 2 : to;
  for (let index = classOf(from); index <= classOf(until); index += 1) {
    const start = Math.max(from, startOf(index));
    const end = Math.min(until, index === CLASSES - 1 ? Infinity : startOf(index + 1));
    if (end > start) hazard.exposure[index] = (hazard.exposure[index] ?? 0) + end - start;
  }
  if (!isFinished) return;
  const index = classOf(until);
  hazard.events[index] = (hazard.events[index] ?? 0) + 1;
  hazard.finished += 1;
  if (hazard.finished > MEMORY) fade(hazard);
}

function fade(hazard: LifeTable): void {
  hazard.events = Array.from(hazard.events, (events) => (events ?? 0) / 2);
  hazard.exposure = Array.from(hazard.exposure, (exposure) => (exposure ?? 0) / 2);
  hazard.finished /= 2;
}

/** What is known of durations, ready to be asked. */
export interface Durations {
  /** ms */
  mean: number;
  /**
   * The cumulative hazard at an age. The chance that a run which was running at age `a` has finished by age `b` is
   * 1 - exp(H(a) - H(b)).
   */
  hazardAt: (age: number) => number;
}

/** Undefined until enough runs were seen to finish to say something. */
export function durationsOf(hazard: LifeTable): Durations | undefined {
  if (hazard.finished < ENOUGH) return undefined;
  const overall = total(hazard.events) / total(hazard.exposure);
  const last = hazard.exposure.length;
  const rates: number[] = [];
  const sums: number[] = [0];
  let mean = 0;
  for (let index = 0; index < last; index += 1) {
    const events = (hazard.events[index] ?? 0) + PRIOR_EVENTS;
    const rate = events / ((hazard.exposure[index] ?? 0) + PRIOR_EVENTS / overall);
    const width = startOf(index + 1) - startOf(index);
    mean += (Math.exp(-sums[index]!) * (1 - Math.exp(-rate * width))) / rate;
    rates[index] = rate;
    sums[index + 1] = sums[index]! + rate * width;
  }
  // beyond what was ever seen, the overall rate
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
