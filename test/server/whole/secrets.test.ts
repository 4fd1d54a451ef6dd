import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { KeysOfFile } from '../../../src/server/keys.ts';
import type { Endpoint } from '../../../src/server/api/endpoints/endpoint.ts';
import { endpoints } from '../../../src/server/api/endpoints.ts';
import { type Server, startServer } from '../../../src/server/app.ts';
import { toTheEnd } from '../../support/campaigns.ts';
import { type FaultyService, isRunRequest, pass, startFaultyService } from '../../support/faulty-service.ts';
import { keyFileOf } from '../../support/key-file.ts';
import { leaksIn } from '../../support/spellings.ts';
import { KEY, rehearsal, startWorld, type World } from '../../support/world.ts';
import { type Answer, ask } from '../support.ts';

/** No answer and no log of the server contains a key or a login, even if the model service repeats the key it got. */

const OURS = 'steer+0123/4567=89-of-the-server';
const OTHERS = 'read+9876/5432=10-of-the-server';
const REASON = `The key ${KEY} is not good enough.`;

let world: World;
let front: FaultyService;
let server: Server;
const log = new PassThrough();
let logged = '';
log.on('data', (text: Buffer) => (logged += text.toString()));
const answers: (Answer & { what: string })[] = [];

beforeAll(async () => {
  world = await startWorld({
    async through(service) {
      front = await startFaultyService(service);
      return front;
    },
  });
  await world.startWorker();
  const keys = join(world.folder, 'keys');
  writeFileSync(keys, keyFileOf(['stan', 'steer', OURS], ['rita', 'read', OTHERS]), { mode: 0o600 });
  server = await startServer({
    foray: world.foray,
    settings: world.settings,
    keys: new KeysOfFile(keys, (line) => log.write(line)),
    log,
  });
});
afterAll(async () => {
  await server.close();
  await world.close();
});

/** Sends a request with a key that may steer, and keeps the answer for the search for secrets. */
async function asked(path: string, method = 'GET', body?: string, more: Record<string, string> = {}) {
  const headers = { authorization: `Bearer ${OURS}`, accept: 'text/html', ...more };
  const answer = await ask(server.url + path, { method, headers, ...(body !== undefined && { body }) });
  answers.push({ ...answer, what: `${method} ${path}` });
  return answer;
}

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const api = (path: string): string =>
  `/api/v1${path.replace(':id', 'told').replace(':name', 'Rehearsal').replace(':figure', 'effects')}`;

/**
 * Reads the pages to which links lead from the first page. Of the pages that differ only in the point, the text of the
 * documentation or the values of their query, it reads one. Returns their paths.
 */
async function readPages(): Promise<string[]> {
  const found = new Map([['/', '/']]);
  for (const path of found.values()) {
    const { body, headers } = await asked(path);
    if (!String(headers['content-type']).startsWith('text/html')) continue;
    for (const [, href] of body.matchAll(/ href="([^"]*)"/g)) {
      const { origin, pathname, search, searchParams } = new URL(
        href!.replaceAll('&amp;', '&'),
        server.url + path,
      );
      if (origin !== server.url || pathname.endsWith('.html')) continue;
      const kind = [pathname.replace(/(docs|points)\/.*/, '$1'), ...searchParams.keys()].join(' ');
      if (!found.has(kind)) found.set(kind, pathname + search);
    }
  }
  return [...found.values()].map((path) => path.split('?', 1)[0]!);
}

test('no answer and no log contains a key or a login', async () => {
  // the service repeats the key of the request in the reason of a failed run
  front.plan = (asked) => {
    if (!isRunRequest(asked)) return pass();
    const run = {
      id: 'r',
      inputs: [],
      modelVersionId: 'v',
      outputs: null,
      status: 'FAILED',
      message: REASON,
    };
    return { kind: 'answer', status: 200, body: JSON.stringify(run) };
  };
  const { text } = rehearsal({ count: 3, name: 'told', more: 'goal: {minimize: Echo}' });
  const submitted = await asked(api('/campaigns/:id'), 'PUT', text);
  expect(submitted.status).toBe(201);
  await toTheEnd(world, 'told');
  front.plan = pass;
  await asked(api('/campaigns/fine'), 'PUT', rehearsal({ count: 2, name: 'fine' }).text);
  await toTheEnd(world, 'fine');
  const runs = (await asked(api('/campaigns/:id/runs'))).body;
  expect(runs).toContain('is not good enough');
  const [{ point }] = JSON.parse(runs) as [{ point: string }];

  const code = new URL(server.loginUrl(OURS)).hash.slice(1);
  const sameSite = { ...form, 'sec-fetch-site': 'same-origin', authorization: '' };
  const login = await ask(`${server.url}/login`, { method: 'POST', headers: sameSite, body: `code=${code}` });
  const session = /=([\w-]{32});/.exec(String(login.headers['set-cookie']))![1]!;
  expect((await asked('/', 'GET', undefined, { cookie: `foray-${server.port}=${session}` })).status).toBe(
    200,
  );
  await asked('/login', 'POST', `key=${encodeURIComponent(`${OURS}x`)}&to=/`, sameSite);

  expect(await readPages()).toEqual(
    expect.arrayContaining([
      ...['/campaigns/told', '/campaigns/told/failures', '/new', '/models/Rehearsal'],
      expect.stringMatching(/^\/campaigns\/told\/points\/\w+$/),
    ]),
  );
  await asked('/campaigns/told/live');
  await asked('/live');

  // calls all endpoints except four: first while the service answers, later while the service's errors repeat the key
  const ofAll = async (): Promise<void> => {
    for (const [name, { method, path, body }] of Object.entries(endpoints as Record<string, Endpoint>)) {
      if (['deleteCampaign', 'putCampaign', 'createCampaign', 'retry'].includes(name)) continue;
      const at = api(path).replace(':point', point) + (name === 'compare' ? '?a=told&b=fine' : '');
      await asked(at, method, body && (body === 'definition' ? text : '{"concurrency": 3}'));
    }
  };
  await ofAll();
  for (const status of [401, 500]) {
    const body = JSON.stringify({ message: REASON });
    front.plan = () => ({ kind: 'answer', status, body });
    await ofAll();
    for (const path of ['/models', '/models/Rehearsal', '/new?model=Rehearsal', '/campaigns/told'])
      await asked(path);
    await asked('/new', 'POST', new URLSearchParams({ definition: text, do: 'plan' }).toString(), form);
  }
  front.plan = () => ({ kind: 'lose' });
  await asked('/models');
  for (const path of [
    '/nothing',
    '/api/v1/campaigns/x',
    `/?key=${KEY.slice(0, 8)}`,
    '/campaigns/told/runs?order=lowest:x',
  ])
    await asked(path);

  const seen = [
    ...answers.map(({ what, headers, body }) => [what, JSON.stringify(headers) + body] as const),
    ['the log', logged] as const,
  ];
  for (const secret of [KEY, OURS, OTHERS, session, code])
    expect(seen.filter(([, text]) => leaksIn(text, secret).length > 0).map(([what]) => what)).toEqual([]);
});
