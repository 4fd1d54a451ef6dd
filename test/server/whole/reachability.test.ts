import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Foray } from '../../../src/client/index.ts';
import { OwnKey } from '../../../src/server/keys.ts';
import { type Server, startServer } from '../../../src/server/app.ts';
import { toTheEnd } from '../../support/campaigns.ts';
import { type Proxy, startProxy } from '../../support/proxy.ts';
import { until } from '../../support/until.ts';
import { KEY, startWorld, type World } from '../../support/world.ts';
import { type Answer, ask } from '../support.ts';
import { EPIDEMIC } from '../../service/fixed.ts';

/**
 * Tests pages and API requests while the model service and Temporal do not answer, and pages and forms while the model
 * service and Temporal are down.
 */

let world: World;
let neighbours: Proxy[];
let foray: Foray;
let server: Server;

beforeAll(async () => {
  world = await startWorld({ models: [EPIDEMIC] });
  const address = new URL(`http://${world.environment.address}`);
  neighbours = await Promise.all(
    [world.service.port, Number(address.port)].map((port) => startProxy(port, Math.random)),
  );
  const [service, temporal] = neighbours.map(({ port }) => `127.0.0.1:${port}`);
  const { settings } = world;
  const throughProxies = {
    ...settings,
    service: { ...settings.service, url: settings.service.url.replace(/127\.0\.0\.1:\d+/, service!) },
    temporal: { ...settings.temporal, connectionOptions: { address: temporal! } },
  };
  foray = await Foray.open(throughProxies);
  // on a busy machine, the first attempts to connect may take too long
  await until('both answer', async () => Object.values(await foray.answers()).every(Boolean));
  server = await startServer({ foray, settings: throughProxies, keys: new OwnKey(KEY, 'somebody') });
});
afterAll(async () => {
  await server.close();
  await foray.close();
  await Promise.all(neighbours.map((proxy) => proxy.close()));
  await world.close();
});

const headers = { authorization: `Bearer ${KEY}`, accept: 'text/html' };
const scripts = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
const page = (path: string): Promise<Answer> => ask(server.url + path, { headers });

const SILENT = [/The model service has not answered since/, /Temporal has not answered since/];

test('every page says which part is unreachable and since when, and shows the data of the store; requests that need the part are refused', async () => {
  const submit = async (id: string): Promise<void> => {
    const text = `campaign: ${id}\nmodel: {name: Epidemic}\ndesign: {grid: {Days: [10, 20]}}\n`;
    await foray.submit({ text, file: 'campaign.yaml' }, { id });
  };
  const stopWorker = await world.startWorker();
  for (const id of ['one', 'other']) await submit(id);
  for (const id of ['one', 'other']) expect((await toTheEnd({ foray }, id)).phase).toBe('completed');
  await stopWorker();
  // no worker works on this campaign
  await submit('open');
  const shown = {
    '/': 'href="/campaigns/open"',
    '/campaigns/open': '<h1>open</h1>',
    '/campaigns/one': '2 of 2 runs',
    '/campaigns/open/live': '"id":"status"',
    '/campaigns/open/runs': 'No run matches.',
    '/campaigns/open/failures': 'No run has failed.',
    '/campaigns/open/definition': 'name: Epidemic',
    '/campaigns/open/downloads': 'results.csv',
    '/compare?id=one&id=other': 'href="/campaigns/other"',
    '/models': 'href="/models/Epidemic"',
    '/models/Epidemic': 'Try one run',
    '/new': '>Epidemic</option>',
    '/new?model=Epidemic': 'Contact rate',
  };
  const since = async (isAway: boolean): Promise<string[]> => {
    const told: string[] = [];
    for (const [path, what] of Object.entries(shown)) {
      // on a busy machine, a check may miss an answer that comes late
      const body = await until(
        `${path} ${isAway ? 'shows' : 'does not show'} that both are away`,
        async () => {
          const { status, body } = await page(path);
          expect([path, status, body]).toEqual([path, 200, expect.stringContaining(what)]);
          return SILENT.every((silent) => silent.test(body) === isAway) && body;
        },
      );
      told.push(...(body.match(/since\s+[-\d: ]+ UTC/g) ?? []));
    }
    return told.map((text) => text.replaceAll(/\s+/g, ' '));
  };
  await since(false);

  await Promise.all(neighbours.map((proxy) => proxy.spoil('black hole')));
  // the server refuses the first request after ten seconds; it does not wait for the client's timeout of a minute
  const definition = 'model: {name: Epidemic}\ndesign: {grid: {Days: [10]}}\n';
  const refused = {
    'GET /models': 'SERVICE_UNREACHABLE',
    'GET /models/Epidemic': 'SERVICE_UNREACHABLE',
    'POST /plan': 'SERVICE_UNREACHABLE',
    'PUT /campaigns/new': 'SERVICE_UNREACHABLE',
    'PUT /campaigns/open/definition': 'SERVICE_UNREACHABLE',
    'POST /campaigns/one/retry': 'SERVICE_UNREACHABLE',
    'POST /campaigns/open/pause': 'TEMPORAL_UNREACHABLE',
    'POST /campaigns/open/cancel': 'TEMPORAL_UNREACHABLE',
  };
  for (const [asked, code] of Object.entries(refused)) {
    const [method, path] = asked.split(' ') as [string, string];
    const isDefinition = /plan|definition|^PUT/.test(asked);
    const body = method === 'GET' ? undefined : isDefinition ? definition : '{}';
    const answer = await ask(`${server.url}/api/v1${path}`, { method, headers: scripts, body });
    const { detail, ...problem } = JSON.parse(answer.body) as Record<string, unknown>;
    expect([asked, answer.status, problem['code']]).toEqual([asked, 503, code]);
    expect([asked, detail]).toEqual([asked, expect.stringContaining('does not answer')]);
  }
  const known = await ask(`${server.url}/api/v1/campaigns`, { headers: scripts });
  expect([known.status, JSON.parse(known.body)]).toMatchObject([200, [{}, {}, {}]]);
  const areAway = async () => {
    const { body } = await page('/');
    return SILENT.every((silent) => silent.test(body));
  };
  await until('the page shows that both parts do not answer', areAway);
  const frozen = await since(true);
  // the page keeps the time at which the part became unreachable
  await Promise.all(neighbours.map((proxy) => proxy.spoil('down')));
  expect(await since(true)).toEqual(frozen);

  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
  const send = (path: string, body = '') => ask(server.url + path, { method: 'POST', headers: form, body });
  expect(await send('/campaigns/open/pause')).toMatchObject({
    status: 503,
    body: expect.stringContaining('Temporal does not answer, so nothing was changed.'),
  });
  const fields = new URLSearchParams({ definition: 'campaign: x', do: 'start' }).toString();
  expect(await send('/new', fields)).toMatchObject({
    status: 422,
    body: expect.stringContaining('The model service does not answer.'),
  });

  await Promise.all(neighbours.map((proxy) => proxy.heal()));
  await until('the page shows that both parts answer again', async () => {
    const { body } = await page('/');
    return !SILENT.some((silent) => silent.test(body));
  });
  await since(false);
});
