import pLimit from 'p-limit';
import type { Campaign } from '../campaign/types.ts';
import { isCloudError } from '../cloud/index.ts';
import { REQUESTS_AT_ONCE, RunAsker } from './ask.ts';
import { FileKeeper } from './keep.ts';
import type { World } from './types.ts';

/**
 * Asks the service for the outputs that a changed campaign keeps and runs that are done lack. What the service no longer
 * has stays without. Carried out again it goes on where it ended.
 */
export async function completeOutputs(world: World, campaign: Campaign, signal: AbortSignal): Promise<void> {
  const names = campaign.outputs.map(({ name }) => name);
  const asker = new RunAsker(world, campaign, signal);
  const limit = pLimit(REQUESTS_AT_ONCE);
  for await (const runs of world.store.lacking(campaign.id, names)) {
    const found = await Promise.all(
      runs.map((run) =>
        limit(async () => {
          try {
            return [{ seq: run.seq, outputs: await asker.outputsOfDone(run) }];
          } catch (error) {
            if (isCloudError(error) && (error.kind === 'not-found' || error.kind === 'refused')) return [];
            throw error;
          }
        }),
      ),
    );
    await world.store.setOutputs(campaign.id, found.flat());
  }
}

/** Runs whose files are looked up together. */
const RUNS_AT_ONCE = 500;

/** Fetches the files that a changed campaign keeps, of runs that are done. Carried out again it goes on where it ended. */
export async function completeFiles(world: World, campaign: Campaign, signal: AbortSignal): Promise<void> {
  if (campaign.outputFiles === 'link') return;
  const keeper = new FileKeeper(world, campaign, signal);
  const runs: Record<string, string>[] = [];
  for await (const { outputs } of world.store.results(campaign.id)) {
    runs.push(outputs);
    if (runs.length === RUNS_AT_ONCE) await keeper.keep(runs.splice(0));
  }
  await keeper.keep(runs);
}
