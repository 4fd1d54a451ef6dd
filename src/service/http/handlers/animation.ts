import { API_VERSION } from '../../../api/constants.ts';
import type { Sessions } from '../../animation/sessions.ts';
import { sessionPath } from '../animations.ts';
import type { Handlers } from '../call.ts';

/** The handler that starts animated runs. Handlers for started runs are in animations.ts. */
export function animationHandlers(sessions: Sessions): Handlers<'startAnimation'> {
  return {
    async startAnimation({ params, body, root }) {
      // `root` may refuse the request. It is called first, because a run that the client cannot reach must not start
      const here = root();
      const { session, run, version, animation } = await sessions.start(params.versionId, body);
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
