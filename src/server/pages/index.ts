import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { versionOf } from '../../campaign/versions.ts';
import { ownFile } from '../../package/own-files.ts';
import { pictureScript } from '../../report/html/page.ts';
import { style } from '../../report/html/style.ts';
import { ServerError } from '../server-error.ts';
import type { ServerParts } from '../server-parts.ts';
import { addAbsences } from './absences.ts';
import { addDocs } from './docs.ts';
import { addDefinitions } from './definition-routes.ts';
import { campaignPage } from './campaign.ts';
import { compareChoice, comparePage } from './compare.ts';
import { checkView } from '../live/filter.ts';
import { read, sendPage, steer } from './layout.ts';
import { listPage, type ListQuery } from './list.ts';
import { addLive, isChangingAt } from './live.ts';
import { addModels } from './model-routes.ts';
import { referencePage } from './reference.ts';
import { animationPage, pointPage } from './point.ts';
import { downloadsPage, failuresPage } from './runs.ts';
import { addRuns } from './run-routes.ts';
import { webUiOf } from './web-ui.ts';
import { addVerbs } from './verbs.ts';
import { viewOf, viewQuery } from './view.ts';

type Of<Params> = { Params: Params };
/** Parameters that an address has at most once. */
const ONCE = ['by', 'from', 'have', 'model', 'order', 'phase', 'q', 'state', 'x', 'y'];

/** Adds the pages for browsers. Each page also works without scripts. One script keeps the open pages up to date. */
export async function addPages(app: FastifyInstance, parts: ServerParts): Promise<void> {
  const { foray, models, publicUrl } = parts;
  app.addHook('preHandler', ({ query }, _reply, done) => {
    for (const name of ONCE)
      if (Array.isArray((query as Record<string, unknown>)[name]))
        throw new ServerError('BAD_REQUEST', `The address has the parameter "${name}" more than once.`);
    done();
  });
  addFiles(app);
  addAbsences(app, parts);
  addLive(app, parts);
  addVerbs(app, parts);
  addDefinitions(app, parts);
  addModels(app, parts);
  addDocs(app);

  app.get<{ Querystring: ListQuery }>('/', read, async (request, reply) =>
    sendPage(request, reply, await listPage(request, parts)),
  );

  app.get<Of<{ id: string }>>('/campaigns/:id', read, async (request, reply) => {
    const { id } = request.params;
    const record = await foray.record(id);
    const view = viewOf(request.url);
    checkView(record.campaign, view);
    // the script of the page loads pictures that are not drawn yet
    const seen = await parts.sections.look(id, view, request.keyHash!);
    const soon = await parts.statuses.soon(id);
    const isChanging = await isChangingAt(request, parts, soon.status);
    return sendPage(
      request,
      reply,
      campaignPage(request, record, { ...soon, isChanging }, seen, webUiOf(request, foray, id)),
    );
  });

  addRuns(app, parts);

  app.get<Of<{ id: string; key: string }>>('/campaigns/:id/points/:key', read, async (request, reply) => {
    const { id, key } = request.params;
    const record = await foray.record(id);
    const explanation = await foray.explain(id, key);
    const animated = new Set<number>();
    for (const version of new Set(explanation.runs.map((run) => run.version)))
      if (await models.canAnimate(versionOf(record.campaign, version).versionId)) animated.add(version);
    // the address may have only the beginning of the key
    const { place, point: wholeKey } = explanation;
    const hasCurves = record.campaign.outputs.some(({ type }) => type === 'DATA_SET');
    const pictures =
      hasCurves && place !== null
        ? await parts.answers.runFor(reply, 'pointPictures', { id, key: wholeKey, place })
        : '';
    return sendPage(request, reply, pointPage(request, record, explanation, { animated, pictures }));
  });

  app.post<Of<{ id: string; key: string; replication: string }>>(
    '/campaigns/:id/points/:key/animation/:replication',
    steer,
    async (request, reply) => {
      const { id, key, replication } = request.params;
      await parts.reachability.waitFor('service');
      const { bundleUrl } = await foray.animate(id, key, Number(replication));
      // the answer of a service counts as an address only if it looks like an address
      const address = /^https?:\/\//.test(bundleUrl ?? '') ? bundleUrl : undefined;
      return sendPage(request, reply, animationPage(request.params, address));
    },
  );

  app.get<Of<{ id: string }>>('/campaigns/:id/failures', read, async (request, reply) => {
    const { id } = request.params;
    return sendPage(request, reply, failuresPage(request, await foray.record(id), await foray.failures(id)));
  });

  app.get<Of<{ id: string }>>('/campaigns/:id/downloads', read, async (request, reply) => {
    const record = await foray.record(request.params.id);
    checkView(record.campaign, viewOf(request.url));
    return sendPage(request, reply, downloadsPage(record, viewQuery(request.url)));
  });

  app.get<{ Querystring: { id?: string | string[]; a?: string; b?: string } }>(
    '/compare',
    read,
    async (request, reply) => {
      const { id, a, b } = request.query;
      const ids = [id ?? [], a ?? [], b ?? []].flat();
      if (ids.length !== 2) return sendPage(request, reply, compareChoice(await foray.list(), ids));
      const two = { a: ids[0]!, b: ids[1]! };
      const compared = await parts.answers.runFor(reply, 'comparedParts', two);
      return sendPage(request, reply, comparePage(compared));
    },
  );

  app.get('/reference', read, (request, reply) => sendPage(request, reply, referencePage(publicUrl())));
  // only with a promise, an error above, such as a missing file, rejects the start of the server
  return Promise.resolve();
}

/** The style sheet and the scripts, which are the same for everybody. */
function addFiles(app: FastifyInstance): void {
  const file = (name: string): string => readFileSync(ownFile(`src/server/pages/${name}`), 'utf8');
  const files = {
    '/picture.js': { type: 'text/javascript; charset=utf-8', content: pictureScript },
    '/page.css': { type: 'text/css; charset=utf-8', content: style + file('page.css') },
    '/form.js': { type: 'text/javascript; charset=utf-8', content: file('form.js') },
    '/page.js': { type: 'text/javascript; charset=utf-8', content: file('page.js') },
  };
  for (const [path, { type, content }] of Object.entries(files))
    app.get(path, { config: { role: 'anyone' } }, (_request: FastifyRequest, reply: FastifyReply) =>
      reply.type(type).header('cache-control', 'no-cache').send(content),
    );
}
