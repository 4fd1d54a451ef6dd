import { expand } from '../campaign/design.ts';
import type { CampaignRecord } from '../store/index.ts';
import type { World } from './types.ts';

export async function prepare(
  { store, cloud }: World,
  { campaign }: CampaignRecord,
  signal: AbortSignal,
): Promise<{ points: number; runs: number }> {
  for (const { input, hash } of campaign.files) {
    if (await cloud.checkFile(hash, signal)) continue;
    const content = await store.getFile(hash);
    if (!content) throw new Error(`the file for "${input}" is not in the store`);
    const stored = await cloud.uploadFile(content, signal);
    if (stored !== hash) throw new Error(`the service stored the file for "${input}" under another hash`);
  }
  const size = await store.addPoints(campaign.id, expand(campaign), campaign.replications);
  await store.setPhase(campaign.id, 'running', Date.now());
  return size;
}
