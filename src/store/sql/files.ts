import type { Kysely } from 'kysely';
import { deleteFile, listFiles } from '../unused-files.ts';
import { deleteHidden } from '../delete-campaign.ts';
import { compact, spareBytes } from '../vacuum.ts';
import { keepFile, keptFiles, recordMissingFile, missingFiles, putFile } from '../kept-files.ts';
import type { FileStore } from '../roles/files.ts';
import type { Tables } from '../tables.ts';
import { byId } from './campaign.ts';

export function fileStore(db: Kysely<Tables>): FileStore {
  return {
    putFile: (hash, content, now) => putFile(db, hash, content, now),

    async getFile(hash) {
      const row = await db.selectFrom('files').select('content').where('hash', '=', hash).executeTakeFirst();
      return row?.content;
    },

    listFiles: () => listFiles(db),
    deleteFile: (file) => deleteFile(db, file),
    spareBytes: () => spareBytes(db),
    async compact() {
      await deleteHidden(db);
      await compact(db);
    },

    keepFile: byId(db, keepFile),
    recordMissingFile: byId(db, recordMissingFile),
    keptFiles: byId(db, keptFiles),
    missingFiles: byId(db, missingFiles),
  };
}
