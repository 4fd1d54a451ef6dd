import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html, type Markup } from '../../report/html/markup.ts';
import { etagOf } from '../api/etag.ts';
import { ServerError } from '../problems.ts';
import type { ServerParts } from '../server-parts.ts';
import { shareOfBodies } from '../shares.ts';
import { definitionPage, differencePage, newPage, planAnswer, writtenForm } from './definition.ts';
import { fieldsOf, pathOfCampaign, sendPage } from './layout.ts';
import { mistakesIn } from './problem.ts';
import { reasonOf } from './verbs.ts';
import { definitionFrom } from './written.ts';

const read = { config: { role: 'read' } } as const;
const steer = { config: { role: 'steer' } } as const;

/**
 * The routes for starting and changing campaigns. A page shows the mistakes of a definition above the definition, with
 * links to the lines.
 */
export function addDefinitions(app: FastifyInstance, parts: ServerParts): void {
  const { foray, models, away, inTurn, jobs, shares } = parts;
  const onRequest = shareOfBodies(shares);

  app.get<{ Params: { id: string } }>('/campaigns/:id/definition', read, async (request, reply) =>
    sendPage(request, reply, definitionPage(request, await foray.record(request.params.id))),
  );

  app.post<{ Params: { id: string } }>(
    '/campaigns/:id/definition',
    { ...steer, onRequest },
    async (request, reply) => {
      const { id } = request.params;
      const fields = fieldsOf(request);
      const text = lines(fields.get('definition'));
      const change = async (): Promise<FastifyReply> => {
        const record = await foray.record(id);
        const etag = fields.get('etag') ?? '';
        const isOvertaken = etag !== etagOf(record.definition);
        try {
          await away.needs('service');
          if (isOvertaken || fields.get('do') !== 'apply') {
            const difference = await jobs.run(request.keyHash!, 'compare', { sent: sent(text), id });
            const page = differencePage(request, record, text, difference, isOvertaken);
            return sendPage(request, isOvertaken ? reply.code(409) : reply, page);
          }
          await away.needs('temporal');
          await jobs.run(request.keyHash!, 'apply', { sent: sent(text), id, reason: reasonOf(request) });
          return reply.redirect(pathOfCampaign(id), 303);
        } catch (error) {
          const message = mistakesIn(error);
          return sendPage(request, reply.code(422), definitionPage(request, record, { text, etag, message }));
        }
      };
      return inTurn(id, change);
    },
  );

  app.get<{ Querystring: { model?: string; from?: string } }>('/new', read, async (request, reply) => {
    const { model: name, from } = request.query;
    if (from !== undefined) return show(request, reply, { text: (await foray.record(from)).definition });
    if (name === undefined) return show(request, reply, { text: '' });
    const model = await models.one(name);
    const fields = new URL(request.url, 'http://any').searchParams;
    const text = definitionFrom(model, fields);
    // if the model is the only field, nobody has filled in the form, and there is nothing to plan yet
    const message = fields.size > 1 ? await planned(request, text).catch(mistakesIn) : undefined;
    return show(request, reply, { text, model, message });
  });

  app.post('/new', { ...steer, onRequest }, async (request, reply) => {
    const fields = fieldsOf(request);
    const text = lines(fields.get('definition'));
    const id = (fields.get('id') ?? '').trim();
    try {
      if (fields.get('do') === 'plan')
        return await show(request, reply, { text, id, message: await planned(request, text) });
      await away.needs('service', 'temporal');
      const options = { sent: sent(text), owner: request.access!.name, ...(id !== '' && { id }) };
      const submitted = await jobs.run(request.keyHash!, 'submit', options);
      return reply.redirect(pathOfCampaign(submitted.id), 303);
    } catch (error) {
      return show(request, reply.code(422), { text, id, message: mistakesIn(error) });
    }
  });

  // the script of the page sends the definition while a user types it
  app.post('/new/plan', { ...read, onRequest }, async (request, reply) => {
    const text = lines(fieldsOf(request).get('definition'));
    const message = text.trim() === '' ? html`` : await planned(request, text).catch(mistakesIn);
    return reply.type('text/html; charset=utf-8').send(message.text);
  });

  // the script of the page sends the fields while a user fills them in
  app.post('/new/written', { ...steer, onRequest }, async (request, reply) => {
    const fields = fieldsOf(request);
    const text = definitionFrom(await models.one(fields.get('model') ?? ''), fields);
    const message = await planned(request, text).catch(mistakesIn);
    return reply.type('text/html; charset=utf-8').send(writtenForm({ text, message }).text);
  });

  async function planned({ keyHash }: FastifyRequest, text: string): Promise<Markup> {
    return planAnswer(await away.whileThere(() => jobs.run(keyHash!, 'plan', { sent: sent(text) })));
  }

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    shown: Parameters<typeof newPage>[2],
  ): Promise<FastifyReply> {
    return sendPage(request, reply, newPage(request, await models.all(), shown));
  }
}

/** @throws ServerError BAD_REQUEST for an empty text */
function sent(text: string): { text: string } {
  if (text.trim() === '') throw new ServerError('BAD_REQUEST', 'The form has no definition.');
  return { text };
}

/** The text of a field with the line ends `\n`. Forms send `\r\n`. */
function lines(text: string | null): string {
  return (text ?? '').replaceAll('\r\n', '\n');
}
