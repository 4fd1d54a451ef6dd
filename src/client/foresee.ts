import { measureOf } from '../campaign/measures.ts';
import { expectedReplications } from '../campaign/precision.ts';
import type { Campaign } from '../campaign/types.ts';
import { type CloudClient, templateOf, valuesOf } from '../cloud/index.ts';

/** Maximum number of points whose results are read. */
const MOST_POINTS = 20;

/** The expected number of runs of a campaign that replicates its points until they are precise. */
export interface Foreseen {
  runs: number;
  /** The number of points whose results the estimate uses. The service already had these results. */
  points: number;
}

/**
 * Estimates the number of runs of a campaign that replicates its points until they are precise, from results that the
 * service already has. A point counts if the service has all of its first replications. Null if no point counts, if
 * the campaign has no wanted precision, or if `signal` stops the requests.
 *
 * @param points - the number of points in the design, or of draws if each has replications of its own
 * @param completed - the ids of the completed runs, by the ordinal of their point
 */
export async function foreseen(
  cloud: CloudClient,
  { model, precision, outputs, replications }: Omit<Campaign, 'id' | 'service'>,
  points: number,
  completed: ReadonlyMap<number, readonly string[]>,
  signal: AbortSignal | undefined,
): Promise<Foreseen | null> {
  if (!precision) return null;
  const known = [...completed]
    .filter(([, ids]) => ids.length === replications)
    .sort(([ordinal], [other]) => ordinal - other);
  // the chosen points are spread evenly over the design
  const count = Math.min(MOST_POINTS, known.length);
  const chosen = Array.from({ length: count }, (_, at) => known[Math.floor((at * known.length) / count)]!);
  const measures = precision.outputs.map((name) => measureOf(outputs, name));
  const sources = measures.flatMap((measure) => measure.sources);
  const template = templateOf(outputs.filter(({ name }) => sources.includes(name)));
  try {
    const expected = await Promise.all(
      chosen.map(async ([, ids]) => {
        const runs = await Promise.all(
          ids.map(async (id) => valuesOf(await cloud.getRunResults(model.versionId, id, template, signal))),
        );
        const values = measures.map(({ read }) => runs.map((run) => read(run) ?? null));
        return expectedReplications(precision, values, ids.length);
      }),
    );
    if (expected.length === 0) return null;
    const mean = expected.reduce((sum, replications) => sum + replications, 0) / expected.length;
    return { runs: Math.round(mean * points), points: expected.length };
  } catch (error) {
    if (signal?.aborted) return null;
    throw error;
  }
}
