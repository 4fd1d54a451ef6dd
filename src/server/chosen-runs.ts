import type { FastifyReply } from 'fastify';
import { byName } from '../api/index.ts';
import type { ChosenRuns, RunChoice } from './live/look.ts';
import { goneSignal } from './gone.ts';
import type { ServerParts } from './server-parts.ts';

/**
 * Finished runs of a campaign in an order. A thread reads them, because it reads all runs.
 *
 * @throws ForayError UNKNOWN_CAMPAIGN, UNKNOWN_OUTPUT, INVALID_VALUE, INVALID_EXPRESSION
 * @throws ServerError TOO_MANY, TOO_LARGE
 */
export async function chosenRuns(
  { answers }: Pick<ServerParts, 'answers'>,
  reply: FastifyReply,
  id: string,
  choice: RunChoice,
): Promise<ChosenRuns> {
  const found = await answers.run(reply.request.keyHash!, 'runs', { id, choice }, goneSignal(reply));
  // `byName` takes the prototype away, because an output may be called `constructor`; a message between threads gives
  // every object a prototype again
  return { ...found, rows: found.rows.map((row) => ({ ...row, outputs: byName(row.outputs) })) };
}
