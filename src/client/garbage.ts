import { filesOf } from '../campaign/designs/design.ts';
import type { CampaignRecord, StoredFile } from '../store/index.ts';

/** What can be deleted and nobody misses. */
export interface Garbage {
  files: StoredFile[];
  /** Bytes that the store takes and holds nothing in. */
  spareBytes: number;
}

/** Files that are put into the store come before the campaign that names them: so long, ms, they are left alone. */
const ABOUT_TO_BE_NAMED = 3_600_000;

/** Files that no campaign names, or keeps of its outputs. */
export function unneededFiles(
  files: readonly StoredFile[],
  campaigns: readonly CampaignRecord[],
  now: number,
): StoredFile[] {
  const needed = new Set(
    campaigns.flatMap(({ campaign }) =>
      [...campaign.files, ...filesOf(campaign.design)].map(({ hash }) => hash),
    ),
  );
  return files.filter(
    ({ hash, putAt, isKept }) => !isKept && !needed.has(hash) && putAt < now - ABOUT_TO_BE_NAMED,
  );
}
