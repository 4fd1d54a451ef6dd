import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Outputs, RunRequest, RunStatus } from '../../src/api/index.ts';
import { advance } from '../../src/activities/advance.ts';
import { stopOpenRuns } from '../../src/activities/stop.ts';
import type { AdvanceInput, World } from '../../src/activities/types.ts';
import type { Campaign } from '../../src/campaign/types.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { startServer, type TestServer } from '../cloud/support.ts';
import { campaign as emptyCampaign } from '../store/fixtures.ts';

/**
 * The protocol by which campaigns claim runs: intent, request, observation, claim. The service is a real HTTP server
 * with the states that a test gives it, so that each answer may be lost at each moment.
 */

const VERSION = 'version';
const output = { name: 'Echo', type: 'DOUBLE', units: null } as const;

let server: TestServer;
let store: Store;
let world: World;
/** The runs that the service has: the status by the value of the input. */
let runs: Map<string, RunStatus>;
/** The requests so far, such as "request 3", "poll 3", "stop 3". */
let asked: string[];
/** What a request does after it was carried out: by its name, as in `asked`. */
let faults: Map<string, 'lose'>;

beforeEach(async () => {
  runs = new Map();
  asked = [];
  faults = new Map();
  server = await startServer();
  server.answer((response, { url, body }) => {
    const [, , , , , , what, id, more] = url.split('/');
    const value = id === undefined || id === 'stop' ? valueOf(body) : decodeURIComponent(id);
    const [name, answer] = answerTo(what!, id, more, value);
    asked.push(name);
    if (faults.get(name) === 'lose') {
      faults.delete(name);
      response.destroy();
    } else if (answer === undefined) response.writeHead(404).end('{"message": "unknown"}');
    else response.writeHead(200).end(JSON.stringify(answer));
  });
  store = await openStore('sqlite::memory:');
  world = { store, cloud: server.client(), service: server.url, now: Date.now };
});
afterEach(() => store.close());

function valueOf(body: Buffer): string {
  const { inputs } = JSON.parse(String(body)) as RunRequest;
  return inputs.find(({ name }) => name === 'Value')!.value as string;
}

function answerTo(
  what: string,
  id: string | undefined,
  more: string | undefined,
  value: string,
): [name: string, answer: unknown] {
  const status = runs.get(value);
  if (what === 'runs' && id === 'stop') {
    runs.set(value, 'STOPPED');
    return [`stop ${value}`, null];
  }
  if (what === 'runs' && more === 'progress') return [`poll ${value}`, status && { status, message: '' }];
  if (what === 'run') return [`find ${value}`, status && runOf(value, status)];
  if (what === 'results') {
    const outputs: Outputs = [
      { aggregationType: 'IDENTITY', inputs: [], outputs: [{ ...output, value: null }], value },
    ];
    return [`results ${value}`, outputs];
  }
  if (status === undefined) runs.set(value, 'FRESH');
  return [`request ${value}`, runOf(value, runs.get(value)!)];
}

function runOf(value: string, status: RunStatus) {
  return { id: value, inputs: [], modelVersionId: VERSION, message: '', outputs: null, status };
}

async function addCampaign(id: string, values: readonly string[]): Promise<Campaign> {
  const campaign: Campaign = {
    ...emptyCampaign(id),
    service: server.url,
    base: [{ name: 'Value', type: 'DOUBLE', units: null, value: '0' }],
    varied: [{ name: 'Value', type: 'DOUBLE', units: null }],
    design: { kind: 'grid', inputs: ['Value'], values: [[...values]] },
    outputs: [output],
  };
  await store.addCampaign({ campaign, definition: '', digest: '' }, Date.now());
  const points = values.map((value, ordinal) => ({ ordinal, key: value, values: [value] }));
  await store.addPoints(id, points, 1);
  await store.setPhase(id, 'running', Date.now());
  return campaign;
}

/** One tick of a campaign. */
async function tickOf(id: string, input: Partial<AdvanceInput>) {
  const record = (await store.getCampaign(id))!;
  const none = { request: [], poll: [], expire: [], resultsFirst: false };
  const whole = {
    campaign: id,
    createdAt: record.createdAt,
    service: server.url,
    store: store.id,
    ...none,
    ...input,
  };
  return advance(world, record, whole, new AbortController().signal);
}

