import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { ResultRow } from '../../store/index.ts';
import { filterOf } from '../live/filter.ts';
import type { ServerParts } from '../server-parts.ts';
import { placeIn, placeText } from '../result-place.ts';
import { sendPage } from './layout.ts';
import { orderIn, runsPage } from './runs.ts';
import { viewOf, viewQuery } from './view.ts';

/** Number of runs on a page of the table. */
const ROWS = 200;
/** The approximate limit of runs that are read for a page. So a page is fast even if few runs pass its filters. */
const MOST_READ = 10_000;

interface RunsQuery {
  after?: string;
  state?: string;
  order?: string;
  from?: string;
}

/** Adds the route for the table of runs. Runs are ordered by the design, by their end, or by an output. */
export function addRuns(app: FastifyInstance, { foray, sections }: ServerParts): void {
  app.get<{ Params: { id: string }; Querystring: RunsQuery }>(
    '/campaigns/:id/runs',
    { config: { role: 'read' } },
    async (request, reply) => {
      const { id } = request.params;
      const { after, state = '', order: text = '' } = request.query;
      const view = viewQuery(request.url);
      const { inputs } = viewOf(request.url);
      const shown = { order: text, state, view };
      const record = await foray.record(id);
      const isWanted = filterOf(record.campaign, inputs);
      const send = async (rows: ResultRow[], next: Record<string, string> | null) => {
        const query = next && new URLSearchParams([...Object.entries(next), ...view]).toString();
        return sendPage(request, reply, await runsPage(record, rows, query, shown));
      };
      const order = orderIn(text);
      if (order === 'last') {
        const { rows } = await foray.recentRows(id);
        return send(
          rows.filter(({ values }) => isWanted(values)),
          null,
        );
      }
      if (order !== '') {
        const from = Math.max(0, Number.parseInt(request.query.from ?? '0', 10) || 0);
        // an additional row shows whether there is a next page
        const rows = await sections.extremeRuns(id, { ...order, inputs, from, count: ROWS + 1 });
        const next = { order: text, from: String(from + ROWS) };
        return send(rows.slice(0, ROWS), rows.length > ROWS ? next : null);
      }
      const status = state === 'done' || state === 'failed' ? state : undefined;
      const rows: ResultRow[] = [];
      let place = placeIn(after) ?? null;
      let read = 0;
      do {
        const page = await foray.runsPage(id, { limit: ROWS, after: place ?? undefined, status });
        rows.push(...page.rows.filter(({ values }) => isWanted(values)));
        place = page.next;
        read += page.rows.length;
        // the server can handle other requests here
        await setImmediate();
      } while (place && rows.length < ROWS && read < MOST_READ);
      return send(rows, place && { after: placeText(place), state });
    },
  );
}
