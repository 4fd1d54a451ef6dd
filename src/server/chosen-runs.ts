import type { FastifyReply } from 'fastify';
import { byName } from '../api/index.ts';
import type { ChosenRuns, RunChoice } from './live/look.ts';
import type { ServerParts } from './server-parts.ts';

/**
 * The finished runs of a campaign that a choice selects, in its order. A thread finds them, because all runs of the
 * campaign are read.
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
  // the jobs of a key are limited, and a job ends when its client is gone
  const found = await answers.runFor(reply, 'runs', { id, choice });
  // the message from the thread has given the objects a prototype again, and an output may be called `constructor`
  return { ...found, rows: found.rows.map((row) => ({ ...row, outputs: byName(row.outputs) })) };
}
