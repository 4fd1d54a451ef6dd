import type { FastifyInstance } from 'fastify';
import { chosenRuns } from '../chosen-runs.ts';
import { runsOfDesign } from '../live/runs.ts';
import { ServerError } from '../server-error.ts';
import type { ServerParts } from '../server-parts.ts';
import { orderIn } from './grid.ts';
import { read, sendPage } from './layout.ts';
import { runsPage } from './runs.ts';
import { viewOf, viewQuery } from './view.ts';

/** Number of runs on a page of the table. */
const ROWS = 200;

/**
 * The maximum number of runs that the database skips before a page that the server's own thread reads. Another thread
 * reads the other pages.
 */
const MOST_STEPS = 20_000;

interface RunsQuery {
  state?: string;
  order?: string;
  from?: string;
}

export function addRuns(app: FastifyInstance, parts: ServerParts): void {
  const { foray } = parts;
  app.get<{ Params: { id: string }; Querystring: RunsQuery }>(
    '/campaigns/:id/runs',
    read,
    async (request, reply) => {
      const { id } = request.params;
      const { state, order, from = '0' } = request.query;
      if (!/^\d{1,15}$/.test(from))
        throw new ServerError('BAD_REQUEST', 'The parameter "from" must be a whole number.');
      const choice = {
        order: orderIn(order),
        state: stateIn(state),
        from: Number(from),
        count: ROWS,
      };
      const { inputs } = viewOf(request.url);
      const record = await foray.record(id);
      const isNear = choice.order === null && inputs.length === 0 && choice.from <= MOST_STEPS;
      const found = isNear
        ? await runsOfDesign(foray, id, choice)
        : await chosenRuns(parts, reply, id, { ...choice, inputs });
      const page = await runsPage(record, found, { ...choice, view: viewQuery(request.url) });
      return sendPage(request, reply, page);
    },
  );
}

function stateIn(text: string | undefined): 'done' | 'failed' | undefined {
  return text === 'done' || text === 'failed' ? text : undefined;
}
