import { ApplicationFailure } from '@temporalio/common';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Activities } from '../../src/activities/index.ts';
import { closedStatus, toTheEnd, untilRunning } from '../support/campaigns.ts';
import { type Asked, type FaultyService, pass, startFaultyService } from '../support/faulty-service.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';

let world: World;
let front: FaultyService;
/** Makes the next ticks of this campaign fail, as a request does that the service refuses as wrong. */
let refused: string | undefined;
beforeAll(async () => {
  world = await startWorld({
    executors: 4,
    through: async (service) => (front = await startFaultyService(service)),
  });
  await world.startWorker({
    spoil: (real: Activities) => ({
      ...real,
      advance: (input) => {
        if (input.campaign !== refused) return real.advance(input);
        return Promise.reject(ApplicationFailure.nonRetryable('The inputs are refused.', 'REQUEST_REFUSED'));
      },
    }),
  });
});
afterAll(() => world.close());
afterEach(() => {
  front.plan = pass;
  refused = undefined;
});

function refuse(isRefused: (asked: Asked) => boolean): void {
  const body = JSON.stringify({ code: 'INVALID_VALUE', message: 'No, never.' });
  front.plan = (asked) => (isRefused(asked) ? { kind: 'answer', status: 400, body } : pass());
}
const isStop = ({ path }: Asked): boolean => path.endsWith('/runs/stop');

test('a campaign that fails stops its own runs, and leaves those that another campaign waits for', async () => {
  const failing = await world.foray.submit(rehearsal({ count: 3, seconds: 600, first: 10 }));
  const other = await world.foray.submit(rehearsal({ count: 1, seconds: 600, first: 10 }), { id: 'other' });
  await untilRunning(world, other.id);
  refused = failing.id;
  const { phase, note } = await toTheEnd(world, failing.id);
  expect({ phase, note }).toEqual({
    phase: 'failed',
    note: 'The inputs are refused.; 2 runs stopped, 1 left to other campaigns',
  });
  expect(await closedStatus(world, failing.id)).toBe('FAILED');
  expect(await world.statusesAtService(failing.id)).toEqual({ RUNNING: 1, STOPPED: 2 });
  await world.foray.cancel(other.id);
  await toTheEnd(world, other.id);
  expect(await world.statusesAtService(other.id)).toEqual({ STOPPED: 1 });
});

test('a cancel ends a campaign whose runs the service refuses to stop, and says so', async () => {
  const { id } = await world.foray.submit(rehearsal({ count: 2, seconds: 600, first: 30 }));
  await untilRunning(world, id);
  refuse(isStop);
  await world.foray.cancel(id);
  expect(await toTheEnd(world, id)).toMatchObject({
    phase: 'cancelled',
    note: 'cancelled by a signal; 0 runs stopped, 2 that the service refuses to stop',
  });
});

test('a run that has taken too long is given up, even if the service refuses to stop it', async () => {
  refuse(isStop);
  const more = 'timeouts: {run: 1}';
  const { id } = await world.foray.submit(rehearsal({ count: 1, seconds: 600, first: 40, more }));
  expect(await toTheEnd(world, id)).toMatchObject({ phase: 'completed', runs: { failed: 1 } });
  expect((await world.rows(id))[0]!.reason).toBe('timed out: the run had not finished 1 s after its start');
});

test('a change that the service refuses is answered, and the campaign goes on', async () => {
  const definition = rehearsal({ count: 1, seconds: 600, first: 50 });
  const { id } = await world.foray.submit(definition);
  await untilRunning(world, id);
  refuse(({ path }) => !path.endsWith('/progress'));
  const handle = world.environment.client.workflow.getHandle(id);
  const text = `${definition.text}\nconcurrency: 3\n`;
  await expect(handle.executeUpdate('apply', { args: [text] })).rejects.toMatchObject({
    cause: { message: expect.stringContaining('No, never.'), type: 'REQUEST_REFUSED' },
  });
  expect(await world.foray.status(id)).toMatchObject({ phase: 'running', runs: { running: 1 } });
  front.plan = pass;
  await world.foray.cancel(id);
  await toTheEnd(world, id);
});
