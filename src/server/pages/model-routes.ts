import type { FastifyInstance } from 'fastify';
import type { ServerParts } from '../server-parts.ts';
import { fieldsOf, read, sendPage, steer } from './layout.ts';
import { sendParts } from './live.ts';
import { modelPage, modelsPage, nextLookAt, pathOfModel, runPart } from './models.ts';
import { TAKEN } from './page-parts.ts';
import { mistakesIn } from './problem.ts';
import { INPUT } from './view.ts';

/**
 * The routes for models and single runs. The store does not contain single runs. So the address of a run's page
 * contains the input values of the run.
 */
export function addModels(app: FastifyInstance, { foray, models, reachability }: ServerParts): void {
  app.get('/models', read, async (request, reply) => {
    const all = await models.all();
    const whole = await Promise.all(all.map(({ name }) => models.one(name)));
    return sendPage(request, reply, modelsPage(request, whole));
  });

  app.get<{ Params: { name: string } }>('/models/:name', read, async (request, reply) =>
    sendPage(request, reply, modelPage(request, await models.one(request.params.name), undefined)),
  );

  app.post<{ Params: { name: string } }>('/models/:name/runs', steer, async (request, reply) => {
    const { name } = request.params;
    const fields = fieldsOf(request);
    const given = [...fields].filter(([field, value]) => field.startsWith(INPUT) && value.trim() !== '');
    const values = Object.fromEntries(given.map(([field, value]) => [field.slice(INPUT.length), value]));
    try {
      await reachability.waitFor('service');
      const run = await foray.requestRun(name, values);
      const query = new URLSearchParams(given).toString();
      return await reply.redirect(
        `${pathOfModel({ name })}/runs/${encodeURIComponent(run)}?${query}${TAKEN}`,
        303,
      );
    } catch (error) {
      const message = mistakesIn(error);
      const page = modelPage(request, await models.one(name), undefined, { values: fields, message });
      return sendPage(request, reply.code(422), page);
    }
  });

  app.get<{ Params: { name: string; run: string } }>(
    '/models/:name/runs/:run',
    read,
    async (request, reply) => {
      const { name, run: id } = request.params;
      const found = await reachability.whileThere(() => foray.singleRun(name, id));
      const values = new URL(request.url, 'http://any').searchParams;
      return sendPage(request, reply, modelPage(request, await models.one(name), { id, found }, { values }));
    },
  );

  app.get<{ Params: { name: string; run: string }; Querystring: { have?: string } }>(
    '/models/:name/runs/:run/live',
    read,
    async (request, reply) => {
      const { name, run } = request.params;
      const found = await reachability.whileThere(() => foray.singleRun(name, run));
      return sendParts(request, reply, [runPart(found)], nextLookAt(found));
    },
  );
}
