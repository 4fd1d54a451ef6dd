import { closedPhases } from '../campaign/types.ts';
import { ForayError } from '../errors.ts';
import { type ClientContext, recordOf } from './context.ts';
import { type UnusedFiles, unusedFiles } from './unused-files.ts';

export async function deleteCampaign(client: ClientContext, id: string): Promise<void> {
  const { phase } = await recordOf(client, id);
  if (!closedPhases.includes(phase)) {
    throw new ForayError('CAMPAIGN_OPEN', `The campaign "${id}" is ${phase}.`, {
      hint: `Only closed campaigns can be deleted. "foray cancel ${id}" ends this campaign, also without a worker.`,
    });
  }
  await client.store.deleteCampaign(id);
}

export async function garbage(client: ClientContext): Promise<UnusedFiles> {
  const unneeded = unusedFiles(
    await client.store.listFiles(),
    await client.store.listCampaigns(),
    Date.now(),
  );
  return { ...unneeded, spareBytes: await client.store.spareBytes() };
}

export async function collect(client: ClientContext, { files }: Pick<UnusedFiles, 'files'>): Promise<void> {
  for (const file of files) await client.store.deleteFile(file);
  await client.store.compact();
}
