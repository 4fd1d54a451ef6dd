import type { CampaignStatus } from '../../src/client/index.ts';
import { until } from './until.ts';
import type { World } from './world.ts';

/** Whoever has a client. */
type Client = Pick<World, 'foray'>;

/** Follows a campaign until it is over. */
export async function toTheEnd({ foray }: Client, id: string): Promise<CampaignStatus> {
  let last: CampaignStatus | undefined;
  for await (const status of foray.follow(id, 200)) last = status;
  return last!;
}

/** How the workflow closed; the store knows of a campaign's end a moment before Temporal does. */
export function closedStatus({ environment }: World, id: string): Promise<string> {
  return until('the workflow is closed', async () => {
    const { status } = await environment.client.workflow.getHandle(id).describe();
    return status.name !== 'RUNNING' && status.name;
  });
}

/** Waits until some runs of the campaign are done. */
export function untilSomeAreDone({ foray }: Client, id: string): Promise<CampaignStatus> {
  return until(`${id} has runs that are done`, async () => {
    const status = await foray.status(id);
    return status.runs.done > 0 && status;
  });
}

/** Waits until the service has something of the campaign RUNNING. */
export function untilRunning({ foray }: Client, id: string): Promise<CampaignStatus> {
  return until(`${id} has runs in flight`, async () => {
    const status = await foray.status(id);
    return status.source === 'workflow' && status.runs.running > 0 && status;
  });
}
