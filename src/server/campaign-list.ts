import type { CampaignStatus } from '../client/index.ts';
import { ServerError } from './server-error.ts';

/** Whether the id, name, model or owner of a campaign has a text. Upper and lower case are the same. */
export function hasText({ id, name, model, owner }: CampaignStatus, text: string): boolean {
  const wanted = text.toLowerCase();
  return [id, name, model, owner ?? ''].some((part) => part.toLowerCase().includes(wanted));
}

/**
 * A place in the list as the parameter `after` of an address. The time of the submission keeps the place when the
 * campaign is deleted.
 */
export function afterText({ id, submitted }: CampaignStatus): string {
  return `${id}@${submitted}`;
}

/**
 * The campaigns after a place in a list. The place may also be only the id of a campaign.
 *
 * @param all - the newest one first
 * @throws ServerError BAD_REQUEST
 */
export function campaignsAfter(all: readonly CampaignStatus[], after: string): CampaignStatus[] {
  const [id, submitted] = after.split('@');
  const index = all.findIndex(
    (status) => status.id === id && (submitted === undefined || status.submitted === submitted),
  );
  if (index !== -1) return all.slice(index + 1);
  if (submitted === undefined || Number.isNaN(Date.parse(submitted)))
    throw new ServerError(
      'BAD_REQUEST',
      'The parameter "after" must come from the link to the next page, or be the id of a campaign.',
    );
  // two campaigns may have the same time; it is better to list one twice than not at all
  return all.filter((status) => status.submitted <= submitted);
}
