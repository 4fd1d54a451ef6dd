import type { Foray } from '../../client/index.ts';
import { ServerError } from '../server-error.ts';
import type { ServerParts } from '../server-parts.ts';
import { CHANGE_MS } from '../in-turn.ts';
import type { Call, Handlers } from './call.ts';
import type { endpoints } from './endpoints.ts';
import { etagOf, hasTag } from './etag.ts';
import { saveAs } from './save-as.ts';

/** The endpoints that change campaigns, and the endpoint that reads a definition. */
export const steeringHandlers = {
  pause: verb((foray, id, reason) => foray.steer(id, 'pause', reason)),
  resume: verb((foray, id, reason) => foray.steer(id, 'resume', reason)),
  stop: verb((foray, id, reason) => foray.steer(id, 'stop', reason)),
  cancel: verb((foray, id, reason) => foray.cancel(id, reason)),

  retry: ({ params, body, access }, { foray }) =>
    foray.retry(params.id, body.what, {
      version: body.version,
      reason: overHttp(access),
      withinMs: CHANGE_MS,
    }),

  async setConcurrency({ params, body }, { foray, statuses }) {
    await foray.setConcurrency(params.id, body.concurrency);
    return statuses.now(params.id);
  },

  async getDefinition({ params, reply }, { foray }) {
    const { definition } = await foray.record(params.id);
    // a definition in JSON is valid YAML too
    return saveAs(reply, params.id, 'definition.yaml')
      .header('etag', etagOf(definition))
      .type('application/yaml; charset=utf-8')
      .send(definition);
  },

  async putDefinition(
    { params, query, body, request, reply, access },
    { foray, reachability, inTurn, jobs },
  ) {
    const { id } = params;
    const difference = () => jobs.runFor(reply, 'difference', { sent: { body }, id });
    if (query.dry) return difference();
    return inTurn(id, async () => {
      const match = request.headers['if-match'];
      const { definition } = await foray.record(id);
      if (match !== undefined && !hasTag(match, etagOf(definition))) {
        throw new ServerError('DEFINITION_CHANGED', `The definition of "${id}" was changed meanwhile.`, {
          hint: 'Read the definition again, and apply your definition if the difference is what you want.',
          headers: { etag: etagOf(definition) },
          more: { difference: await difference() },
        });
      }
      await reachability.waitFor('temporal');
      const takes = { sent: { body }, id, reason: overHttp(access) };
      return foray.sendChange(id, await jobs.run(request.keyHash!, 'change', takes), CHANGE_MS);
    });
  },
} satisfies Partial<Handlers>;

/** The reason of a change in the notes of a campaign: who made it. */
function overHttp({ name }: { name: string }): string {
  return `${name} over HTTP`;
}

/**
 * Makes a handler for a verb that needs only a reason. It answers with the status after the message was sent, which may
 * still show the old phase.
 */
function verb(act: (foray: Foray, id: string, reason: string) => Promise<void>) {
  return async (
    { params, body, access, reply }: Call<typeof endpoints.pause>,
    { foray, statuses }: ServerParts,
  ): Promise<unknown> => {
    const by = overHttp(access);
    await act(foray, params.id, body?.reason === undefined ? by : `${by}: ${body.reason}`);
    void reply.code(202);
    return statuses.now(params.id);
  };
}
