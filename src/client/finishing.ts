import { setTimeout as delay } from 'node:timers/promises';
import { type Campaign, closedPhases } from '../campaign/types.ts';
import { ForayError } from '../errors.ts';
import type { ResultRow, Store } from '../store/index.ts';

/**
 * Runs of a campaign as they finish, until it is over, each once: those that have finished already first. One that is
 * retried after it has failed is not told again. Asks the store alone.
 *
 * @param campaign as it was when somebody began to follow it
 * @throws ForayError CAMPAIGN_CHANGED when it has other inputs or outputs
 */
export async function* finishing(
  store: Store,
  campaign: Pick<Campaign, 'id' | 'varied' | 'outputs'>,
  everyMs: number,
): AsyncGenerator<ResultRow, void, void> {
  const told = new Told();
  for (;;) {
    // looked at before the rows: what is over when it is asked has all of them
    const { phase, campaign: now } = (await store.getCampaign(campaign.id))!;
    if (columnsOf(now) !== columnsOf(campaign)) {
      throw new ForayError('CAMPAIGN_CHANGED', `The campaign "${campaign.id}" has other columns now.`, {
        hint: 'Begin anew: what was shown comes again, with all columns.',
      });
    }
    for await (const rows of store.finishedSince(campaign.id, told.first, (seq) => told.has(seq))) {
      for (const { seq, ...row } of rows) {
        told.add(seq);
        yield row;
      }
    }
    if (closedPhases.includes(phase)) return;
    await delay(everyMs);
  }
}

function columnsOf({ varied, outputs }: Pick<Campaign, 'varied' | 'outputs'>): string {
  return JSON.stringify([varied, outputs]);
}

/** Seqs that were told, in a bit each: a million of them are 125 KB. */
class Told {
  /** The first one that was not. */
  first = 0;
  private bits = new Uint8Array(1_024);

  has(seq: number): boolean {
    return ((this.bits[seq >> 3] ?? 0) & (1 << (seq & 7))) !== 0;
  }

  add(seq: number): void {
    if (seq >> 3 >= this.bits.length) {
      const more = new Uint8Array(Math.max(2 * this.bits.length, (seq >> 3) + 1));
      more.set(this.bits);
      this.bits = more;
    }
    this.bits[seq >> 3]! |= 1 << (seq & 7);
    while (this.has(this.first)) this.first += 1;
  }
}
