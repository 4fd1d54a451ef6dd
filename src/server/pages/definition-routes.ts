import type { FastifyInstance, FastifyReply } from 'fastify';
import { stringify } from 'yaml';
import type { Form } from '../../campaign/form/form.ts';
import { campaignName } from '../../campaign/definition.ts';
import { isForayError } from '../../errors.ts';
import { etagOf } from '../api/etag.ts';
import { problemOf } from '../problems.ts';
import { ServerError } from '../server-error.ts';
import type { ServerParts } from '../server-parts.ts';
import { shareOfBodies } from '../shares.ts';
import { CHANGE_MS } from '../in-turn.ts';
import {
  campaignForm,
  definitionPage,
  differencePage,
  formModelOf,
  type NewCampaign,
  newPage,
  planAnswer,
} from './definition.ts';
import { MODEL } from './form.ts';
import { fieldsOf, pathOfCampaign, read, sendPage, steer } from './layout.ts';
import { TAKEN } from './page-parts.ts';
import { mistakesIn } from './problem.ts';
import { checkLength, type Files, type SentForm, sentIn, withUnixLines } from './sent-form.ts';
import { reasonOf } from './verbs.ts';

/** The largest form, in bytes: a new file, the earlier files in Base64, and the texts. */
const MOST_FORM = 24 * 1024 ** 2;

/**
 * The routes for starting and changing campaigns. A page shows the mistakes of a definition above the definition, with
 * links to the lines.
 */
