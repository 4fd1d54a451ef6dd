import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Batched } from '../../batched.ts';
import type { Foray } from '../../client/index.ts';
import { campaignsCompared } from '../../report/comparison/of-campaigns.ts';
import { comparisonNotes, ComparisonSummary } from '../../report/comparison/summary.ts';
import { comparisonTable } from '../../report/comparison/table.ts';
import { formatResults, formatTable, type ShapeOptions, tableOf } from '../../report/index.ts';
import { joined, type Parts } from '../../report/formats/joined.ts';
import type { CampaignRecord, ResultRow } from '../../store/index.ts';
import { version } from '../../package/own-version.ts';
import { filtered } from '../live/filter.ts';
import { ServerError } from '../problems.ts';
import type { Handlers } from './call.ts';
import { tagOfResults } from './etag.ts';
import { type KeptFiles, sendFile } from './kept-files.ts';

/** The endpoints of results. */
export function resultHandlers(
  files: KeptFiles,
): Handlers<'listColumns' | 'resultsCsv' | 'resultsJsonl' | 'resultsParquet' | 'compare'> {
  return {
    async listColumns({ params, query }, { foray }) {
      const { record, rows } = await rowsOf(foray, params.id, query);
      return tableOf(record.campaign, rows, shapeOf(query)).columns;
    },

    async resultsCsv({ params, query, request, reply }, { foray }) {
      const pieces = await textOf(foray, params.id, 'csv', query);
      return stream(reply, request.method, 'text/csv; charset=utf-8', joined(pieces));
    },

    async resultsJsonl({ params, query, request, reply }, { foray, shares }) {
      const { follow = false, ...shape } = query;
      if (follow && shape.points)
        throw new ServerError('BAD_REQUEST', 'follow and points cannot be combined.');
      if (follow) reply.raw.once('close', shares.take('streams', request.keyHash!));
      const pieces = await textOf(foray, params.id, 'jsonl', shape, follow);
      return stream(
        reply,
        request.method,
        'application/jsonl; charset=utf-8',
        follow ? pieces : joined(pieces),
      );
    },

    async resultsParquet({ params, query, request, reply }, { foray }) {
      const { id } = params;
      const file = await files.get(await tagOfResults(foray, id, ['parquet', query]), async function* () {
        const { parquet } = await import('../../report/formats/parquet.ts');
        const { record, rows } = await rowsOf(foray, id, query);
        const description = { record, version, all: query.all ?? false };
        yield* parquet(tableOf(record.campaign, rows, shapeOf(query)), description);
      });
      void reply.type('application/vnd.apache.parquet');
      return sendFile(request, reply, file);
    },

    async compare({ query, reply }, { foray }) {
      const { a, b, show } = query;
      const comparison = await campaignsCompared(foray, a, b, { show });
      const summary = new ComparisonSummary(comparison);
      let text = '';
      for await (const piece of formatTable('jsonl', comparisonTable(comparison, summary.watched())))
        text += piece;
      const rows = text.split('\n').filter(Boolean).join(',');
      const notes = JSON.stringify(comparisonNotes(comparison, summary));
      return reply.type('application/json; charset=utf-8').send(`{"rows":[${rows}],"notes":${notes}}`);
    },
  };
}

type Query = { [K in keyof ShapeOptions]?: ShapeOptions[K] | undefined } & {
  inputs?: Record<string, string> | undefined;
};

/** @throws ForayError UNKNOWN_CAMPAIGN, INVALID_VALUE if the campaign does not vary one of the given inputs */
async function rowsOf(
  foray: Foray,
  id: string,
  { inputs = {} }: Query,
  follow = false,
): Promise<{ record: CampaignRecord; rows: Batched<ResultRow> }> {
  const { record, rows } = await foray.results(id, { follow });
  const filters = Object.entries(inputs).map(([name, text]) => ({ name, text }));
  return { record, rows: filtered(record.campaign, rows, filters) };
}

async function textOf(
  foray: Foray,
  id: string,
  format: 'csv' | 'jsonl',
  query: Query,
  follow = false,
): Promise<AsyncIterable<string>> {
  const shape = shapeOf(query);
  const { record, rows } = await rowsOf(foray, id, query, follow);
  return formatResults(format, record.campaign, rows, { ...shape, limit: Infinity, flows: follow });
}

/** @throws ServerError BAD_REQUEST for `show` without `points` */
function shapeOf({ long, points, all, show }: Query): ShapeOptions {
  if (show && !points) throw new ServerError('BAD_REQUEST', 'show needs points.');
  return {
    ...(long !== undefined && { long }),
    ...(points !== undefined && { points }),
    ...(all !== undefined && { all }),
    ...(show && { show }),
  };
}

/** Sends pieces at the speed of the client. When the client disconnects, no more pieces are made. */
function stream(reply: FastifyReply, method: string, type: string, pieces: Parts): FastifyReply {
  void reply.type(type).header('cache-control', 'no-store');
  if (method === 'HEAD') return reply.send(Readable.from([]));
  return reply.send(Readable.from(pieces, { objectMode: false, highWaterMark: 65_536 }));
}
