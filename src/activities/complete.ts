import pLimit from 'p-limit';
import type { Campaign } from '../campaign/types.ts';
import { isCloudError } from '../cloud/index.ts';
import { REQUESTS_AT_ONCE, RunAsker } from './ask.ts';
import type { World } from './types.ts';

/**
 * Asks the service for the outputs that a changed campaign keeps and runs that are done lack. What the service no longer
 * has stays without. Carried out again it goes on where it ended.
 */
export async function completeOutputs(
  { store, cloud }: World,
  campaign: Campaign,
  signal: AbortSignal,
): Promise<void> {
  const names = campaign.outputs.map(({ name }) => name);
  const asker = new RunAsker(cloud, campaign, signal);
  const limit = pLimit(REQUESTS_AT_ONCE);
  for await (const runs of store.lacking(campaign.id, names)) {
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
    await store.setOutputs(campaign.id, found.flat());
  }
}
