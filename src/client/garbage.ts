import { filesOf } from '../campaign/designs/design.ts';
import type { CampaignRecord, StoredFile } from '../store/index.ts';

/** What can be deleted and nobody misses. */
export interface Garbage {
  files: StoredFile[];
  /** Files like these that were put there lately: a submit may be about to name them. They stay. */
  young: StoredFile[];
  /** Bytes that the store takes and holds nothing in. */
  spareBytes: number;
}

/** Files that are put into the store come before the campaign that names them: so long, ms, they are left alone. */
const ABOUT_TO_BE_NAMED = 3_600_000;

/** Files that no campaign names, or keeps of its outputs: those that can go, and those that are young. */
export function unneededFiles(
  files: readonly StoredFile[],
  campaigns: readonly CampaignRecord[],
  now: number,
): Pick<Garbage, 'files' | 'young'> {
  const needed = new Set(
    campaigns.flatMap(({ campaign }) =>
      [...campaign.files, ...filesOf(campaign.design)].map(({ hash }) => hash),
    ),
  );
  const unneeded = files.filter(({ hash, isKept }) => !isKept && !needed.has(hash));
  const isYoung = ({ putAt }: StoredFile): boolean => putAt >= now - ABOUT_TO_BE_NAMED;
  return { files: unneeded.filter((file) => !isYoung(file)), young: unneeded.filter(isYoung) };
}
