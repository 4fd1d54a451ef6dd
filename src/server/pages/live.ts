import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CampaignStatus } from '../../client/index.ts';
import { isClosed } from '../../client/status.ts';
import { etagOf, hasTag } from '../api/etag.ts';
import type { ServerParts } from '../server-parts.ts';
import { campaignParts, isFinal, nextLook } from './campaign.ts';
import { read } from './layout.ts';
import { LIST_EVERY, listParts, type ListQuery } from './list.ts';
import { absencesPart } from './absences.ts';
import type { Part } from './page-parts.ts';
import { viewOf } from './view.ts';

/**
 * Adds the routes that the script of a page requests. The answer has the id and the hash of each part, and the HTML of
 * the parts that have changed. `have` in the request: the hashes of the parts on the page. `next` in the answer: the
 * time until the next request, ms; 0 for no further request.
 */
export function addLive(app: FastifyInstance, server: ServerParts): void {
  const { sections, statuses } = server;
  app.get<{ Querystring: ListQuery & { have?: string } }>('/live', read, async (request, reply) =>
    sendParts(request, reply, await listParts(request, server), LIST_EVERY),
  );

  app.get<{ Params: { id: string }; Querystring: { have?: string } }>(
    '/campaigns/:id/live',
    read,
    async (request, reply) => {
      const { id } = request.params;
      const status = await statuses.recent(id);
      const { phase, asOf } = status;
      const isChanging = await isChangingAt(request, server, status);
      const finalTag = etagOf(
        JSON.stringify([id, phase, asOf, isChanging, request.access?.role, absencesPart(request).hash]),
      );
      // a page that already shows all of a closed campaign causes no drawing
      if (isClosed(status) && isKnown(request, finalTag))
        return reply.header('etag', finalTag).code(304).send();
      const seen = await sections.look(id, viewOf(request.url), request.keyHash!);
      const parts = campaignParts(request, status, seen, isChanging);
      const tag = isFinal(status, seen) ? finalTag : undefined;
      return sendParts(request, reply, parts, nextLook(status, seen), tag);
    },
  );
}

/** Whether a closed campaign has a change that is not made yet, as far as Temporal says so. */
export function isChangingAt(
  { absences }: Pick<FastifyRequest, 'absences'>,
  { statuses }: Pick<ServerParts, 'statuses'>,
  status: CampaignStatus,
): Promise<boolean> {
  const isAsked = isClosed(status) && absences.temporal === undefined;
  return isAsked ? statuses.isChanging(status.id) : Promise.resolve(false);
}

function isKnown({ headers }: Pick<FastifyRequest, 'headers'>, etag: string): boolean {
  return hasTag(headers['if-none-match'], etag);
}

/**
 * Sends the id and the hash of each part, and the HTML of the parts that the page does not have. Sends 304 if the page
 * knows the entity tag.
 *
 * @param tag - the entity tag of the answer; by default a hash of all parts
 */
export function sendParts(
  request: Pick<FastifyRequest, 'headers' | 'absences'> & { query: { have?: string } },
  reply: FastifyReply,
  changing: readonly Part[],
  next: number,
  tag?: string,
): FastifyReply {
  const { query } = request;
  const parts = [absencesPart(request), ...changing];
  const etag = tag ?? etagOf(parts.map(({ hash }) => hash).join() + next);
  reply.header('etag', etag).header('cache-control', 'no-cache');
  if (isKnown(request, etag)) return reply.code(304).send();
  const there = new Set((query.have ?? '').split(','));
  const items = parts.flatMap((part) => [
    ',',
    there.has(part.hash) ? JSON.stringify({ id: part.id, hash: part.hash }) : jsonOf(part),
  ]);
  const pieces = [`{"next":${next},"parts":[`, ...items.slice(1), ']}'];
  return reply
    .type('application/json; charset=utf-8')
    .send(Buffer.concat(pieces.map((piece) => Buffer.from(piece))));
}

/** The JSON of each part as bytes. A report is sent to many viewers, and making its JSON takes longer than all else. */
const bytes = new WeakMap<Part, Buffer>();

function jsonOf(part: Part): Buffer {
  const { id, hash, markup } = part;
  const known = bytes.get(part) ?? Buffer.from(JSON.stringify({ id, hash, html: markup.text }));
  bytes.set(part, known);
  return known;
}
