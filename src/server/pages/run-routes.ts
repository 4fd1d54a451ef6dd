import type { FastifyInstance } from 'fastify';
import type { ServerParts } from '../parts.ts';
import { placeIn, placeText } from '../rows.ts';
import { sendPage } from './layout.ts';
import { orderIn, runsPage } from './runs.ts';

/** Runs on a page of the table. */
const ROWS = 200;

interface Query {
  after?: string;
  state?: string;
  order?: string;
  from?: string;
}

/** The table of runs, in the order of the design, of their end or of an output. */
export function addRuns(app: FastifyInstance, { foray, sections }: ServerParts): void {
  app.get<{ Params: { id: string }; Querystring: Query }>(
    '/campaigns/:id/runs',
    { config: { role: 'read' } },
    async (request, reply) => {
      const { id } = request.params;
      const { after, state = '', order: text = '' } = request.query;
      const shown = { order: text, state };
      const order = orderIn(text);
      if (order === 'last') {
        const { rows } = await foray.recentRows(id);
        return sendPage(request, reply, await runsPage(await foray.record(id), rows, null, shown));
      }
      if (order !== '') {
        const record = await foray.record(id);
        const from = Math.max(0, Number.parseInt(request.query.from ?? '0', 10) || 0);
        // one more tells whether there is a next page
        const rows = await sections.extremeRuns(id, { ...order, from, count: ROWS + 1 });
        const next = new URLSearchParams({ order: text, from: String(from + ROWS) }).toString();
        return sendPage(
          request,
          reply,
          await runsPage(record, rows.slice(0, ROWS), rows.length > ROWS ? next : null, shown),
        );
      }
      const { record, rows, next } = await foray.runsPage(id, {
        limit: ROWS,
        after: placeIn(after),
        status: state === 'done' || state === 'failed' ? state : undefined,
      });
      const query = next && new URLSearchParams({ after: placeText(next), state }).toString();
      return sendPage(request, reply, await runsPage(record, rows, query, shown));
    },
  );
}
