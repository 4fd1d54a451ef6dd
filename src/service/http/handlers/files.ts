import type { ContentFiles } from '../../files/content.ts';
import type { Presigner } from '../../files/presign.ts';
import { storeUpload } from '../../files/upload.ts';
import type { Handlers } from '../call.ts';
import { downloadPath } from '../downloads.ts';
import type { Limits } from '../limits.ts';

/** Uploads of files, checks for files, and addresses for downloads. */
export function fileHandlers(
  files: ContentFiles,
  presigner: Presigner,
  { upload }: Pick<Limits, 'upload'>,
): Handlers<'getOutputFileUrl' | 'uploadFile' | 'checkFile'> {
  return {
    async getOutputFileUrl({ query, root }) {
      await files.require(query.hash);
      const url = new URL(root() + downloadPath(query.hash));
      url.search = new URLSearchParams({ ...presigner.sign(query) }).toString();
      return url.href;
    },

    uploadFile: ({ body }) => storeUpload(files, body, upload),

    checkFile: ({ query }) => files.isWhole(query.hash),
  };
}
