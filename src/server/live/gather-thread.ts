import { parentPort, workerData } from 'node:worker_threads';
import { isForayError, messageOf } from '../../errors.ts';
import { progressOf } from '../../client/strategies.ts';
import { bestOfDesign } from '../../report/summary/chosen.ts';
import { valueText } from '../../report/words/search-words.ts';
import { openStore } from '../../store/index.ts';
import { Gatherer } from './gatherer.ts';
import type { BestValue, GatherOrder, News, View } from './look.ts';

/** This thread reads runs and draws pictures. In the main thread, SQLite and the drawing would block the server. */
const store = await openStore(workerData as string, 'refuse');
const gatherers = new Map<string, Gatherer>();
/** The last read of runs for a best value. Each read waits for the previous read. */
let reading = Promise.resolve();

parentPort!.on('message', (order: GatherOrder) => {
  const { kind, key } = order;
  switch (kind) {
    case 'watch':
      return watch(key, order.id, order.view);
    case 'forget':
      gatherers.get(key)?.end();
      gatherers.delete(key);
      return;
    case 'best':
      reading = reading.then(() => tellBest(key, order.id));
  }
});

function watch(key: string, id: string, view: View): void {
  const gatherer = new Gatherer(store, id, view, (seen) => {
    if (gatherers.get(key) === gatherer) tell({ key, seen });
  });
  gatherers.set(key, gatherer);
  gatherer.run().catch((error: unknown) => {
    if (gatherers.get(key) !== gatherer) return;
    gatherers.delete(key);
    tellError(key, error);
  });
}

async function tellBest(key: string, id: string): Promise<void> {
  // null after an error, for example while the campaign is being deleted
  tell({ key, best: await bestOf(id).catch(() => null) });
}

/**
 * The best value of a campaign's points. For a design, it comes from one pass over the runs. It is null if no point has a
 * value, or if the campaign has no goal.
 */
async function bestOf(id: string): Promise<BestValue | null> {
  const record = await store.getCampaign(id);
  if (!record) return null;
  const { campaign } = record;
  const progress = await progressOf(store, campaign);
  const best = 'best' in progress ? progress.best : await bestOfDesign(campaign, store.results(id));
  return best && { value: best.value, text: valueText(campaign, best) };
}

function tellError(key: string, error: unknown): void {
  const code = isForayError(error) ? error.code : 'INTERNAL';
  const hint = isForayError(error) ? error.hint : undefined;
  tell({ key, error: { code, message: messageOf(error), hint } });
}

function tell(news: News): void {
  parentPort!.postMessage(news);
}
