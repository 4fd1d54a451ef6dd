import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { callsOf, type NoticeMessage } from '../../src/campaign/notice.ts';
import { cancelWithoutWorker } from '../../src/client/cancel-without-worker.ts';
import { closedStatus, toTheEnd } from '../support/campaigns.ts';
import { seeded } from '../support/durations.ts';
import { report } from '../support/seeds.ts';
import { leaksIn } from '../support/spellings.ts';
import { until } from '../support/until.ts';
import { type Receiver, receiver } from '../support/webhook.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';
import { failing } from './failing.ts';

const SECRET = `whsec_${Buffer.from('a canary that nobody else may ever read').toString('base64')}`;

let world: World;
let notices: string;
/** Receivers of this file. */
const receivers: Receiver[] = [];

async function listening(answer?: (id: string) => number): Promise<Receiver> {
  const made = await receiver(SECRET, answer);
  receivers.push(made);
  await made.start();
  return made;
}

function writeNotices(content: Record<string, object>): void {
  writeFileSync(notices, stringify(content));
  chmodSync(notices, 0o600);
}

beforeAll(async () => {
  world = await startWorld();
  notices = join(world.folder, 'notices.yaml');
  writeNotices({});
  await world.startWorker({ notices });
});
afterAll(async () => {
  await world.close();
  for (const each of receivers) await each.kill();
});

/** The lines that the command of a notice has written. */
function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

/** The history of each workflow of the Temporal server, as text. */
async function histories(): Promise<string> {
  const { client } = world.environment;
  const texts: string[] = [];
  for await (const { workflowId, runId } of client.workflow.list())
    texts.push(JSON.stringify(await client.workflow.getHandle(workflowId, runId).fetchHistory()));
  return texts.join('\n');
}

