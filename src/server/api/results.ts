import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Foray } from '../../client/index.ts';
import { formatResults, tableOf } from '../../report/index.ts';
import { joined, type Parts } from '../../report/formats/joined.ts';
import { goneSignal, whenGone } from '../gone.ts';
import { ServerError } from '../server-error.ts';
import type { Handlers } from './call.ts';
import { tagOfResults } from './etag.ts';
import { saveAs } from './save-as.ts';
import { type KeptFiles, sendFile } from './kept-files.ts';
import { type Query, rowsOf, shapeOf } from './rows-of.ts';
import { sendJson } from './send-json.ts';

export function resultHandlers(files: KeptFiles) {
  return {
    async listColumns({ params, query }, { foray }) {
      const { record, rows } = await rowsOf(foray, params.id, query);
      return tableOf(record.campaign, rows, shapeOf(query)).columns;
    },

    async resultsCsv({ params, query, reply }, { foray }) {
      const pieces = await textOf(foray, params.id, 'csv', query);
      saveAs(reply, params.id, 'results.csv');
      return stream(reply, 'text/csv; charset=utf-8', joined(pieces));
    },

    async resultsJsonl({ params, query, request, reply }, { foray, shares }) {
      const { follow = false, ...shape } = query;
      if (follow && shape.points)
        throw new ServerError('BAD_REQUEST', 'follow and points cannot be combined.');
      if (follow) whenGone(reply, shares.take('streams', request.keyHash!));
      const pieces = await textOf(foray, params.id, 'jsonl', shape, follow ? goneSignal(reply) : undefined);
      saveAs(reply, params.id, 'results.jsonl');
      return stream(reply, 'application/jsonl; charset=utf-8', follow ? pieces : joined(pieces));
    },

    async resultsParquet({ params, query, request, reply }, { foray, answers }) {
      const { id } = params;
      const tag = await tagOfResults(foray, id, ['parquet', query]);
      const file = await files.get(
        tag,
        (path, gone) => answers.run(request.keyHash!, 'parquet', { id, query, path }, gone),
        goneSignal(reply),
      );
      saveAs(reply, id, 'results.parquet').type('application/vnd.apache.parquet');
      return sendFile(request, reply, file);
    },

    async compare({ query: { a, b, show }, reply }, { answers }) {
      return sendJson(reply, await answers.runFor(reply, 'compared', { a, b, show }));
    },
  } satisfies Partial<Handlers>;
}

/** @param followUntil - with this signal, the text goes on until the campaign is over, or the signal aborts */
async function textOf(
  foray: Foray,
  id: string,
  format: 'csv' | 'jsonl',
  query: Query,
  followUntil?: AbortSignal,
): Promise<AsyncIterable<string>> {
  const shape = shapeOf(query);
  const { record, rows } = await rowsOf(foray, id, query, followUntil);
  const flows = followUntil !== undefined;
  return formatResults(format, record.campaign, rows, { ...shape, limit: Infinity, flows });
}

/** Sends pieces at the speed of the client. When the client disconnects, no more pieces are made. */
function stream(reply: FastifyReply, type: string, pieces: Parts): FastifyReply {
  void reply.type(type).header('cache-control', 'no-store');
  if (reply.request.method === 'HEAD') return reply.send(Readable.from([]));
  return reply.send(Readable.from(pieces, { objectMode: false, highWaterMark: 65_536 }));
}
