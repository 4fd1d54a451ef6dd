/** Pairs of lengths n and 2n: the short ones find what is quadratic before the long ones would never end. */
const LENGTHS = [5_000, 20_000, 320_000, 5_000_000];
/** Linear work takes twice as long for 2n as for n, quadratic work four times. */
const MOST_RATIO = 3.2;
/** Below this a measurement is mostly chance, ms. */
const LEAST_MS = 30;
const REPEATS = 5;

/**
 * Throws if the CPU time of some work grows faster than linearly with the length of its text. Only the ratio of 2n to n counts; where
 * one measurement looks worse, the median of several decides.
 *
 * @param work what takes the text; an error that it throws is an answer, too
 * @param pattern is repeated to make the texts
 * @param most characters of the longest text: 10,000, 40,000, 640,000 or 10 million
 */
export async function checkLinear(
  work: (text: string) => unknown,
  pattern: string,
  most: number,
): Promise<void> {
  for (const length of LENGTHS.filter((n) => 2 * n <= most)) {
    const [text, twice] = [length, 2 * length].map((n) => pattern.repeat(Math.ceil(n / pattern.length)));
    const first = await costOf(work, text!);
    const second = await costOf(work, twice!);
    if (second < LEAST_MS || second < MOST_RATIO * first) continue;
    const ratios: number[] = [];
    for (let repeat = 0; repeat < REPEATS; repeat += 1)
      ratios.push((await costOf(work, twice!)) / (await costOf(work, text!)));
    const median = ratios.toSorted((a, b) => a - b)[Math.floor(REPEATS / 2)]!;
    if (median >= MOST_RATIO)
      throw new Error(
        `${JSON.stringify(pattern)} × ${length}: twice as many take ${median.toFixed(1)} times as long`,
      );
  }
}

/** CPU time of this process, ms. */
async function costOf(work: (text: string) => unknown, text: string): Promise<number> {
  const before = process.cpuUsage();
  try {
    await work(text);
  } catch {
    // what is refused is read as well
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
