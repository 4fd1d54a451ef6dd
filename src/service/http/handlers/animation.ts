import { API_VERSION } from '../../../api/constants.ts';
import type { Sessions } from '../../animation/sessions.ts';
import { sessionPath } from '../animations.ts';
import type { Handlers } from '../call.ts';
import type { ModelAccess } from '../model-access.ts';

/** The handler that starts animated runs. Handlers for started runs are in animations.ts. */
export function animationHandlers(sessions: Sessions, modelAccess: ModelAccess): Handlers<'startAnimation'> {
  return {
    async startAnimation({ params, body, keyHash, root }) {
      // `root` may refuse the request. It is called first, because a run that the client cannot reach must not start
      const here = root();
      const { session, run, version, animation } = await sessions.start(params.versionId, body, () =>
        modelAccess.admits(keyHash, params.versionId),
      );
      return {
        animationHeight: animation.height,
        animationWidth: animation.width,
        animationSpeed: animation.speed,
        experimentRunId: run.id,
        modelUuid: version.modelId,
        sessionUuid: session.uuid,
        restUrl: `${session.uuid}/`,
        version: API_VERSION,
        bundleUrl: here + sessionPath(session.uuid),
      };
    },
  };
}
