import type { FastifyInstance } from 'fastify';
import type { Foray } from '../../client/index.ts';
import type { ChosenRuns, RunChoice } from '../live/look.ts';
import { ServerError } from '../problems.ts';
import type { ServerParts } from '../server-parts.ts';
import { orderIn } from './grid.ts';
import { sendPage } from './layout.ts';
import { runsPage } from './runs.ts';
import { viewOf, viewQuery } from './view.ts';

/** Number of runs on a page of the table. */
const ROWS = 200;

/** Maximum number of runs that the thread of the server steps over. Further pages come from the thread of the pictures. */
const MOST_STEPS = 20_000;

interface RunsQuery {
  state?: string;
  order?: string;
  from?: string;
}

/** Adds the route for the table of runs. */
export function addRuns(app: FastifyInstance, { foray, sections }: ServerParts): void {
  app.get<{ Params: { id: string }; Querystring: RunsQuery }>(
    '/campaigns/:id/runs',
    { config: { role: 'read' } },
    async (request, reply) => {
      const { id } = request.params;
      const { state: text, order: ordered, from = '0' } = request.query;
      if (!/^\d{1,15}$/.test(from))
        throw new ServerError('BAD_REQUEST', 'The parameter "from" must be a whole number.');
      const choice = {
        order: orderIn(ordered),
        state: stateIn(text),
        from: Number(from),
        count: ROWS,
      };
      const { inputs } = viewOf(request.url);
      const record = await foray.record(id);
      const isNear = choice.order === null && inputs.length === 0 && choice.from <= MOST_STEPS;
      const found = isNear
        ? await nearRuns(foray, id, choice)
        : await sections.runs(id, { ...choice, inputs });
      const page = await runsPage(record, found, { ...choice, view: viewQuery(request.url) });
      return sendPage(request, reply, page);
    },
  );
}

/** The first pages of runs in the order of the design. They do not wait for pictures that are being drawn. */
async function nearRuns(
  foray: Foray,
  id: string,
  { state, from, count }: Omit<RunChoice, 'inputs'>,
): Promise<ChosenRuns> {
  const { rows } = await foray.runsPage(id, { limit: count, from, status: state });
  const counts = await foray.counts(id);
  return { rows, total: state === undefined ? counts.done + counts.failed : counts[state], without: 0 };
}

function stateIn(text: string | undefined): 'done' | 'failed' | undefined {
  return text === 'done' || text === 'failed' ? text : undefined;
}
