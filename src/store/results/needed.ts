import type { Kysely } from 'kysely';
import { batches } from '../../batched.ts';
import { turns } from '../../turns.ts';
import type { Tables } from '../tables.ts';
import { toOutputs, unpacked } from './packed.ts';
import { withOutputs } from './read.ts';

/** The maximum number of runs whose compressed outputs one statement looks up. */
const RUNS_AT_ONCE = 1_000;

/**
 * The outputs of runs by seq: all short values, and the long values with one of the names. A computation over many runs
 * needs few long values or none, and all of them together may not fit into memory.
 *
 * @param runs - `outputs`: the column with the short values; null for a run without outputs
 */
export async function neededOutputs(
  db: Kysely<Tables>,
  campaign: number,
  runs: readonly { seq: number; outputs: string | null }[],
  names: readonly string[],
): Promise<Map<number, Record<string, string>>> {
  const turn = turns();
  const found = new Map<number, Record<string, string>>();
  const lacking: { seq: number }[] = [];
  for (const { seq, outputs } of runs) {
    const short = toOutputs({ outputs, packed: null });
    found.set(seq, short);
    if (outputs !== null && names.some((name) => !Object.hasOwn(short, name))) lacking.push({ seq });
    await turn();
  }
  for (const some of batches(lacking, RUNS_AT_ONCE)) {
    for await (const { runs: portion, outputs } of withOutputs(db, campaign, some)) {
      for (const { seq } of portion) {
        const packed = outputs.get(seq)?.packed ?? null;
        const values = found.get(seq);
        if (packed === null || !values) continue;
        const long = Object.entries(unpacked(packed));
        Object.assign(values, Object.fromEntries(long.filter(([name]) => names.includes(name))));
        await turn();
      }
    }
  }
  return found;
}
