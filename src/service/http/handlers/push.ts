import type { Pushes } from '../../models/pushes.ts';
import type { VersionFiles } from '../../models/version-files.ts';
import type { Handlers } from '../call.ts';
import type { Limits } from '../limits.ts';
import type { ModelAccess } from '../model-access.ts';

/** The handlers for pushes: authors send new versions of their models to the service. */
export function pushHandlers(
  pushes: Pushes,
  files: VersionFiles,
  modelAccess: ModelAccess,
  { upload }: Pick<Limits, 'upload'>,
): Handlers<'pushModel' | 'pushFile'> {
  return {
    pushModel({ body, user }) {
      modelAccess.checkMayPush(user);
      return pushes.push(user, body, (name) => modelAccess.mayChange(user, name));
    },

    async pushFile({ body, user }) {
      modelAccess.checkMayPush(user);
      const sha256 = await files.store(body, upload);
      pushes.noteUpload(user, sha256);
      return sha256;
    },
  };
}
