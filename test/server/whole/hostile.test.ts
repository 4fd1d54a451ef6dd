import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Endpoint } from '../../../src/server/api/endpoints/endpoint.ts';
import { endpoints } from '../../../src/server/api/endpoints.ts';
import type { Server } from '../../../src/server/app.ts';
import { toTheEnd } from '../../support/campaigns.ts';
import { serverOf } from '../support.ts';
import { KEY, startWorld, type World } from '../../support/world.ts';
import { REHEARSAL } from '../../service/fixed.ts';

const QUICK = `campaign: quick
model: { name: Rehearsal }
inputs: { Seconds: 0 }
design:
  grid:
    Value: [1, 2, 3]
    Fail: [false, true]
`;

let world: World;
let server: Server;
beforeAll(async () => {
  world = await startWorld({ models: [REHEARSAL] });
  await world.startWorker();
  server = await serverOf(world);
  await world.foray.submit({ text: QUICK, file: 'quick.yaml' }, { id: 'quick' });
  await toTheEnd(world, 'quick');
});
afterAll(async () => {
  await server.close();
  await world.close();
});

const api = (path: string, init: RequestInit = {}) =>
  fetch(`${server.url}/api/v1${path}`, {
    ...init,
    headers: { authorization: `Bearer ${KEY}`, ...init.headers },
  });

const VALUES = [
  '',
  'x',
  '-1',
  '0',
  '1e999',
  'NaN',
  '\u0000',
  '<script>',
  '"',
  '🦠',
  'a'.repeat(3_000),
  '1.1.1',
  '9'.repeat(30),
];
const BODIES = [
  '',
  'null',
  '[]',
  '{}',
  '"x"',
  '1',
  '{',
  '\u0000',
  '{"definition":1}',
  '{"definition":"a: [","files":{}}',
  '{"definition":{},"files":{"a":"?"}}',
  '{"reason":1}',
  '['.repeat(5_000),
  '&a *a',
  '{"concurrency":1e99}',
];

test.each(Object.entries(endpoints as Record<string, Endpoint>))(
  'bad input for %s never leads to an internal error',
  async (name, { method, path, query, body }) => {
    const faults: unknown[] = [];
    const send = async (at: string, sent?: string) => {
      const answer = await api(at, { method, ...(sent !== undefined && { body: sent }) });
      const text = name === 'events' && answer.ok ? (await answer.body!.cancel(), '') : await answer.text();
      if (answer.status >= 500 && answer.status !== 502)
        faults.push({ at, sent, status: answer.status, text });
    };
    const named = path.replaceAll(/:\w+/g, 'quick');
    const hostile = VALUES.filter(Boolean).map((value) =>
      path.replaceAll(/:\w+/g, encodeURIComponent(value)),
    );
    if (path.includes(':')) for (const at of hostile) await send(at, body ? '{}' : undefined);
    const names = Object.keys(query?.shape ?? {}).filter((key) => !['wait', 'follow'].includes(key));
    if (method === 'GET')
      for (const key of [...names, 'unknown'])
        for (const value of VALUES) await send(`${named}?${key}=${encodeURIComponent(value)}`);
    // the bodies go to a campaign that does not exist, because they could change the campaign of the other tests
    const nobody = path.replaceAll(/:\w+/g, 'nobody');
    if (body) for (const sent of BODIES) await send(nobody, sent);
    expect(faults).toEqual([]);
  },
);
