import type { Kysely } from 'kysely';
import { deleteFile, listFiles } from './list-and-delete.ts';
import { deleteHidden } from '../campaigns/delete.ts';
import { compact, spareBytes } from '../vacuum.ts';
import { keepFile, keptFiles, recordMissingFile, missingFiles, putFile } from './kept.ts';
import type { Tables } from '../tables.ts';
import { byId } from '../by-id.ts';
import type { StoredFile } from '../types.ts';

/** Files: the files that definitions name, output files, and the space that they use. */
export function fileStore(db: Kysely<Tables>) {
  return {
    putFile: (hash: string, content: Uint8Array, now: number) => putFile(db, hash, content, now),

    async getFile(hash: string): Promise<Uint8Array | undefined> {
      const row = await db.selectFrom('files').select('content').where('hash', '=', hash).executeTakeFirst();
      return row?.content;
    },

    listFiles: () => listFiles(db),
    deleteFile: (file: Pick<StoredFile, 'hash' | 'putAt'>) => deleteFile(db, file),
    spareBytes: () => spareBytes(db),
    /** Gives unused space back to the disk. Other writers wait until it has finished. */
    async compact(): Promise<void> {
      // campaigns whose deletion was interrupted are deleted first
      await deleteHidden(db);
      await compact(db);
    },

    // output files of a campaign, whose id comes first; `putFile` stores only a content
    keepFile: byId(db, keepFile),
    recordMissingFile: byId(db, recordMissingFile),
    keptFiles: byId(db, keptFiles),
    missingFiles: byId(db, missingFiles),
  };
}
