import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MOST_FLIGHTS } from '../../campaign/scheduler/index.ts';
import { isClosed } from '../../client/status.ts';
import { type ForayError, isForayError } from '../../errors.ts';
import { html } from '../../report/html/markup.ts';
import type { Neighbour } from '../reachability.ts';
import { ServerError } from '../server-error.ts';
import type { ServerParts } from '../server-parts.ts';
import { CHANGE_MS } from '../in-turn.ts';
import { capitalized } from '../../text/printable.ts';
import { actionForm, fieldsOf, type Page, pathOfCampaign, sendPage, steer } from './layout.ts';

interface Verb {
  /** What the page says that asks before the action, and the name of its button; absent if no page asks. */
  asks?: { what: string; name: string };
  needs: readonly Neighbour[];
  act: (parts: ServerParts, id: string, reason: string, fields: URLSearchParams) => Promise<unknown>;
}

const verbs: Record<string, Verb> = {
  pause: { needs: ['temporal'], act: ({ foray }, id, reason) => foray.steer(id, 'pause', reason) },
  resume: { needs: ['temporal'], act: ({ foray }, id, reason) => foray.steer(id, 'resume', reason) },
  retry: {
    needs: ['service', 'temporal'],
    act({ foray }, id, reason, fields) {
      const cause = fields.get('cause');
      return foray.retry(id, cause === null ? 'failed' : { cause }, { reason, withinMs: CHANGE_MS });
    },
  },
  window: {
    needs: ['temporal'],
    act: ({ foray }, id, _reason, fields) => foray.setConcurrency(id, concurrencyIn(fields)),
  },
  stop: {
    asks: {
      what: 'The campaign requests no new runs. It closes when its requested runs have finished.',
      name: 'Stop',
    },
    needs: ['temporal'],
    act: ({ foray }, id, reason) => foray.steer(id, 'stop', reason),
  },
  cancel: {
    asks: {
      what: 'The campaign requests no new runs, and stops its unfinished runs. Finished results stay.',
      name: 'Cancel the campaign',
    },
    needs: ['temporal'],
    act: ({ foray }, id, reason) => foray.cancel(id, reason),
  },
  delete: {
    asks: {
      what: 'The campaign is deleted with its points and results. Its runs at the model service stay.',
      name: 'Delete the campaign',
    },
    needs: [],
    act: ({ foray }, id) => foray.delete(id),
  },
};

/** What a cancel does with a closed campaign. */
const GIVE_UP = {
  what: 'The change is not made, and the campaign stays as it is.',
  name: 'Give up the change',
};

/** Adds the routes for actions on campaigns. GET shows a page that asks. POST executes the action, and redirects. */
export function addVerbs(app: FastifyInstance, parts: ServerParts): void {
  for (const [verb, { asks, needs, act }] of Object.entries(verbs)) {
    if (asks) {
      app.get<{ Params: { id: string } }>(`/campaigns/:id/${verb}`, steer, async (request, reply) => {
        const record = await parts.foray.record(request.params.id);
        const { id } = record.campaign;
        const isGivenUp = verb === 'cancel' && isClosed(record);
        return sendPage(
          request,
          reply,
          askPage(request, {
            ...(isGivenUp ? GIVE_UP : asks),
            title: isGivenUp ? `Give up the change of ${id}?` : `${capitalized(verb)} ${id}?`,
            action: pathOfCampaign(id, verb),
            back: pathOfCampaign(id),
          }),
        );
      });
    }
    app.post<{ Params: { id: string } }>(`/campaigns/:id/${verb}`, steer, async (request, reply) => {
      const { id } = request.params;
      if (needs.length > 0) await parts.reachability.waitFor(...needs);
      await act(parts, id, reasonOf(request), fieldsOf(request));
      return reply.redirect(verb === 'delete' ? '/' : pathOfCampaign(id), 303);
    });
  }

  app.get<{ Querystring: { id?: string | string[] } }>('/chosen/cancel', steer, (request, reply) => {
    const ids = chosen([request.query.id ?? []].flat());
    return sendPage(
      request,
      reply,
      askPage(request, {
        title: `Cancel ${ids.length === 1 ? ids[0]! : `${ids.length} campaigns`}?`,
        what: verbs.cancel!.asks!.what,
        action: '/chosen/cancel',
        name: ids.length === 1 ? 'Cancel the campaign' : 'Cancel the campaigns',
        back: '/',
        ids,
      }),
    );
  });
  for (const verb of ['pause', 'resume', 'cancel']) {
    app.post(`/chosen/${verb}`, steer, async (request, reply) => {
      await parts.reachability.waitFor('temporal');
      const refused: ForayError[] = [];
      for (const id of chosen(fieldsOf(request).getAll('id'))) {
        // one campaign may refuse the action, for example because it is closed; the others still take it
        await verbs[verb]!.act(parts, id, reasonOf(request), fieldsOf(request)).catch((error: unknown) => {
          if (!isForayError(error)) throw error;
          refused.push(error);
        });
      }
      const [first, ...others] = refused;
      if (first) throw first.with(others);
      return reply.redirect('/', 303);
    });
  }
}

/** @throws ServerError BAD_REQUEST */
function concurrencyIn(fields: URLSearchParams): number | 'auto' {
  const text = (fields.get('concurrency') ?? '').trim();
  const number = Number(text);
  if (text === 'auto') return text;
  if (Number.isInteger(number) && number >= 1 && number <= MOST_FLIGHTS) return number;
  throw new ServerError('BAD_REQUEST', `"${text}" is not a number of runs.`, {
    hint: `Give a whole number from 1 to ${MOST_FLIGHTS}, or auto.`,
  });
}

/** The ids of chosen campaigns. @throws ServerError BAD_REQUEST if there are none */
function chosen(ids: string[]): string[] {
  if (ids.length > 0) return ids;
  throw new ServerError('BAD_REQUEST', 'No campaign is chosen.', {
    hint: 'Go back, and choose one or more campaigns.',
  });
}

/** The reason of a change in the notes of a campaign: who made it. */
export function reasonOf({ access }: FastifyRequest): string {
  return `${access!.name} on the page`;
}

interface Question {
  title: string;
  what: string;
  /** The path to which the button posts. */
  action: string;
  /** The name of the button. */
  name: string;
  /** The path of the page before. */
  back: string;
  /** The campaigns that were chosen in the list. */
  ids?: readonly string[];
}

/** The page that asks for confirmation of an action. */
function askPage(request: FastifyRequest, { title, what, action, name, back, ids = [] }: Question): Page {
  return {
    title,
    body: html`<h1>${title}</h1>
      <p class="lead">${what}</p>
      ${
        ids.length === 0
          ? html`<div class="buttons">
              ${actionForm(request, action, name)} <a class="button" href="${back}">Back</a>
            </div>`
          : html`<form method="post" action="${action}">
              ${ids.map((id) => html`<input type="hidden" name="id" value="${id}" />`)}
              <ul>
                ${ids.map((id) => html`<li>${id}</li>`)}
              </ul>
              <p class="buttons"><button>${name}</button> <a class="button" href="${back}">Back</a></p>
            </form>`
      }`,
  };
}
