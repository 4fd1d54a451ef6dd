import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { endpoints } from '../../src/server/api/endpoints.ts';
import type { Server } from '../../src/server/app.ts';
import { toTheEnd } from '../support/campaigns.ts';
import fc, { draws } from '../support/fast-check.ts';
import { KEY, startWorld, type World } from '../support/world.ts';
import { ask, LOGGED_IN, pageOf, serverOf } from './support.ts';

let world: World;
let server: Server;
beforeAll(async () => {
  world = await startWorld();
  await world.startWorker();
  server = await serverOf(world);
  const text =
    'campaign: flu\nmodel: {name: Rehearsal}\ninputs: {Seconds: 0}\ndesign: {grid: {Value: [1, 2]}}\n';
  await world.foray.submit({ text, file: 'campaign.yaml' }, { id: 'flu' });
  await toTheEnd(world, 'flu');
});
afterAll(async () => {
  await server.close();
  await world.close();
});

const pages = [
  '/',
  '/live',
  '/campaigns/flu',
  '/campaigns/flu/live',
  '/campaigns/flu/runs',
  '/campaigns/flu/points/x',
  '/campaigns/flu/failures',
  '/campaigns/flu/downloads',
  '/campaigns/flu/definition',
  '/compare',
  '/reference',
  '/new',
  '/models',
  '/models/Rehearsal',
  '/models/Rehearsal/runs/x/live',
  '/chosen/cancel',
  '/login',
];
const api = Object.values(endpoints)
  .filter(({ method, path }) => method === 'GET' && !path.endsWith('/events'))
  .map(({ path }) => `/api/v1${path.replace(':id', 'flu').replaceAll(/:\w+/g, 'x')}`);
const names = [
  ...[
    'after',
    'from',
    'have',
    'id',
    'in:Value',
    'inputs[Value]',
    'limit',
    'model',
    'order',
    'output',
    'phase',
    'q',
  ],
  ...[
    'all',
    'a',
    'b',
    'long',
    'lowest',
    'maximize',
    'points',
    'show',
    'state',
    'to',
    'wait',
    '__proto__',
    '',
  ],
];
const value = fc.oneof(
  fc.constantFrom('', '1', '-1', '1e999', 'Value', 'lowest:Value', '0.0.0', '../x', '\0', '%', '\ud800', '/'),
  fc.string({ maxLength: 300 }),
);
const parameters = fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 4 });
const queryOf = (given: [string, string][]): string =>
  given.map(([name, text]) => `${name}=${encodeURIComponent(text.toWellFormed())}`).join('&');

test('no parameter of any page or endpoint is a fault of the server, also if it is repeated', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...pages, ...api),
      parameters,
      fc.boolean(),
      async (path, given, twice) => {
        const query = queryOf(twice ? [...given, ...given] : given).replaceAll('wait=', 'q=');
        const { status } = await ask(`${server.url}${path}?${query}`, {
          headers: { ...LOGGED_IN, accept: path.startsWith('/api') ? '*/*' : 'text/html' },
        });
        expect([path, query, status]).not.toEqual([path, query, 500]);
      },
    ),
    { numRuns: draws(400) },
  );
});

test.each([
  '/?q=a&q=b',
  '/live?have=a&have=b',
  '/campaigns/flu/runs?order=a&order=b',
  '/new?model=a&model=b',
])('a parameter that is given twice is refused: %s', async (path) => {
  const { status, body } = await pageOf(server, path);
  expect([status, body]).toEqual([400, expect.stringContaining('more than once')]);
});

describe('a name of a file', () => {
  test.each([
    ['é'.repeat(127), 'The design'],
    ['é'.repeat(128), 'at most 255 bytes'],
    ['x'.repeat(256), 'at most 255 bytes'],
    ['a/b', 'at most 255 bytes'],
    ['', 'at most 255 bytes'],
    ['..', 'at most 255 bytes'],
  ])('%s is accepted, or refused with a sentence', async (name, sentence) => {
    const body = JSON.stringify({
      definition: 'campaign: a\nmodel: {name: Rehearsal}\n',
      files: { [name]: '' },
    });
    const headers = { authorization: `Bearer ${KEY}` };
    const answer = await ask(`${server.url}/api/v1/plan`, { method: 'POST', headers, body });
    if (answer.status === 400) expect(answer.body).toContain(sentence);
    else expect([answer.status, sentence]).toEqual([200, 'The design']);
  });
});

test('whoever is not logged in gets the form for every address of a page', async () => {
  const headers = { accept: 'text/html' };
  const long = `/?q=${'x'.repeat(3_000)}`;
  const asked = await ask(server.url + long, { headers });
  expect([asked.status, asked.headers.location]).toEqual([303, '/login']);
  const beyond = `/campaigns/${'x'.repeat(1_500)}`;
  expect((await ask(server.url + beyond, { headers })).headers.location).toBe(
    `/login?to=${encodeURIComponent(beyond)}`,
  );
  for (const to of [encodeURIComponent(long), 'a&to=b', '//evil.example', '%00', '']) {
    const form = await ask(`${server.url}/login?to=${to}`, { headers });
    expect([form.status, form.body]).toEqual([200, expect.stringContaining('name="to" value="/"')]);
  }
});
