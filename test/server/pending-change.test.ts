import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Activities } from '../../src/activities/index.ts';
import type { Server } from '../../src/server/app.ts';
import { KEY, startWorld, type World } from '../support/world.ts';
import { until } from '../support/until.ts';
import { ask, serverOf } from './support.ts';

/** A change that a worker has taken up and cannot make: it has an answer in time, and an end. */

let world: World;
let server: Server;
let held = Promise.withResolvers<void>();
/** The attempts to make a change that have begun. */
let begun = 0;

const hold = (activities: Activities): Activities => ({
  ...activities,
  async change(input) {
    begun += 1;
    await held.promise;
    return activities.change(input);
  },
});

beforeAll(async () => {
  world = await startWorld();
  await world.startWorker({ spoil: hold });
  server = await serverOf(world);
});
afterEach(() => {
  held.resolve();
  held = Promise.withResolvers();
});
afterAll(async () => {
  held.resolve();
  await server.close();
  await world.close();
});

const definition = (values: number[]): string =>
  `campaign: pending\nmodel: {name: Rehearsal}\ndesign: {grid: {Value: [${values.join()}]}}\n`;
const source = (values: number[]) => ({ text: definition(values), file: 'campaign.yaml' });

async function completed(id: string): Promise<void> {
  await until(`${id} is completed`, async () => (await world.foray.record(id)).phase === 'completed');
}
const workflowOf = (id: string) => world.environment.client.workflow.getHandle(id);

test('a change that is not made in time is answered over HTTP; a later change is answered, too', async () => {
  const { foray } = world;
  await foray.submit(source([1, 2]), { id: 'late' });
  await completed('late');
  const put = (values: number[]) =>
    ask(`${server.url}/api/v1/campaigns/late/definition`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${KEY}` },
      body: definition(values),
    });
  const answers = await Promise.all([put([1, 2, 3]), put([1, 2, 3, 4])]);
  for (const { status, body } of answers) {
    expect(status).toBe(202);
    expect(JSON.parse(body)).toMatchObject({
      code: 'CHANGE_PENDING',
      detail: expect.stringContaining('The change of the campaign "late" is accepted, and not made yet'),
      hint: expect.stringContaining('"foray cancel late" gives it up'),
    });
  }
  held.resolve();
  await until('both changes are made', async () => (await foray.record('late')).points === 4);
  await completed('late');
});

test('a cancel of a closed campaign gives up a change that is not made; the campaign stays as it was, and may be changed again', async () => {
  const { foray } = world;
  await foray.submit(source([1, 2]), { id: 'given-up' });
  await completed('given-up');
  await workflowOf('given-up').result();
  const before = begun;
  const changed = foray.apply('given-up', source([1, 2, 3])).catch((error: unknown) => error);
  await until('a worker has taken up the change', () => begun > before);
  const page = (path = '') =>
    ask(`${server.url}/campaigns/given-up${path}`, { headers: { authorization: `Bearer ${KEY}` } });
  await until('the page has the button', async () =>
    (await page()).body.includes('href="/campaigns/given-up/cancel">Give up the change'),
  );
  expect((await page('/live')).body).toContain('Give up the change');
  expect((await page('/cancel')).body).toContain('The change is not made, and the campaign stays as it is.');
  await foray.cancel('given-up');
  expect((await workflowOf('given-up').describe()).status.name).not.toBe('RUNNING');
  expect(await foray.record('given-up')).toMatchObject({ phase: 'completed', points: 2 });
  await expect(foray.cancel('given-up')).rejects.toMatchObject({ code: 'CAMPAIGN_CLOSED' });
  await until('the page has no such button', async () => !(await page()).body.includes('Give up the change'));
  held.resolve();
  held = Promise.withResolvers();
  held.resolve();
  expect(await changed).toMatchObject({ code: 'CAMPAIGN_CLOSED' });
  expect(await foray.apply('given-up', source([1, 2, 5]))).toMatchObject({ wasClosed: true });
  await completed('given-up');
});