async function rowsOf(id: string) {
  const rows = [];
  for await (const batch of store.results(id).batches) for (const row of batch) rows.push(row);
  return rows;
}

test('a run that is complete at the first request is reused, and another one is new when it completes', async () => {
  await addCampaign('a', ['1', '2']);
  runs.set('1', 'COMPLETED');
  const first = await tickOf('a', { request: [0, 1] });
  expect(first.outcomes).toMatchObject({ reused: [0], queued: [1], new: [] });
  runs.set('2', 'COMPLETED');
  expect((await tickOf('a', { poll: [1] })).outcomes).toMatchObject({ new: [1] });
  expect((await rowsOf('a')).map(({ outputs, origin }) => [outputs.Echo, origin])).toEqual([
    ['1', 'reused'],
    ['2', 'new'],
  ]);
});

test('a run whose answer was lost is new, because its request may have started it', async () => {
  await addCampaign('a', ['1', '2']);
  faults.set('request 1', 'lose');
  expect((await tickOf('a', { request: [0, 1] })).outcomes).toMatchObject({ later: [0], queued: [1] });
  runs.set('1', 'COMPLETED');
  expect((await tickOf('a', { request: [0] })).outcomes).toMatchObject({ new: [0], reused: [] });
});

test('a repeated activity asks nothing about runs that have finished, and reports them again', async () => {
  await addCampaign('a', ['1']);
  runs.set('1', 'COMPLETED');
  await tickOf('a', { request: [0] });
  const before = asked.length;
  expect((await tickOf('a', { request: [0] })).outcomes).toMatchObject({ reused: [0] });
  expect(asked).toHaveLength(before);
});

test('a run that the service no longer knows is requested again', async () => {
  await addCampaign('a', ['1']);
  await tickOf('a', { request: [0] });
  runs.clear();
  expect((await tickOf('a', { poll: [0] })).outcomes).toMatchObject({ queued: [0] });
  expect(asked.filter((name) => name === 'request 1')).toHaveLength(2);
});

test('a run of another campaign is joined: its end is reused, and a cancel of the other campaign leaves it', async () => {
  await addCampaign('a', ['1', '2']);
  await addCampaign('b', ['1']);
  await tickOf('a', { request: [0, 1] });
  await tickOf('b', { request: [0] });
  const { signal } = new AbortController();
  expect(await stopOpenRuns(world, (await store.getCampaign('a'))!, signal)).toEqual({
    stopped: 1,
    kept: 1,
    refused: 0,
  });
  expect(runs).toEqual(
    new Map([
      ['1', 'FRESH'],
      ['2', 'STOPPED'],
    ]),
  );
  runs.set('1', 'COMPLETED');
  expect((await tickOf('b', { poll: [0] })).outcomes).toMatchObject({ reused: [0] });
});

test('a cancelled campaign requests nothing more, and stops a run whose answer was lost', async () => {
  await addCampaign('a', ['1', '2']);
  faults.set('request 1', 'lose');
  await tickOf('a', { request: [0, 1] });
  const { signal } = new AbortController();
  await stopOpenRuns(world, (await store.getCampaign('a'))!, signal);
  expect([...runs.values()]).toEqual(['STOPPED', 'STOPPED']);
  const before = asked.length;
  expect((await tickOf('a', { request: [0, 1] })).outcomes).toMatchObject({
    queued: [],
    new: [],
    reused: [],
  });
  expect(asked).toHaveLength(before);
});

test('if the service gives no usable answer about any run, the activity fails, and Temporal repeats it', async () => {
  await addCampaign('a', ['1', '2']);
  server.say(503, '');
  await expect(tickOf('a', { request: [0, 1] })).rejects.toMatchObject({ kind: 'server' });
});

test('runs that a paused campaign may not request come later, because it may go on before the activity has answered', async () => {
  await addCampaign('paused', ['1', '2', '3']);
  await tickOf('paused', { request: [0] });
  runs.set('1', 'COMPLETED');
  await tickOf('paused', { poll: [0] });
  await store.setPhase('paused', 'paused', Date.now());
  const { outcomes } = await tickOf('paused', { request: [0, 1, 2] });
  expect([outcomes.new, outcomes.later]).toEqual([[0], [1, 2]]);
  expect(asked.filter((name) => name.startsWith('request'))).toEqual(['request 1']);
});
