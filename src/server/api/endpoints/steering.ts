import * as z from 'zod';
import { MOST_FLIGHTS } from '../../../campaign/scheduler/index.ts';
import type { Endpoint } from './endpoint.ts';
import { Status, Change, oneOf, Reason, CAMPAIGN } from './schemas.ts';

export const steeringEndpoints = {
  pause: {
    method: 'POST',
    path: `${CAMPAIGN}/pause`,
    role: 'steer',
    needs: ['temporal'],
    summary: 'Requests no new runs; requested runs go on.',
    body: Reason,
    answer: Status,
  },
  resume: {
    method: 'POST',
    path: `${CAMPAIGN}/resume`,
    role: 'steer',
    needs: ['temporal'],
    summary: 'Lets a paused campaign go on.',
    body: Reason,
    answer: Status,
  },
  stop: {
    method: 'POST',
    path: `${CAMPAIGN}/stop`,
    role: 'steer',
    needs: ['temporal'],
    summary: 'Ends the campaign when its requested runs have finished.',
    body: Reason,
    answer: Status,
  },
  cancel: {
    method: 'POST',
    path: `${CAMPAIGN}/cancel`,
    role: 'steer',
    needs: ['temporal'],
    summary: 'Ends the campaign and stops its runs. Finished results stay.',
    body: Reason,
    answer: Status,
  },
  retry: {
    method: 'POST',
    path: `${CAMPAIGN}/retry`,
    role: 'steer',
    needs: ['service', 'temporal'],
    summary: 'Requests failed and missing runs again, or only failed runs with one cause.',
    body: z
      .strictObject({
        what: z
          .union(
            [oneOf(['all', 'failed', 'missing']), z.strictObject({ cause: z.string() })],
            'expected all, failed, missing or {"cause": TEXT}',
          )
          .default('all'),
        version: z
          .union([z.int().positive(), z.literal('latest')], 'expected the number of a version, or latest')
          .optional(),
      })
      .default({ what: 'all' }),
    answer: Change,
  },
  setConcurrency: {
    method: 'PUT',
    path: `${CAMPAIGN}/concurrency`,
    role: 'steer',
    needs: ['temporal'],
    summary: 'Sets how many runs may be requested at once.',
    body: z.strictObject({
      concurrency: z.union(
        [z.int().min(1).max(MOST_FLIGHTS), z.literal('auto')],
        `expected a whole number from 1 to ${MOST_FLIGHTS.toLocaleString('en-US')}, or auto`,
      ),
    }),
    answer: Status,
  },
} as const satisfies Record<string, Endpoint>;
