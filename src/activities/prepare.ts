import { filesOf } from '../campaign/designs/index.ts';
import { hasRunsPerDraw, precisionProgress } from '../campaign/draws.ts';
import { countDraws, expandWithPauses } from '../campaign/points.ts';
import type { PrecisionProgress } from '../campaign/precise-points.ts';
import { type Step, steps } from '../campaign/strategy.ts';
import type { Campaign, Point } from '../campaign/types.ts';
import type { CampaignRecord, Store } from '../store/index.ts';
import { inTurns } from '../turns.ts';
import { checkNotices } from './notify.ts';
import type { World } from './types.ts';

/** The size of the design. `grows`: points may get more replications, or more points may be added. */
export interface Prepared {
  points: number;
  runs: number;
  grows: boolean;
  /** The progress of a campaign that replicates its points until they are precise; null for another campaign. */
  precision: PrecisionProgress | null;
  /** What the strategy of the campaign adds while it runs; null: nothing. */
  step: Step | null;
}

export async function prepare(
  world: World,
  { campaign }: CampaignRecord,
  signal: AbortSignal,
): Promise<Prepared> {
  const { store, now } = world;
  checkNotices(world, campaign);
  await uploadFiles(world, campaign, signal);
  const { points } = await expanded(store, campaign, signal);
  const { id, replications } = campaign;
  const size = await store.addPoints(id, points, replications, hasRunsPerDraw(campaign));
  await store.setPrepared(id, now());
  const precision = await precisionProgress(campaign, store);
  const step = steps[campaign.strategy.by];
  return { ...size, grows: precision !== null || step !== null, precision, step };
}

/**
 * The points of a campaign's design, and the campaign with the number of its repeated points, counted again. Undefined
 * among the points means that other work may go on.
 */
export async function expanded(
  store: Store,
  { repeats: _, ...campaign }: Campaign,
  signal: AbortSignal,
): Promise<{ campaign: Campaign; points: Iterable<Point | undefined> }> {
  const contents = await contentsOf(store, campaign);
  const draws = await inTurns(countDraws(campaign, contents), signal);
  const repeats = [...draws.values()].reduce((sum, drawsOfPoint) => sum + drawsOfPoint - 1, 0);
  return {
    campaign: { ...campaign, ...(repeats > 0 && { repeats }) },
    points: expandWithPauses(campaign, contents, draws),
  };
}

/** Uploads the files of a campaign's inputs that the service does not have. */
export async function uploadFiles(
  { store, cloud }: World,
  campaign: Campaign,
  signal: AbortSignal,
): Promise<void> {
  const files = new Map(
    [...campaign.files, ...(campaign.variedFiles ?? [])].map((file) => [file.hash, file]),
  );
  for (const { input, hash } of files.values()) {
    if (await cloud.checkFile(hash, signal)) continue;
    const content = await fileIn(store, hash);
    const stored = await cloud.uploadFile(content, signal);
    if (stored !== hash) throw new Error(`the service stored the file for "${input}" under another hash`);
  }
}

/** Reads the point files that a campaign's design names, by hash. */
export async function contentsOf(
  store: Store,
  { design }: Pick<Campaign, 'design'>,
): Promise<Map<string, Uint8Array>> {
  const contents = new Map<string, Uint8Array>();
  for (const { hash } of filesOf(design)) contents.set(hash, await fileIn(store, hash));
  return contents;
}

async function fileIn(store: Store, hash: string): Promise<Uint8Array> {
  const content = await store.getFile(hash);
  if (content) return content;
  throw new Error(`the file ${hash} is not in the store`);
}
