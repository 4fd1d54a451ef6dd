import { ServiceError } from '../../errors.ts';
import type { ContentFiles } from '../../files/content.ts';
import type { Presigner } from '../../files/presign.ts';
import { storeUpload, UPLOAD_LIMIT } from '../../files/upload.ts';
import type { Handlers } from '../call.ts';
import { downloadPath } from '../downloads.ts';

/** Files up, checked for, and the addresses that they are fetched from. */
export function fileHandlers(
  files: ContentFiles,
  presigner: Presigner,
): Handlers<'getOutputFileUrl' | 'uploadFile' | 'checkFile'> {
  return {
    getOutputFileUrl({ query, origin }) {
      if (!files.has(query.hash)) {
        throw new ServiceError('UNKNOWN_FILE', `No file with the hash ${query.hash} is stored.`);
      }
      const url = new URL(downloadPath(query.hash), origin);
      url.search = new URLSearchParams({ ...presigner.sign(query) }).toString();
      return url.href;
    },

    uploadFile: ({ body }) => storeUpload(files, body, UPLOAD_LIMIT),

    checkFile: ({ query }) => files.has(query.hash),
  };
}
