import { batches } from '../batched.ts';
import type { Campaign } from '../campaign/types.ts';
import { isCloudError } from '../cloud/index.ts';
import { REQUESTS_AT_ONCE, RunRequester } from './run-requests.ts';
import { OutputFileFetcher } from './output-file-fetcher.ts';
import type { World } from './types.ts';

/**
 * After a change, asks the service for outputs that the campaign now keeps and that finished runs do not have yet.
 * Outputs that the service no longer has stay missing. A repeated activity asks only for outputs that are still
 * missing.
 */
export async function completeOutputs(world: World, campaign: Campaign, signal: AbortSignal): Promise<void> {
  const names = campaign.outputs.map(({ name }) => name);
  const requester = new RunRequester(world, campaign, signal);
  for await (const page of world.store.lacking(campaign.id, names)) {
    for (const runs of batches(page, REQUESTS_AT_ONCE)) {
      const found = await Promise.all(
        runs.map(async (run) => {
          try {
            return [{ seq: run.seq, outputs: await requester.outputsOfDone(run) }];
          } catch (error) {
            if (isCloudError(error) && error.isFinal) return [];
            throw error;
          }
        }),
      );
      await world.store.setOutputs(campaign.id, found.flat());
    }
  }
}

/** The maximum number of runs whose files one query looks up. */
const RUNS_AT_ONCE = 500;

/**
 * After a change, fetches the files that the campaign now keeps from its finished runs. A repeated activity fetches
 * only the files that are still missing.
 */
export async function completeFiles(world: World, campaign: Campaign, signal: AbortSignal): Promise<void> {
  if (campaign.outputFiles === 'link') return;
  const fetcher = new OutputFileFetcher(world, campaign, signal);
  const names = campaign.outputs.flatMap(({ name, type }) => (type === 'OUTPUT_FILE' ? [name] : []));
  const runs: Record<string, string>[] = [];
  for await (const { outputs } of world.store.results(campaign.id)) {
    // only these outputs, because hundreds of runs with long outputs do not fit into memory
    runs.push(Object.fromEntries(names.map((name) => [name, outputs[name] ?? ''])));
    if (runs.length === RUNS_AT_ONCE) await fetcher.keep(runs.splice(0));
  }
  await fetcher.keep(runs);
}
