import { Stream } from '../../src/campaign/sampling/stream.ts';
import { nextOfOcba } from '../../src/search/selection/ocba.ts';

const SYSTEMS = 10;
const DEVIATION = 6;

/**
 * Figures of another implementation, for some total numbers of runs: the share of repeats that chose the best system,
 * with OCBA and with equal numbers of runs.
 */
const REFERENCES = [
  { runs: 200, reference: 0.78, evenReference: 0.62 },
  { runs: 400, reference: 0.88, evenReference: 0.74 },
  { runs: 800, reference: 0.97, evenReference: 0.86 },
  { runs: 1_600, reference: 0.98, evenReference: 0.95 },
];

/**
 * The shares of repeats that choose the best of 10 normal systems with the means 1 to 10: with OCBA, and with equal
 * runs.
 */
export function ocbaRows(repeats: number) {
  return REFERENCES.map(({ runs, reference, evenReference }) => ({
    runs,
    right: shareRight(repeats, runs, 5),
    reference,
    even: shareRight(repeats, runs, runs / SYSTEMS),
    evenReference,
  }));
}

/** @param first - number of replications of each system before the first comparison */
function shareRight(repeats: number, runs: number, first: number): number {
  const right = Array.from({ length: repeats }, (_, seed) => chosenByOcba(runs, first, seed)).filter(
    (best) => best === 0,
  );
  return right.length / repeats;
}

function chosenByOcba(runs: number, first: number, seed: number): number | null {
  const streams = Array.from({ length: SYSTEMS }, (_, at) => new Stream(seed, `system ${at}`));
  const values: number[][] = streams.map(() => []);
  for (;;) {
    const next = nextOfOcba({ values, isShare: false, first, step: 20, runs });
    if (next.decided) return next.best;
    for (const [at, own] of values.entries())
      while (own.length < next.replications[at]!) own.push(at + 1 + DEVIATION * streams[at]!.normal());
  }
}
