import type { ContentStore } from '../../files/content-store.ts';
import type { Handlers } from '../call.ts';
import type { Limits } from '../limits.ts';

/** The handlers for uploads of files, for checks whether files are stored, and for addresses for downloads. */
export function fileHandlers(
  content: ContentStore,
  { upload }: Pick<Limits, 'upload'>,
): Handlers<'getOutputFileUrl' | 'uploadFile' | 'checkFile'> {
  return {
    getOutputFileUrl: ({ query, root }) => content.address(query, root()),
    uploadFile: ({ body }) => content.store(body, upload),
    checkFile: ({ query }) => content.isWhole(query.hash),
  };
}
