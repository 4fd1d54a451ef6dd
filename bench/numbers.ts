import { type Campaign, ONE_ATTEMPT } from '../src/campaign/types.ts';

/** The id of the campaign in the stores of benches. */
export const NUMBERS = 'numbers';
export const REPLICATIONS = 10;

const names = Array.from({ length: 5 }, (_, at) => `Output ${at + 1}`);

/** The outputs of a run. `next` returns random numbers between 0 and 1. */
export function outputsOf(next: () => number): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, String(100 * next())]));
}

/** A campaign with `points` points, ten replications per point, and five numbers per run. */
export function campaignOf(points: number): Campaign {
  const values = Array.from({ length: points }, (_, at) => String(at));
  return {
    strategy: { by: 'design' },
    id: NUMBERS,
    name: NUMBERS,
    service: 'http://127.0.0.1:8090/api/open/8.5.0',
    model: { id: 'm', name: 'Export', versionId: 'v', version: 1 },
    base: [],
    varied: [
      { name: 'Rate', type: 'DOUBLE', units: 'PER_DAY' },
      { name: 'Size', type: 'INTEGER', units: null },
    ],
    design: { kind: 'grid', inputs: ['Size'], values: [values.slice(0, 1)] },
    files: [],
    replications: REPLICATIONS,
    precision: null,
    seed: null,
    commonRandomNumbers: false,
    outputs: names.map((name) => ({ name, type: 'DOUBLE', units: 'DAY' })),
    outputFiles: 'link',
    concurrency: 'auto',
    failures: null,
    attempts: ONE_ATTEMPT,
    timeouts: { run: null, campaign: null },
    fresh: null,
    priority: 3,
  };
}

export function* pointsOf(count: number) {
  for (let ordinal = 0; ordinal < count; ordinal++) {
    const key = (ordinal * 2_654_435_761).toString(16).padStart(16, '0');
    yield { ordinal, key, values: [String((ordinal % 1_000) / 8), String(Math.floor(ordinal / 1_000))] };
  }
}
