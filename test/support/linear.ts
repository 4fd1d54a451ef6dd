/**
 * The lengths n of the texts. Each length is compared with 2n. Short texts come first: they show quadratic work
 * before a long text would take hours.
 */
const LENGTHS = [5_000, 20_000, 320_000, 5_000_000];
/**
 * The largest allowed ratio of times. For 2n, linear work takes twice as long, and quadratic work four times as long.
 */
const MOST_RATIO = 3.2;
/** The shortest time that counts as a measurement, ms. A shorter time is mostly noise. */
const LEAST_MS = 30;
const REPEATS = 12;

/**
 * Throws if the CPU time of some work grows faster than linearly with the length of its text. It compares the times for
 * 2n and n characters. If the ratio looks too large, the smallest of several measurements counts, because other work on
 * the machine only adds time.
 *
 * @param work - gets the text; an error that it throws counts as an answer
 * @param pattern - is repeated to make the texts
 * @param most - the characters of the longest text: 10,000, 40,000, 640,000 or 10 million
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
    let [once, both] = [first, second];
    const isSuspect = (): boolean => both >= LEAST_MS && both >= MOST_RATIO * once;
    for (let repeat = 0; repeat < REPEATS && isSuspect(); repeat += 1) {
      once = Math.min(once, await costOf(work, text!));
      both = Math.min(both, await costOf(work, twice!));
    }
    if (isSuspect()) {
      const ratio = (both / once).toFixed(1);
      throw new Error(
        `${JSON.stringify(pattern)} × ${length}: twice the length takes ${ratio} times as long`,
      );
    }
  }
}

/** The CPU time of this thread, ms. It leaves out background work of V8, which depends on the rest of the process. */
async function costOf(work: (text: string) => unknown, text: string): Promise<number> {
  const before = process.threadCpuUsage();
  try {
    await work(text);
  } catch {
    // refused texts were read too
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
