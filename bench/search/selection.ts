import { Stream } from '../../src/campaign/sampling/stream.ts';
import { type KnInput, nextOfKn } from '../../src/search/selection/kn.ts';

/*
 * Measures KN, the procedure of Kim and Nelson that chooses the best of several systems (src/search/selection/kn.ts). A system
 * stands for a point of a campaign.
 */

/** 1/√10, the standard error of a mean of ten replications with a standard deviation of 1. */
const INDIFFERENCE = 1 / Math.sqrt(10);
const FIRST = 10;
export const RULES: Omit<KnInput, 'values'> = {
  isShare: false,
  first: FIRST,
  indifference: INDIFFERENCE,
  confidence: 0.95,
  most: 100_000,
};

/** Mean numbers of runs of KN with independent systems, measured with another implementation. */
const REFERENCES = [
  { systems: 2, reference: 81 },
  { systems: 5, reference: 399 },
  { systems: 10, reference: 963 },
];

/**
 * Normal values with a standard deviation of 1, by system and replication. Less is better: the mean of the
 * first system is 0, and that of each other system is the indifference.
 *
 * @param correlation - between the values of two systems in the same replication
 */
export function slippage(systems: number, seed: number, correlation = 0) {
  const streams = Array.from({ length: systems }, (_, at) => new Stream(seed, `system ${at}`));
  const common = new Stream(seed, 'common');
  const values: number[][] = streams.map(() => []);
  const extendTo = (replications: number): void => {
    while (values[0]!.length < replications) {
      const shared = Math.sqrt(correlation) * common.normal();
      for (const [at, stream] of streams.entries()) {
        const mean = at === 0 ? 0 : INDIFFERENCE;
        values[at]!.push(mean + shared + Math.sqrt(1 - correlation) * stream.normal());
      }
    }
  };
  return { values, extendTo };
}

/**
 * Runs KN to its end, with the replications that KN requests in each round. Returns the chosen system and the number of
 * runs of all systems.
 */
export function chosenByKn(systems: number, seed: number, correlation = 0): { best: number; runs: number } {
  const { values, extendTo } = slippage(systems, seed, correlation);
  const counts = new Array<number>(systems).fill(FIRST);
  for (;;) {
    extendTo(Math.max(...counts));
    const next = nextOfKn({ ...RULES, values: values.map((own, at) => own.slice(0, counts[at])) });
    if (next.decided) return { best: next.best, runs: counts.reduce((sum, count) => sum + count, 0) };
    for (const at of next.surviving) counts[at] = next.replications;
  }
}

/** How often KN is right, and how many runs it needs: with independent systems, and with a correlation of one half. */
export function knRows(repeats: number) {
  return REFERENCES.map(({ systems, reference }) => {
    const [alone, together] = [0, 0.5].map((correlation) => {
      const all = Array.from({ length: repeats }, (_, seed) => chosenByKn(systems, seed, correlation));
      return {
        right: all.filter(({ best }) => best === 0).length / repeats,
        runs: all.reduce((sum, { runs }) => sum + runs, 0) / repeats,
      };
    });
    return { systems, right: alone!.right, runs: alone!.runs, reference, correlated: together!.runs };
  });
}
