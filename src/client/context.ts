import { closedPhases } from '../campaign/types.ts';
import type { CloudClient } from '../cloud/index.ts';
import { ForayError } from '../errors.ts';
import type { ServiceAtHand } from '../resolve/index.ts';
import { type CampaignRecord, shownAddress, type Store } from '../store/index.ts';
import { UnknownNameError } from '../unknown-name.ts';
import type { Settings } from './settings.ts';
import type { Temporal } from './temporal/index.ts';

/** The settings and connections that every function of the client needs. */
export interface ClientContext {
  settings: Settings;
  store: Store;
  cloud: CloudClient;
  temporal: Temporal;
  service: ServiceAtHand;
}

/** @throws ForayError UNKNOWN_CAMPAIGN */
export async function recordOf(client: ClientContext, id: string): Promise<CampaignRecord> {
  const record = await client.store.getCampaign(id);
  if (record) return record;
  throw await noCampaign(client.store, id, `The store is ${shownAddress(client.settings.store)}.`);
}

/** The error for an id that no campaign of a store has. */
export async function noCampaign(store: Store, id: string, local?: string): Promise<ForayError> {
  const known = await store.listCampaigns();
  return new UnknownNameError('UNKNOWN_CAMPAIGN', `There is no campaign "${id}".`, {
    name: id,
    known: known.map(({ campaign }) => campaign.id),
    local,
    hint: 'There is no campaign at all.',
  });
}

/**
 * The record of an open campaign.
 * @param hint - what to do if the campaign is closed
 * @throws ForayError UNKNOWN_CAMPAIGN, CAMPAIGN_CLOSED
 */
export async function openRecordOf(
  client: ClientContext,
  id: string,
  hint?: string,
): Promise<CampaignRecord> {
  const record = await recordOf(client, id);
  if (!closedPhases.includes(record.phase)) return record;
  throw campaignClosed(record, hint);
}

export function campaignClosed({ campaign, phase }: CampaignRecord, hint?: string): ForayError {
  return new ForayError('CAMPAIGN_CLOSED', `The campaign "${campaign.id}" is ${phase} already.`, { hint });
}
