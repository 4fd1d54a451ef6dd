import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { Batched } from '../../batched.ts';
import type { CampaignStatus } from '../../client/index.ts';
import { isClosed } from '../../client/status.ts';
import { jsonl } from '../../report/formats/jsonl.ts';
import { resultTable } from '../../report/index.ts';
import type { CampaignRecord, ResultPlace, ResultRow } from '../../store/index.ts';
import { afterText, campaignsAfter, hasText } from '../campaign-list.ts';
import { chosenRuns } from '../chosen-runs.ts';
import type { ServerParts } from '../server-parts.ts';
import { ServerError } from '../server-error.ts';
import type { Call, Handlers } from './call.ts';
import { API_ROOT, type endpoints } from './endpoints.ts';
import { etagOf, hasTag } from './etag.ts';
import { jsonArray, sendJson } from './send-json.ts';

/** The pause between two reads of a status while a client waits for a change, ms. */
const LOOK = 500;

export const campaignHandlers = {
  listModels: (_call, { foray }) => foray.models(),
  getModel: ({ params }, { foray }) => foray.model(params.name),
  plan: ({ body, query, reply }, { jobs }) => jobs.runFor(reply, 'plan', { sent: { body }, ...query }),

  async listCampaigns({ query, reply, request }, { foray, sections }) {
    const { phase, model, owner, q = '', after, limit } = query;
    const all = await foray.list();
    // before the filters, because the campaign at this place may no longer match them
    const left = after === undefined ? all : campaignsAfter(all, after);
    const found = left.filter(
      (status) =>
        (phase === undefined || status.phase === phase) &&
        (model === undefined || status.model === model) &&
        (owner === undefined || status.owner === owner) &&
        hasText(status, q),
    );
    const page = found.slice(0, limit);
    if (limit < found.length) linkNext(request.url, reply, afterText(page.at(-1)!));
    return page.map((status) => ({ ...status, best: sections.best(status)?.value ?? null }));
  },

  async createCampaign({ body, request, reply, access }, { jobs }) {
    const key = request.headers['idempotency-key'];
    // the idempotency keys of two users are independent
    const token = typeof key === 'string' && key !== '' ? JSON.stringify([access.name, key]) : undefined;
    const options = { sent: { body }, owner: access.name, token };
    const submitted = await jobs.run(request.keyHash!, 'submit', options);
    void reply.code(submitted.isNew ? 201 : 200).header('location', `${API_ROOT}/campaigns/${submitted.id}`);
    return submitted;
  },

  async putCampaign({ body, params, request, reply, access }, { jobs }) {
    const options = { sent: { body }, id: params.id, owner: access.name };
    const submitted = await jobs.run(request.keyHash!, 'submit', options);
    if (submitted.isNew) void reply.code(201);
    return submitted;
  },

  async getCampaign({ params, query, request, reply }, { statuses }) {
    const known = request.headers['if-none-match'];
    // not by the clock of the system, which may be set back
    const until = performance.now() + query.wait * 1_000;
    let status = await (query.wait > 0 ? statuses.recent(params.id) : statuses.now(params.id));
    let etag = tagOf(status);
    const first = etag;
    const isOld = (): boolean => {
      if (known !== undefined) return hasTag(known, etag);
      // the status of a closed campaign may never change, so a client that knows no earlier status gets it at once
      return etag === first && !isClosed(status);
    };
    while (performance.now() < until && isOld() && !reply.raw.destroyed) {
      await delay(Math.min(LOOK, until - performance.now()));
      status = await statuses.recent(params.id);
      etag = tagOf(status);
    }
    void reply.header('etag', etag).header('cache-control', 'no-cache');
    return hasTag(known, etag) ? reply.code(304).send() : status;
  },

  async deleteCampaign({ params, reply }, { foray }) {
    await foray.delete(params.id);
    return reply.code(204).send();
  },

  async listRuns({ params, query, request, reply }, server) {
    const { record, rows, next } = await runsOf(server, reply, params.id, query);
    if (next) linkNext(request.url, reply, placeText(next));
    const table = resultTable(record.campaign, Batched.of(rows), { all: true });
    return sendJson(reply, await jsonArray(jsonl(table)));
  },

  getPoint: ({ params }, { foray }) => foray.explain(params.id, params.point),
  listFailures: ({ params }, { foray }) => foray.failures(params.id),
  listFlights: ({ params }, { foray }) => foray.flights(params.id),

  getStory: async ({ params }, { foray }) => ({ story: await foray.story(params.id) }),

  async analyze({ params, query, reply }, { answers }) {
    const asked = { id: params.id, outputs: query.output };
    return sendJson(reply, await answers.runFor(reply, 'analysis', asked));
  },
} satisfies Partial<Handlers>;

/**
 * A page of runs in design order, or the runs with the lowest or highest values of an output.
 * @throws ServerError BAD_REQUEST if parameters exclude each other
 * @throws ForayError UNKNOWN_CAMPAIGN, UNKNOWN_OUTPUT, INVALID_EXPRESSION
 */
async function runsOf(
  { foray, answers }: ServerParts,
  reply: FastifyReply,
  id: string,
  { state: status, after, limit, lowest, highest }: Call<typeof endpoints.listRuns>['query'],
): Promise<{ record: CampaignRecord; rows: ResultRow[]; next?: ResultPlace | null }> {
  const output = lowest ?? highest;
  if (output === undefined) return foray.runsPage(id, { limit, after: placeIn(after), status });
  const areBoth = lowest !== undefined && highest !== undefined;
  if (areBoth || after !== undefined || status !== undefined)
    throw new ServerError(
      'BAD_REQUEST',
      'lowest and highest cannot be combined with another order, state or after.',
    );
  const record = await foray.record(id);
  const order = { by: output, wants: lowest === undefined ? 'highest' : 'lowest' } as const;
  const choice = { order, inputs: [], from: 0, count: limit };
  const { rows } = await chosenRuns({ answers }, reply, id, choice);
  return { record, rows };
}

/** The entity tag of a status, without the time at which it was read. */
function tagOf({ asOf: _asOf, ...status }: CampaignStatus): string {
  return etagOf(JSON.stringify(status));
}

/** Adds the header Link to the next page (RFC 8288). */
function linkNext(url: string, reply: FastifyReply, after: string): void {
  const next = new URL(url, 'http://any');
  next.searchParams.set('after', after);
  void reply.header('link', `<${next.pathname}${next.search}>; rel="next"`);
}

/** A place in the results as the parameter `after` of an address: where the next page of runs starts. */
function placeText({ position, ordinal, replication }: ResultPlace): string {
  return `${position}.${ordinal}.${replication}`;
}

/** @throws ServerError BAD_REQUEST */
function placeIn(text: string | undefined): ResultPlace | undefined {
  if (text === undefined) return undefined;
  const [position, ordinal, replication] = text.split('.').map(Number) as [number, number, number];
  if (![position, ordinal, replication].every(Number.isSafeInteger))
    throw new ServerError('BAD_REQUEST', 'The parameter "after" must come from the link to the next page.');
  return { position, ordinal, replication };
}
