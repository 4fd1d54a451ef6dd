import { filesOf } from '../campaign/designs/index.ts';
import type { CampaignRecord, StoredFile } from '../store/index.ts';

/** Files that `foray gc` can delete. */
export interface UnusedFiles {
  files: StoredFile[];
  /** Unused files that are too new to delete, because a campaign that is being submitted may need them. */
  young: StoredFile[];
  /** Free space inside the database, bytes. */
  spareBytes: number;
}

/** A file is stored before the campaign that names it, so a new file is kept for this time, ms. */
const ABOUT_TO_BE_NAMED = 3_600_000;

/**
 * Finds the files that no campaign needs, neither for its definition nor as an output. Files that are too new to delete
 * are listed separately.
 */
export function unusedFiles(
  files: readonly StoredFile[],
  campaigns: readonly CampaignRecord[],
  now: number,
): Pick<UnusedFiles, 'files' | 'young'> {
  const needed = new Set(
    campaigns.flatMap(({ campaign }) =>
      [...campaign.files, ...(campaign.variedFiles ?? []), ...filesOf(campaign.design)].map(
        ({ hash }) => hash,
      ),
    ),
  );
  const unneeded = files.filter(({ hash, isKept }) => !isKept && !needed.has(hash));
  const isYoung = ({ putAt }: StoredFile): boolean => putAt >= now - ABOUT_TO_BE_NAMED;
  return { files: unneeded.filter((file) => !isYoung(file)), young: unneeded.filter(isYoung) };
}
