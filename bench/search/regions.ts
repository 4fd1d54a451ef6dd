import type { Part } from '../report.ts';
import type { MethodName, SearchedInput } from '../../src/campaign/search/search.ts';
import { spaceOf } from '../../src/campaign/search/space.ts';
import { SearchInMemory, searchCampaign, stopAfter } from '../../test/search/in-memory.ts';

/** A narrow region: the inputs of a search, and the condition that its points meet. */
export interface NarrowRegion {
  inputs: SearchedInput[];
  where: string;
}

function real(name: string): SearchedInput {
  return { name, type: 'DOUBLE', kind: 'range', min: 0, max: 1, scale: 'linear', step: null, digits: null };
}

function whole(name: string, max: number): SearchedInput {
  return { name, type: 'INTEGER', kind: 'range', min: 1, max, scale: 'linear', step: null, digits: null };
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `x${at + 1}`);
}

function ordered(count: number): NarrowRegion {
  const all = names(count);
  const pairs = all.slice(1).map((name, at) => `${all[at]} < ${name}`);
  return { inputs: all.map(real), where: pairs.join(' and ') };
}

/** Regions whose shares of the box are 2e-4, 2.8e-7, 1e-5, 2.8e-7 and 5e-6. */
export const regions: Record<string, NarrowRegion> = {
  '7 ordered inputs': ordered(7),
  '10 ordered inputs': ordered(10),
  'a strip of 1e-5': { inputs: names(2).map(real), where: 'abs(x1 - x2) < 0.000005' },
  'a simplex of 10 inputs': { inputs: names(10).map(real), where: `${names(10).join(' + ')} <= 1` },
  'i == 2 * j': { inputs: [whole('x1', 100_000), whole('x2', 100_000)], where: 'x1 == 2 * x2' },
};

const POINTS = 40;

interface RegionRow {
  region: string;
  method: MethodName;
  seeds: number;
  /** The smallest number of points that a search asked for. */
  points: number;
  /** CPU time of a point, ms: the median of the searches. */
  cpuMs: number;
}

/** How far the best point is from the middle of the box decides the value, so the searches move through the region. */
export function search(
  region: NarrowRegion,
  method: MethodName,
  points: number,
  seed: number,
): { search: SearchInMemory; isAllowed: (values: readonly string[]) => boolean } {
  const { inputs, where } = region;
  const base = inputs.map(({ name, type }) => ({ name, type, units: null, value: '0' }));
  const campaign = searchCampaign(
    {},
    { inputs, where, method, stop: stopAfter(points) },
    {
      base,
      varied: inputs.map(({ name, type }) => ({ name, type, units: null })),
      seed,
    },
  );
  const far = (values: readonly number[]): number =>
    values.reduce((sum, value, at) => sum + (value - (at + 1) / (values.length + 1)) ** 2, 0);
  const { isAllowed } = spaceOf({ inputs, where }, base);
  return { search: new SearchInMemory(campaign, (values) => ({ f: String(far(values)) }), seed), isAllowed };
}

async function regionRows(seeds: number, points: number): Promise<RegionRow[]> {
  const rows: RegionRow[] = [];
  for (const [region, narrow] of Object.entries(regions))
    for (const method of ['gp', 'cma', 'direct'] as const) {
      const made: number[] = [];
      const times: number[] = [];
      for (let seed = 1; seed <= seeds; seed += 1) {
        const begun = process.cpuUsage();
        const { asks } = await search(narrow, method, points, seed).search.toTheEnd(0);
        times.push(process.cpuUsage(begun).user / 1_000 / points);
        made.push(new Set(asks.flatMap(({ ordinal }) => ordinal ?? [])).size);
      }
      const cpuMs = times.toSorted((a, b) => a - b)[times.length >> 1]!;
      rows.push({ region, method, seeds, points: Math.min(...made), cpuMs });
    }
  return rows;
}

/** CPU time of a point, ms. */
const MOST_CPU_MS = 50;

/** Searches in narrow regions: whether they ask for all of their points, and what a point costs. */
export async function regionsPart(seeds: number): Promise<Part<RegionRow>> {
  const rows = await regionRows(seeds, POINTS);
  return {
    name: 'regions',
    title: `Narrow regions: searches of ${POINTS} points, ${seeds} seeds`,
    rows,
    columns: [
      { title: 'region', of: ({ region }) => region },
      { title: 'method', of: ({ method }) => method },
      { title: 'fewest points', of: ({ points }) => points },
      { title: 'CPU, ms a point', of: ({ cpuMs }) => cpuMs, digits: 1 },
    ],
    goals: [
      {
        what: 'fewest points of a search',
        figure: Math.min(...rows.map(({ points }) => points)),
        least: POINTS,
      },
      {
        what: 'CPU time of a point, ms',
        figure: Math.max(...rows.map(({ cpuMs }) => cpuMs)),
        most: MOST_CPU_MS,
      },
    ],
  };
}
