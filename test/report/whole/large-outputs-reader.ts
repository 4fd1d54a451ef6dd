import { followResults } from '../../../src/client/follow-results.ts';
import { parquet } from '../../../src/report/formats/parquet.ts';
import { formatResults } from '../../../src/report/index.ts';
import { openStore } from '../../../src/store/index.ts';

/** Reads a campaign in several ways, one after the other. Prints what each way got: a number of characters, bytes or runs. */
const [address] = process.argv.slice(2) as [string];
const store = await openStore(address);
const record = (await store.getCampaign('flu'))!;
const { campaign } = record;

async function lengthOf(pieces: AsyncIterable<string | Uint8Array>): Promise<number> {
  let length = 0;
  for await (const piece of pieces) length += piece.length;
  return length;
}

const ways: Record<string, () => Promise<number>> = {
  csv: () => lengthOf(formatResults('csv', campaign, store.results('flu'))),
  jsonl: () => lengthOf(formatResults('jsonl', campaign, store.results('flu'))),
  table: () => lengthOf(formatResults('table', campaign, store.results('flu'))),
  followed: () =>
    lengthOf(
      formatResults(
        'jsonl',
        campaign,
        followResults(store, campaign, 1, () => Promise.resolve(true)),
      ),
    ),
  async parquet() {
    const { resultTable } = await import('../../../src/report/index.ts');
    return lengthOf(parquet(resultTable(campaign, store.results('flu')), { record, version: '0' }));
  },
  async pages() {
    let runs = 0;
    for (let after; ;) {
      const { rows, next } = await store.resultPage('flu', { limit: 1_000, ...(after && { after }) });
      runs += rows.length;
      if (!next) return runs;
      after = next;
    }
  },
  async looks() {
    let runs = 0;
    for (let since; ;) {
      const { rows, look } = await store.recentResults('flu', since);
      if (rows.length === 0) return runs;
      runs += rows.length;
      since = look;
    }
  },
};
for (const [name, read] of Object.entries(ways)) console.log(name, await read());
await store.close();
