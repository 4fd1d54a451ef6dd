import { setImmediate as breath, setTimeout as delay } from 'node:timers/promises';
import { type Campaign, closedPhases } from '../campaign/types.ts';
import { ForayError } from '../errors.ts';
import { batches } from '../store/rows.ts';
import type { ResultRow, Store } from '../store/index.ts';
import { Told } from './told.ts';

/** Runs that are looked up by one statement. */
const AT_ONCE = 500;
/** Runs that were requested before others that have finished, of which a look looks up so many; the next look goes on. */
const MISSING_A_LOOK = 10_000;
/** Looks without news from one question to Temporal to the next. */
const ASK_EVERY = 5;

/**
 * Runs of a campaign as they finish, until it is over: those that have finished already first. One that is requested again
 * after it has failed is told again when it has finished again. Asks the store alone, but for `isGone`.
 *
 * @param campaign as it was when somebody began to follow it
 * @param isGone whether nobody works on the campaign any more, whatever the store says; asked now and then while nothing finishes
 * @throws ForayError CAMPAIGN_CHANGED when it has other inputs or outputs
 */
export async function* finishing(
  store: Store,
  campaign: Pick<Campaign, 'id' | 'varied' | 'outputs' | 'versions'>,
  everyMs: number,
  isGone: () => Promise<boolean>,
): AsyncGenerator<ResultRow, void, void> {
  const told = new Told();
  for (let quiet = 0, isOver = false; ;) {
    // looked at before the rows: what is over when it is asked has all of them
    const { phase, campaign: now } = (await store.getCampaign(campaign.id))!;
    if (columnsOf(now) !== columnsOf(campaign)) {
      throw new ForayError('CAMPAIGN_CHANGED', `The campaign "${campaign.id}" has other columns now.`, {
        hint: 'Begin anew: what was shown comes again, with all columns.',
      });
    }
    isOver ||= closedPhases.includes(phase);
    quiet += 1;
    for await (const seqs of candidates(store, campaign.id, told, isOver)) {
      const runs = await store.finishedAmong(campaign.id, [...told.witnesses, ...seqs]);
      for (const { row } of told.take(runs)) {
        quiet = 0;
        yield row;
      }
      await breath();
    }
    if (isOver) return;
    // not at the first quiet look: the workflow of a campaign that was just submitted may be about to start
    isOver = quiet % ASK_EVERY === 2 && (await isGone());
    if (!isOver) await delay(everyMs);
  }
}

/** Seqs of runs that may have finished and were not told, some at a time. */
async function* candidates(
  store: Store,
  id: string,
  told: Told,
  isLast: boolean,
): AsyncGenerator<number[], void, void> {
  // what was told as failed may be to be told again, whatever else there is
  yield [];
  yield* batches(isLast ? told.allMissing() : told.missing(MISSING_A_LOOK), AT_ONCE);
  for await (const seqs of store.finishedSeqs(id, told.end)) yield* batches(seqs, AT_ONCE);
}

function columnsOf({ varied, outputs, versions }: Pick<Campaign, 'varied' | 'outputs' | 'versions'>): string {
  return JSON.stringify([varied, outputs, versions !== undefined]);
}
