import { closedPhases } from '../../src/campaign/types.ts';
import { type CampaignStatus, isClosed } from '../../src/client/index.ts';
import { isForayError } from '../../src/errors.ts';
import { foray, type Ran } from './cli.ts';
import { until } from './until.ts';
import { environmentOf } from './worker.ts';
import type { World } from './world.ts';

/** Anything with a client. */
type Client = Pick<World, 'foray'>;

/**
 * Waits until a campaign has ended. Until then, this function reads only the store. The status of an open campaign
 * would need a query of its workflow, which costs a hundred times as much.
 */
export async function toTheEnd({ foray }: Client, id: string): Promise<CampaignStatus> {
  await until(
    `${id} has ended`,
    async () => closedPhases.includes((await foray.results(id)).record.phase),
    240,
  );
  return foray.status(id);
}

/** Waits for the status of the closed workflow, because the store knows the end of a campaign before Temporal. */
export function closedStatus({ environment }: World, id: string): Promise<string> {
  return until('the workflow is closed', async () => {
    const { status } = await environment.client.workflow.getHandle(id).describe();
    return status.name !== 'RUNNING' && status.name;
  });
}

/** Cancels all open campaigns, so that their runs do not delay the next test. */
export async function cancelOpen({ foray }: Client): Promise<void> {
  for (const status of await foray.list()) {
    if (isClosed(status)) continue;
    await foray.cancel(status.id).catch((error: unknown) => {
      // an earlier cancellation may have closed the campaign meanwhile
      if (!(isForayError(error) && error.code === 'CAMPAIGN_CLOSED')) throw error;
    });
  }
}

/** Waits until at least one run of the campaign is done in the store. */
export function untilSomeAreDone({ foray }: Client, id: string): Promise<boolean> {
  return until(`${id} has finished runs`, async () => (await foray['store'].counts(id)).done > 0);
}

/**
 * Waits until a run of the campaign is RUNNING at the service. The runs must last longer than a check of the status.
 */
export async function untilRunning({ foray }: Client, id: string): Promise<CampaignStatus> {
  await until(`${id} has open runs`, async () => {
    const { total, waiting } = await foray['store'].counts(id);
    return waiting < total;
  });
  return until(`${id} has runs in flight`, async () => {
    const status = await foray.status(id);
    if (closedPhases.includes(status.phase)) throw new Error(`${id} ended before a run was RUNNING`);
    return status.source === 'workflow' && status.runs.running > 0 && status;
  });
}

/** The output of `foray results` for a campaign. */
export async function printedResults(
  { settings, folder }: World,
  id: string,
  flags: readonly string[],
): Promise<string> {
  const env = environmentOf(settings);
  const { code, stdout, stderr } = await foray(folder, ['results', id, ...flags], { env });
  if (code !== 0 || stderr !== '') throw new Error(`foray results ended with ${code}: ${stderr}`);
  return stdout;
}

/** Runs a command of foray in the folder of a world and with its settings. */
export function command({ settings, folder }: World, ...args: string[]): Promise<Ran> {
  return foray(folder, args, { env: environmentOf(settings) });
}