describe('notices', () => {
  test('tell the first failure, each pause and the end of a campaign, each event once and signed', async () => {
    const hook = await listening();
    const file = join(world.folder, 'told.jsonl');
    writeNotices({
      team: { url: hook.url, secret: SECRET },
      desk: { command: ['sh', '-c', `cat >> ${file}; test -z "$FORAY_API_KEY"`] },
    });
    const source = failing('noticed', { first: 1, count: 6, more: 'concurrency: 1\nnotify: [team, desk]' });
    const { id } = await world.foray.submit(source);
    await world.foray.steer(id, 'pause', 'lunch');
    await until('the pause is told', () =>
      hook.deliveries.some(({ message }) => message.type === 'campaign.paused'),
    );
    await world.foray.steer(id, 'resume');
    const { runs } = await toTheEnd(world, id);
    await until('the end is told', () =>
      hook.deliveries.some(({ message }) => message.type === 'campaign.ended'),
    );
    const of = (type: string): NoticeMessage[] =>
      hook.deliveries.map(({ message }) => message).filter((message) => message.type === type);
    expect(hook.deliveries).toHaveLength(3);
    expect(hook.deliveries.every(({ isGenuine }) => isGenuine)).toBe(true);
    expect(hook.deliveries.every(({ id: header, message }) => header === message.id)).toBe(true);
    expect(of('campaign.paused')[0]!.data).toMatchObject({
      campaign: id,
      phase: 'paused',
      note: 'paused: lunch',
    });
    expect(of('campaign.first_failure')[0]!.data).toMatchObject({
      failure: { sample: { reason: expect.any(String) } },
    });
    expect(of('campaign.ended')[0]!.data).toMatchObject({
      phase: 'completed',
      runs: { total: 6, failed: 6 },
    });
    expect(runs.failed).toBe(6);
    await until('the command has run for each event', () => linesOf(file).length === 3);
    const printed = linesOf(file).map((line) => JSON.parse(line) as NoticeMessage);
    expect(printed.map(({ id: event }) => event).sort()).toEqual(hook.deliveries.map((one) => one.id).sort());
  });

  test('reach a receiver that was killed when it is back, once, and the campaign does not wait for it', async () => {
    const hook = await listening();
    await hook.kill();
    writeNotices({ team: { url: hook.url, secret: SECRET } });
    const { id } = await world.foray.submit(rehearsal({ count: 2, first: 100, more: 'notify: team' }));
    await toTheEnd(world, id);
    // the campaign has ended, and the notice has not arrived
    expect(await closedStatus(world, id)).toBe('COMPLETED');
    const notice = await until('a call has failed', async () => {
      for await (const workflow of world.environment.client.workflow.list({
        query: 'WorkflowType = "notice"',
      })) {
        const handle = world.environment.client.workflow.getHandle(workflow.workflowId);
        const { raw, status } = await handle.describe();
        const failure = raw.pendingActivities?.[0]?.lastFailure;
        if (status.name === 'RUNNING' && failure && workflow.workflowId.includes(id))
          return { handle, failure };
      }
      return undefined;
    });
    expect(notice.failure.message).toBe('The notice "team" got no answer (ECONNREFUSED).');
    await hook.start();
    await until('the notice arrives', () => hook.taken().length > 0);
    await notice.handle.result();
    expect(hook.deliveries.map(({ message }) => message.type)).toEqual(['campaign.ended']);
    expect(hook.deliveries[0]!.isGenuine).toBe(true);
  });

  test('of 25 events arrive once each, by their ids, although 30 % of the answers fail', async () => {
    const random = seeded(45);
    const hook = await listening(() =>
      random() < 0.3 ? [0, 429, 500, 503][Math.floor(random() * 4)]! : 204,
    );
    writeNotices({ team: { url: hook.url, secret: SECRET } });
    const EVENTS = 25;
    const { id } = await world.foray.submit(rehearsal({ count: 1, first: 200 }));
    const { runs } = await toTheEnd(world, id);
    const data = { campaign: id, phase: 'paused', points: 1, runs, note: '', failure: null } as const;
    for (let event = 0; event < EVENTS; event += 1)
      await world.foray['context'].temporal.call(
        'startNotices',
        callsOf(['team'], 'campaign.paused', { ...data, id: crypto.randomUUID(), now: Date.now() }),
      );
    const ids = (): Set<string> => new Set(hook.taken().map((one) => one.id));
    await until('each event has arrived', () => ids().size === EVENTS);
    await until('no call is open', async () => {
      const query = `WorkflowType = "notice" AND ExecutionStatus = "Running"`;
      return (await world.environment.client.workflow.count(query)).count === 0;
    });
    expect(ids().size).toBe(EVENTS);
    // a success ends the calls for an event
    expect(hook.taken()).toHaveLength(EVENTS);
    expect(hook.deliveries.every(({ isGenuine }) => isGenuine)).toBe(true);
    const failed = hook.deliveries.length - EVENTS;
    report(
      `notices: ${EVENTS} of ${EVENTS} events arrived once; ${failed} of ${hook.deliveries.length} calls failed`,
    );
    expect(failed / hook.deliveries.length).toBeGreaterThan(0.2);
  });

  test('a name that the worker does not have holds a campaign at its start, and the status says why', async () => {
    writeNotices({ team: { command: ['true'] } });
    const { id } = await world.foray.submit(rehearsal({ count: 1, first: 300, more: 'notify: teem' }));
    const status = await until('the status says why', async () => {
      const now = await world.foray.status(id);
      return now.blocked !== undefined && now.blocked !== null && now;
    });
    expect(JSON.stringify(status)).toContain('has no notice \\"teem\\". Did you mean \\"team\\"?');
    writeNotices({ teem: { command: ['true'] } });
    expect((await toTheEnd(world, id)).phase).toBe('completed');
  });

  test('names come from the definition or the setting, and a change keeps them unless it has others', async () => {
    const file = join(world.folder, 'changed.jsonl');
    const append = { command: ['sh', '-c', `cat >> ${file}`] };
    writeNotices({ one: append, two: append });
    world.settings.notify = ['one'];
    const { id } = await world.foray.submit(rehearsal({ count: 1, first: 400 }));
    delete world.settings.notify;
    const notify = async (): Promise<unknown> => (await world.foray.results(id)).record.campaign.notify;
    await toTheEnd(world, id);
    expect(await notify()).toEqual(['one']);
    await closedStatus(world, id);
    await world.foray.apply(id, rehearsal({ count: 2, first: 400 }));
    expect(await notify()).toEqual(['one']);
    await toTheEnd(world, id);
    await closedStatus(world, id);
    await world.foray.apply(id, rehearsal({ count: 3, first: 400, more: 'notify: [two]' }));
    expect(await notify()).toEqual(['two']);
    await expect(
      world.foray.apply(id, rehearsal({ count: 4, first: 400, more: 'notify: three' })),
    ).rejects.toMatchObject({ code: 'UNKNOWN_NOTICE' });
    await toTheEnd(world, id);
    await until('each end is told', () => linesOf(file).length === 3);
  });

  test('named twice in the setting are called once, and a setting that has no name is refused', async () => {
    const hook = await listening();
    writeNotices({ team: { url: hook.url, secret: SECRET } });
    world.settings.notify = ['team', 'team'];
    try {
      const { id } = await world.foray.submit(rehearsal({ count: 1, first: 700 }));
      expect((await toTheEnd(world, id)).phase).toBe('completed');
      expect((await world.foray.results(id)).record.campaign.notify).toEqual(['team']);
      await until('the end is told', () => hook.taken().length === 1);
      for (const wrong of [['team', ''], ['a b'], Array.from({ length: 11 }, (_, at) => `n${at}`)]) {
        world.settings.notify = wrong;
        await expect(world.foray.submit(rehearsal({ count: 1, first: 701 }))).rejects.toMatchObject({
          code: 'USAGE',
        });
      }
    } finally {
      delete world.settings.notify;
    }
  });

  test('that exist already do not fail their campaign', async () => {
    writeNotices({});
    const { id, runId } = await world.foray.submit(
      rehearsal({ count: 1, first: 710, more: 'notify: [one, two]' }),
    );
    const file = join(world.folder, 'existing.jsonl');
    // the end has this id; nobody works on this task queue, so the workflow stays open
    await world.environment.client.workflow.start('notice', {
      workflowId: `notice/${id}/${runId}/one`,
      taskQueue: 'nobody',
      args: [],
    });
    const append = { command: ['sh', '-c', `cat >> ${file}`] };
    writeNotices({ one: append, two: append });
    expect((await toTheEnd(world, id)).phase).toBe('completed');
    expect(await closedStatus(world, id)).toBe('COMPLETED');
    await until('the other name is told', () => linesOf(file).length === 1);
    await world.environment.client.workflow.getHandle(`notice/${id}/${runId}/one`).terminate();
  });

  test('tell the end of a campaign that no worker ends, also if a worker has closed it and then died, and follow the current build', async () => {
    const other = await startWorld({ beside: world });
    try {
      const hook = await listening();
      const file = join(other.folder, 'notices.yaml');
      writeFileSync(file, stringify({ team: { url: hook.url, secret: SECRET } }), { mode: 0o600 });
      const { context } = other.foray as unknown as { context: Parameters<typeof cancelWithoutWorker>[0] };
      const submit = (first: number) =>
        other.foray.submit(rehearsal({ count: 1, first, more: 'notify: team' }));
      const closed = await submit(720);
      const call = context.temporal.call.bind(context.temporal);
      context.temporal.call = async (name, ...given) => {
        const answer = await call(name, ...given);
        if (name === 'terminate')
          await context.store.setPhase(closed.id, 'completed', Date.now(), 'by a worker');
        return answer;
      };
      await cancelWithoutWorker(context, closed.id);
      context.temporal.call = call;
      const open = await submit(721);
      await cancelWithoutWorker(context, open.id, 'enough');
      expect((await other.foray.status(open.id)).phase).toBe('cancelled');
      await other.startWorker({ notices: file, buildId: 'notices-1' });
      await until('both ends are told', () => hook.taken().length === 2);
      const told = new Map(hook.taken().map(({ id, message }) => [id, message.data]));
      expect(told.get(closed.runId)).toMatchObject({ phase: 'completed', note: 'by a worker' });
      expect(told.get(open.runId)).toMatchObject({
        phase: 'cancelled',
        note: expect.stringContaining('enough'),
      });

      const { id } = await submit(722);
      await toTheEnd(other, id);
      await until('the third end is told', () => hook.taken().length === 3);
      const { client } = world.environment;
      const { id: event } = hook.taken()[2]!;
      const { raw } = await client.workflow.getHandle(`notice/${id}/${event}/team`).describe();
      // 2 is AUTO_UPGRADE
      expect(raw.workflowExecutionInfo?.versioningInfo?.behavior).toBe(2);
    } finally {
      await other.close();
    }
  });

  test('that Temporal refuses do not keep others from their start, and the same event starts once', async () => {
    const file = join(world.folder, 'refused.jsonl');
    writeNotices({ team: { command: ['sh', '-c', `cat >> ${file}`] } });
    const { id, runId } = await world.foray.submit(rehearsal({ count: 1, first: 730 }));
    const { runs } = await toTheEnd(world, id);
    const data = { campaign: id, phase: 'completed', points: 1, runs, note: '', failure: null } as const;
    const { temporal } = world.foray['context'];
    // a workflow id has at most 1,000 characters
    const calls = callsOf(['x'.repeat(2_000), 'team'], 'campaign.ended', {
      ...data,
      id: runId,
      now: Date.now(),
    });
    await expect(temporal.call('startNotices', calls)).rejects.toMatchObject({ code: 'TEMPORAL_REFUSED' });
    const handle = world.environment.client.workflow.getHandle(`notice/${id}/${runId}/team`);
    await handle.result();
    await temporal.call('startNotices', calls.slice(1));
    await handle.result();
    expect(linesOf(file)).toHaveLength(1);
    expect((await handle.describe()).historyLength).toBeGreaterThan(0);
  });

  test('leave no secret and no address in a history, the store or an error', async () => {
    const hook = await listening(() => 500);
    writeNotices({ team: { url: hook.url, secret: SECRET } });
    const { id } = await world.foray.submit(rehearsal({ count: 1, first: 500, more: 'notify: team' }));
    await toTheEnd(world, id);
    await until('a call has failed', () => hook.deliveries.length > 0);
    const files = readdirSync(world.folder).filter((name) => name.startsWith('store.db'));
    const store = files.map((name) => readFileSync(join(world.folder, name), 'latin1')).join('\n');
    expect(store).toContain(id);
    const history = await histories();
    for (const secret of [SECRET, SECRET.slice('whsec_'.length), 'canary-in-the-address', hook.url]) {
      expect(leaksIn(store, secret)).toEqual([]);
      expect(leaksIn(history, secret)).toEqual([]);
    }
  });
});