export function addDefinitions(app: FastifyInstance, parts: ServerParts): void {
  const { foray, models, reachability, inTurn, jobs, shares } = parts;
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
      const text = withUnixLines(fields.get('definition'));
      checkLength(text);
      const change = async (): Promise<FastifyReply> => {
        const record = await foray.record(id);
        const etag = fields.get('etag') ?? '';
        const isOvertaken = etag !== etagOf(record.definition);
        try {
          await reachability.waitFor('service');
          if (isOvertaken || fields.get('do') !== 'apply') {
            const takes = { sent: definitionOf(text), id };
            const difference = await jobs.runFor(reply, 'difference', takes);
            const page = differencePage(request, record, text, difference, isOvertaken);
            return sendPage(request, isOvertaken ? reply.code(409) : reply, page);
          }
          await reachability.waitFor('temporal');
          const takes = { sent: definitionOf(text), id, reason: reasonOf(request) };
          await foray.sendChange(id, await jobs.run(request.keyHash!, 'change', takes), CHANGE_MS);
          return reply.redirect(`${pathOfCampaign(id)}${TAKEN}`, 303);
        } catch (error) {
          const message = mistakesIn(error);
          const { status } = problemOf(error);
          const page = definitionPage(request, record, { text, etag, message });
          // 202: the change is on its way, and no worker has made it yet
          return sendPage(request, reply.code(status === 202 ? status : 422), page);
        }
      };
      return inTurn(id, change);
    },
  );

  app.get<{ Querystring: { model?: string; from?: string; way?: string } }>(
    '/new',
    steer,
    async (request, reply) => {
      const { model: name, from, way } = request.query;
      const known = await knownModels();
      const text =
        from === undefined ? firstText(name ?? known[0]?.name) : (await foray.record(from)).definition;
      if (name !== undefined) await models.one(name);
      checkLength(text);
      const posted = { text, was: text, fields: new Map<string, string>() };
      const form = { posted, way, id: '', token: crypto.randomUUID(), files: {}, doing: '', mistakes: [] };
      return sendPage(request, reply, newPage(await shownFor(reply, form)));
    },
  );

  // a browser without scripts sends the whole form, and gets it back unless the campaign starts
  app.post('/new', { ...steer, onRequest, bodyLimit: MOST_FORM }, async (request, reply) => {
    const form = sentIn(fieldsOf(request));
    const shown = await shownFor(reply, form);
    if (form.doing !== 'start' || shown.isWrong)
      return sendPage(request, shown.isWrong ? reply.code(422) : reply, newPage(shown, true));
    try {
      await reachability.waitFor('service', 'temporal');
      const options = {
        sent: definitionOf(shown.form.text, form.files),
        owner: request.access!.name,
        // a second click on the button starts nothing else, but a changed form does
        ...(form.token !== '' && { token: [form.token, shown.form.text, ...shown.contents].join('\n') }),
        ...(form.id !== '' && { id: form.id }),
      };
      const submitted = await jobs.run(request.keyHash!, 'submit', options);
      return reply.redirect(`${pathOfCampaign(submitted.id)}${TAKEN}`, 303);
    } catch (error) {
      return sendPage(request, reply.code(422), newPage({ ...shown, ...faultsOf(error) }, true));
    }
  });

  // the script of the page sends the form while a person changes it
  app.post('/new/form', { ...steer, onRequest, bodyLimit: MOST_FORM }, async (request, reply) => {
    const shown = await shownFor(reply, sentIn(fieldsOf(request)));
    return reply.type('text/html; charset=utf-8').send(campaignForm(shown).text);
  });

  async function knownModels(): Promise<readonly { name: string }[]> {
    return (await models.all().catch(noneKnown)) ?? [];
  }

  /** Brings the fields and the text of a form together, and plans the campaign if the form asks for it. */
  async function shownFor(
    reply: FastifyReply,
    { posted, way, id, token, files, doing, mistakes }: SentForm,
  ): Promise<NewCampaign> {
    const all = await knownModels();
    const contents = Object.entries(files).map(([name, content]) => `${name}:${content}`);
    const nameBefore = posted.fields.get(MODEL) ?? '';
    let model = nameBefore === '' ? undefined : await models.one(nameBefore).catch(noneKnown);
    let form: Form = { ...posted, notShown: [], model: nameBefore };
    /** Whether the definition could be read, so that its fields have the chosen way, and the page reads it from them. */
    let isRead = false;
    let result: Said = { message: undefined, mistakes, isWrong: mistakes.length > 0 };
    try {
      form = await jobs.runFor(reply, 'form', { model: formModelOf(model), posted, way });
      if (form.model !== nameBefore && form.model !== '') {
        // the form is new, or a person has changed the model in the text, which then decides all fields and the way
        model = await models.one(form.model).catch(noneKnown);
        const { text } = form;
        const again = { text, was: text, fields: new Map<string, string>() };
        form = await jobs.runFor(reply, 'form', { model: formModelOf(model), posted: again });
      }
      isRead = true;
      if (doing === 'plan' && !result.isWrong) {
        const { text } = form;
        const plan = () => jobs.runFor(reply, 'plan', { sent: definitionOf(text, files) });
        result = { ...result, message: planAnswer(await reachability.whileThere(plan)) };
      }
    } catch (error) {
      result = faultsOf(error);
    }
    return { form, way: isRead ? undefined : way, model, models: all, id, token, contents, ...result };
  }
}

type Said = Pick<NewCampaign, 'message' | 'mistakes' | 'isWrong'>;

/** The first text of a definition. */
function firstText(model: string | undefined): string {
  return model === undefined ? '' : stringify({ campaign: campaignName(model), model: { name: model } });
}

/** A service that does not answer, or does not have a model, must not take a form away. @throws any other error */
function noneKnown(error: unknown): undefined {
  if (!isForayError(error)) throw error;
}

/** What is wrong with a form. @throws any error that is neither a ForayError nor a ServerError */
function faultsOf(error: unknown): Said {
  return isForayError(error) && error.place !== undefined
    ? { message: undefined, mistakes: [error.with([]), ...error.others], isWrong: true }
    : { message: mistakesIn(error), mistakes: [], isWrong: true };
}

/** @throws ServerError BAD_REQUEST for an empty text */
function definitionOf(text: string, files: Files = {}): { text: string; files: Files } {
  if (text.trim() === '') throw new ServerError('BAD_REQUEST', 'The form has no definition.');
  return { text, files };
}
