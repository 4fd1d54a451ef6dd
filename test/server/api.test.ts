import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parquetReadObjects } from 'hyparquet';
import type { CampaignStatus } from '../../src/client/index.ts';
import { endpoints } from '../../src/server/api/endpoints.ts';
import type { Server } from '../../src/server/app.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { foray as cli, ROOT } from '../support/cli.ts';
import { serverOf } from './support.ts';
import { until } from '../support/until.ts';
import { KEY, startWorld, type World } from '../support/world.ts';
import { EPIDEMIC, REHEARSAL } from '../service/fixed.ts';

const QUICK = `campaign: quick
model: { name: Rehearsal }
inputs: { Seconds: 0 }
design:
  grid:
    Value: [1, 2, 3]
    Fail: [false, true]
`;
/** Its runs last until the test cancels the campaign. */
const SLOW = QUICK.replace('Seconds: 0', 'Seconds: 600')
  .replace('[false, true]', '[false]')
  .replace('quick', 'slow');

let world: World;
let server: Server;
beforeAll(async () => {
  world = await startWorld({ models: [EPIDEMIC, REHEARSAL] });
  await world.startWorker();
  server = await serverOf(world);
  expect((await put('quick', QUICK)).status).toBe(201);
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
const put = (id: string, body: string) => api(`/campaigns/${id}`, { method: 'PUT', body });
const post = (path: string, body?: unknown) =>
  api(path, { method: 'POST', ...(body !== undefined && { body: JSON.stringify(body) }) });
const json = async <T = Record<string, unknown>>(answer: Promise<Response>) =>
  (await (await answer).json()) as T;

describe('submit', () => {
  test('by PUT gives the same campaign when it is repeated, and a conflict for another definition', async () => {
    const again = await put('quick', QUICK);
    expect([again.status, await again.json()]).toEqual([
      200,
      expect.objectContaining({ id: 'quick', isNew: false }),
    ]);
    const other = await put('quick', QUICK.replace('[1, 2, 3]', '[1, 2]'));
    expect([other.status, other.headers.get('content-type')]).toEqual([
      409,
      'application/problem+json; charset=utf-8',
    ]);
    expect(await other.json()).toMatchObject({
      type: '/errors/CAMPAIGN_EXISTS',
      status: 409,
      hint: expect.stringMatching(
        /PUT \/campaigns\/quick\/definition.* use another id \(--id; in HTTP, in the address\)/,
      ),
    });
  });

  test('by POST can be repeated safely with an idempotency key', async () => {
    const create = async (body: string, key: string) => {
      const answer = await api('/campaigns', { method: 'POST', body, headers: { 'idempotency-key': key } });
      const { id, code, hint } = (await answer.json()) as Partial<Record<'id' | 'code' | 'hint', string>>;
      return { status: answer.status, id, code, hint };
    };
    const posted = QUICK.replace('quick', 'posted').replace('[1, 2, 3]', '[1]');
    const first = await create(posted, 'a');
    expect(first).toMatchObject({ status: 201, id: expect.stringMatching(/^posted-[0-9a-f]{12}$/) });
    expect(await create(posted, 'a')).toEqual({ ...first, status: 200 });
    const other = await create(posted, 'b');
    expect([other.status, other.id === first.id]).toEqual([201, false]);
    expect(await create(posted.replace('[1]', '[2]'), 'a')).toMatchObject({
      status: 409,
      code: 'CAMPAIGN_EXISTS',
      hint: expect.stringContaining('use another token (in HTTP, the header Idempotency-Key)'),
    });
    for (const { id } of [first, other]) {
      await toTheEnd(world, id!);
      expect((await api(`/campaigns/${id}`, { method: 'DELETE' })).status).toBe(204);
    }
  });

  test('puts the campaign into the list with its owner and, if it has a goal, the best known value', async () => {
    const goal = QUICK.replace('quick', 'goal').replace('design:', 'goal: { minimize: Echo }\ndesign:');
    expect((await put('goal', goal)).status).toBe(201);
    await toTheEnd(world, 'goal');
    const listed = (query: string) => json<{ id: string; best: number | null }[]>(api(`/campaigns?${query}`));
    const [found] = await until('the best value is known', async () => {
      const all = await listed('owner=somebody&q=goal');
      return all[0]!.best !== null && all;
    });
    expect(found).toMatchObject({ id: 'goal', owner: 'somebody', best: 1 });
    expect(await listed('owner=nobody')).toEqual([]);
    expect(await listed('q=quick')).toMatchObject([{ best: null }]);
    for (const q of ['GOAL', 'rehearsal', 'SOMEBODY'])
      expect(await listed(`q=${q}&owner=somebody`)).toContainEqual(expect.objectContaining({ id: 'goal' }));
  });

  test('the next page of the list starts at the same place after the last campaign of a page was deleted, or no longer matches', async () => {
    for (const id of ['page-1', 'page-2', 'page-3', 'page-4']) {
      expect((await put(id, QUICK.replace('quick', id))).status).toBe(201);
      await toTheEnd(world, id);
    }
    const page = async (path: string) => {
      const answer = await fetch(new URL(path, server.url), { headers: { authorization: `Bearer ${KEY}` } });
      const ids = ((await answer.json()) as { id: string }[]).map(({ id }) => id);
      return { ids, next: /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] };
    };
    const { ids, next } = await page('/api/v1/campaigns?q=page-&limit=2');
    expect(ids).toEqual(['page-4', 'page-3']);
    expect((await page('/api/v1/campaigns?q=page-2&after=page-3')).ids).toEqual(['page-2']);
    expect((await api('/campaigns/page-3', { method: 'DELETE' })).status).toBe(204);
    expect(await page(next!)).toEqual({ ids: ['page-2', 'page-1'], next: undefined });
  });

  test('names the place of a mistake in a definition; plan accepts a correct definition as YAML or as an object', async () => {
    const wrong = await put('wrong', QUICK.replace('Value:', 'Valeu:'));
    expect([wrong.status, await wrong.json()]).toEqual([
      422,
      expect.objectContaining({ code: 'UNKNOWN_INPUT', file: 'definition', line: 6, column: 5 }),
    ]);
    expect(await json(api('/plan', { method: 'POST', body: QUICK }))).toMatchObject({
      points: 6,
      runs: 6,
      there: 3,
    });
    // a definition may also be a JSON object
    const definition = { campaign: 'object', model: { name: 'Rehearsal' }, design: { grid: { Value: [1] } } };
    expect(await json(post('/plan', definition))).toMatchObject({ points: 1 });
    expect(await json(post('/plan', { definition }))).toMatchObject({ points: 1 });
    expect(
      await json(api('/plan', { method: 'POST', body: Buffer.from(`# \u00e9\n${QUICK}`, 'latin1') })),
    ).toMatchObject({
      code: 'BAD_REQUEST',
      detail: 'The body is not UTF-8.',
    });
    const notJson = JSON.stringify({ definition }).replace('[1]', '[NaN]');
    expect(await json(api('/plan', { method: 'POST', body: notJson }))).toMatchObject({
      code: 'BAD_REQUEST',
      detail: expect.stringMatching(/^The body is not JSON: Unexpected token 'N', .*NaN/),
    });
  });

  test('accepts files in the request, and reads no files of the machine', async () => {
    const folder = join(ROOT, 'examples/boarding-school-flu');
    const whole = readFileSync(join(folder, 'campaign.yaml'), 'utf8');
    // the definition has only six points, because a plan asks the service about each run
    const definition = whole.replace('step: 0.025', 'step: 0.5').replace('step: 0.01', 'step: 0.3');
    const observed = readFileSync(join(folder, 'observed.csv')).toString('base64');
    const elsewhere = definition.replace(/observed\.csv/, join(folder, 'observed.csv'));
    expect(await json(post('/plan', { definition, files: { 'observed.csv': observed } }))).toMatchObject({
      runs: 6,
    });
    expect(await json(post('/plan', { definition: elsewhere }))).toMatchObject({
      code: 'DEFINITION_UNREADABLE',
    });
    const points = QUICK.replace(/design:[^]*/, `design: { points: ${join(ROOT, 'package.json')} }\n`);
    const refused = await post('/plan', { definition: points });
    expect(refused.status).toBe(422);
    expect((await post('/plan', { definition, files: { '../x': observed } })).status).toBe(400);
  });

  test('names a sent file in a mistake by its own name', async () => {
    const body = {
      definition: 'campaign: a\nmodel: {name: Rehearsal}\ndesign: {points: points.csv}\n',
      files: { 'points.csv': Buffer.from('Value\n1\nx\n').toString('base64') },
    };
    expect(await json(post('/plan', body))).toMatchObject({ file: 'points.csv', line: 3 });
  });

  test('refuses a search that starts a program', async () => {
    const search = `campaign: s
model: { name: Rehearsal }
inputs: { Seconds: 0 }
search:
  minimize: Echo
  over: { Value: { min: 0, max: 1 } }
  method: { command: [sh, -c, exit] }
  stop: { points: 3 }
`;
    expect(await json(post('/plan', { definition: search }))).toMatchObject({
      code: 'DEFINITION_INVALID',
      detail: expect.stringContaining('cannot start a program'),
    });
  });
});

describe('results', () => {
  const ofCli = async (...args: string[]) =>
    (await cli(world.folder, ['results', 'quick', ...args], { env: { FORAY_STORE: world.settings.store } }))
      .stdout;

  test.each([
    ['results.csv', ['--format', 'csv']],
    ['results.jsonl', ['--format', 'jsonl']],
    ['results.csv?points&show=Echo', ['--format', 'csv', '--points', '--show', 'Echo']],
    ['results.jsonl?long=true&all=1', ['--format', 'jsonl', '--long', '--all']],
  ])('the answer of %s has the same bytes as the output of foray results', async (path, args) => {
    expect(await (await api(`/campaigns/quick/${path}`)).text()).toBe(await ofCli(...args));
  });

  test('the parameter inputs[NAME] selects rows by the value of an input, in each format', async () => {
    const [first, ...all] = (await ofCli('--format', 'csv')).trimEnd().split('\n');
    const at = first!.split(',').indexOf('Value');
    const values = (lines: string[]) => lines.map((line) => line.split(',')[at]);
    const lines = async (query: string) =>
      (await (await api(`/campaigns/quick/results.csv?${query}`)).text()).trimEnd().split('\n').slice(1);
    expect(await lines('inputs[Value]=2..')).toEqual(all.filter((line) => Number(line.split(',')[at]) >= 2));
    expect(values(await lines('inputs[Value]=1.0, 3&inputs[Fail]=false'))).toEqual(['1', '3']);
    expect(values(await lines('inputs[Value]=..1.5&points'))).toHaveLength(2);
    expect(await lines('inputs[Value]=7')).toEqual([]);
    const json = await api('/campaigns/quick/results.jsonl?inputs[Value]=2&follow');
    expect((await json.text()).trimEnd().split('\n')).toHaveLength(2);
    const parquet = await (await api('/campaigns/quick/results.parquet?inputs[Value]=2..3')).arrayBuffer();
    expect(await parquetReadObjects({ file: parquet })).toHaveLength(4);
  });

  test.each([
    ['inputs[Valeu]=1', 422, 'INVALID_VALUE'],
    ['inputs[Value]=many', 422, 'INVALID_VALUE'],
    ['inputs[Fail]=1', 422, 'INVALID_VALUE'],
    ['inputs=1', 400, 'BAD_REQUEST'],
    ['inputs[Value]=1&inputs[Value]=2', 400, 'BAD_REQUEST'],
    ['inputs[__proto__]=1', 400, 'BAD_REQUEST'],
    ['inputs[constructor]=1', 422, 'INVALID_VALUE'],
    ['constructor[Value]=1', 400, 'BAD_REQUEST'],
  ])('%s is refused', async (query, status, code) => {
    for (const path of ['results.csv', 'results.parquet', 'columns'])
      expect(await json(api(`/campaigns/quick/${path}?${query}`))).toMatchObject({ status, code });
  });

  test('results.jsonl?follow gives each run, and ends because the campaign is closed', async () => {
    const lines = (text: string) => text.split('\n').sort();
    const followed = await (await api('/campaigns/quick/results.jsonl?follow')).text();
    expect(lines(followed)).toEqual(lines(await ofCli('--format', 'jsonl')));
  });

  test('results.parquet is one file, and clients may request ranges of it', async () => {
    await ofCli('-o', 'quick.parquet');
    const expected = readFileSync(join(world.folder, 'quick.parquet'));
    const path = '/campaigns/quick/results.parquet';
    const head = await api(path, { method: 'HEAD' });
    const etag = head.headers.get('etag')!;
    expect([head.status, head.headers.get('content-length'), head.headers.get('accept-ranges')]).toEqual([
      200,
      String(expected.length),
      'bytes',
    ]);
    expect(Buffer.from(await (await api(path)).arrayBuffer()).equals(expected)).toBe(true);
    const part = await api(path, { headers: { range: 'bytes=-8', 'if-range': etag } });
    expect([part.status, part.headers.get('content-range')]).toEqual([
      206,
      `bytes ${expected.length - 8}-${expected.length - 1}/${expected.length}`,
    ]);
    expect(Buffer.from(await part.arrayBuffer()).equals(expected.subarray(-8))).toBe(true);
    expect((await api(path, { headers: { range: `bytes=${expected.length}-` } })).status).toBe(416);
    expect((await api(path, { headers: { range: 'bytes=0-3', 'if-range': '"other"' } })).status).toBe(200);
    expect((await api(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    // this reader requests the footer first, and then one column after another
    const slice = async (start: number, end = expected.length) =>
      (await api(path, { headers: { range: `bytes=${start}-${end - 1}` } })).arrayBuffer();
    const rows = await parquetReadObjects({ file: { byteLength: expected.length, slice } });
    expect(rows).toHaveLength(6);
  });

  test('all pages of runs together have each run once, and a query selects failed runs', async () => {
    const whole = (await ofCli('--format', 'jsonl', '--all'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    const rows: unknown[] = [];
    let next: string | undefined = '/campaigns/quick/runs?limit=4';
    while (next !== undefined) {
      const answer: Response = await api(next.replace('/api/v1', ''));
      rows.push(...((await answer.json()) as unknown[]));
      next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(rows).toEqual(whole);
    expect(await json(api('/campaigns/quick/runs?state=failed'))).toHaveLength(3);
  });

  test('runs can be ordered by the lowest or highest values of an output', async () => {
    const values = async (query: string) =>
      (await json<{ Echo: number }[]>(api(`/campaigns/quick/runs?${query}`))).map(({ Echo }) => Echo);
    expect(await values('lowest=Echo')).toEqual([1, 2, 3]);
    expect(await values('highest=Echo&limit=2')).toEqual([3, 2]);
    for (const unknown of ['Ehco', ''])
      expect(await json(api(`/campaigns/quick/runs?lowest=${unknown}`))).toMatchObject({
        code: 'UNKNOWN_OUTPUT',
      });
    for (const more of ['highest=Echo', 'after=1.1.1', 'state=done'])
      expect((await api(`/campaigns/quick/runs?lowest=Echo&${more}`)).status).toBe(400);
  });

  test('figures lists the pictures of the report, and gives each picture by its name as an SVG file', async () => {
    const figures = await json<{ name: string; title: string }[]>(api('/campaigns/quick/figures'));
    expect(figures).toContainEqual({ name: 'effects', title: expect.stringContaining('Echo') });
    const address = '/campaigns/quick/figures/effects?show=Echo';
    const picture = await api(address);
    expect(picture.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
    expect(picture.headers.get('content-security-policy')).toContain('sandbox');
    expect(await picture.text()).toMatch(/^<svg xmlns="[^"]+" width="\d+[^]*<\/svg>$/);
    const again = await api(address, { headers: { 'if-none-match': picture.headers.get('etag')! } });
    expect(again.status).toBe(304);
    expect(await json(api('/campaigns/quick/figures/cake'))).toMatchObject({
      status: 404,
      code: 'UNKNOWN_FIGURE',
      hint: expect.stringContaining('"effects"'),
    });
    expect((await api('/campaigns/nobody/figures/effects')).status).toBe(404);
  });

  test('there are answers for columns, points, failures, story, flights, the report, a comparison and models', async () => {
    const columns = await json<{ name: string; units?: string }[]>(api('/campaigns/quick/columns'));
    expect(columns.map(({ name }) => name)).toEqual(expect.arrayContaining(['point', 'Value', 'Echo']));
    const [row] = await json<{ point: string }[]>(api('/campaigns/quick/runs?limit=1'));
    expect(await json(api(`/campaigns/quick/points/${row!.point}`))).toMatchObject({ point: row!.point });
    expect(await json(api('/campaigns/quick/points/zz'))).toMatchObject({
      type: '/errors/UNKNOWN_POINT',
      status: 404,
    });
    expect(await json(api('/campaigns/quick/failures'))).toMatchObject([{ count: 3 }]);
    expect(await json(api('/campaigns/quick/story'))).toEqual({ story: null });
    expect(await json(api('/campaigns/quick/flights'))).toEqual([]);
    const report = await api('/campaigns/quick/report.html');
    expect([report.status, report.headers.get('content-security-policy')]).toEqual([200, 'sandbox']);
    expect(await report.text()).toBe(
      (
        await cli(world.folder, ['report', 'quick', '-o', '-'], {
          env: { FORAY_STORE: world.settings.store },
        })
      ).stdout,
    );
    expect(await json(api('/compare?a=quick&b=quick&show=Echo'))).toMatchObject({ rows: expect.any(Array) });
    expect(await json(api('/models'))).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'Rehearsal' })]),
    );
    expect(await json(api('/models/rehearsal'))).toMatchObject({
      name: 'Rehearsal',
      version: { version: 1 },
    });
    expect((await api('/models/nothing')).status).toBe(404);
  });
});

describe('a campaign', () => {
  test('can be followed, controlled, changed, cancelled and deleted over HTTP', async () => {
    expect((await put('slow', SLOW)).status).toBe(201);
    const status = () => json<CampaignStatus>(api('/campaigns/slow'));
    await until('the campaign runs', async () => (await status()).source === 'workflow');
    const paused = await post('/campaigns/slow/pause', { reason: 'lunch' });
    expect(paused.status).toBe(202);
    // only the workflow knows the note of an open campaign
    const seen = await until('the campaign is paused', async () => {
      const now = await status();
      return now.phase === 'paused' && now.source === 'workflow' && now;
    });
    expect(seen.note).toContain('somebody over HTTP: lunch');

    const etag = await until('nothing changes for a second', async () => {
      const etag = (await api('/campaigns/slow')).headers.get('etag')!;
      const later = await api('/campaigns/slow?wait=1', { headers: { 'if-none-match': etag } });
      return later.status === 304 && etag;
    });
    const held = api('/campaigns/slow?wait=60', { headers: { 'if-none-match': etag } });
    expect((await post('/campaigns/slow/resume')).status).toBe(202);
    const changed = await held;
    expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false]);
    await until('the campaign continues', async () => (await status()).phase !== 'paused');

    const change = (path: string, body: string, more = {}) =>
      api(`/campaigns/slow/${path}`, { method: 'PUT', body, headers: more });
    expect((await change('concurrency', '{"concurrency": 2}')).status).toBe(200);
    expect((await change('concurrency', '{"concurrency": "much"}')).status).toBe(400);

    const first = await api('/campaigns/slow/definition');
    expect(await first.text()).toBe(SLOW);
    const match = { 'if-match': first.headers.get('etag')! };
    const wider = SLOW.replace('[1, 2, 3]', '[1, 2, 3, 4]');
    expect(await json(change('definition?dry', wider))).toMatchObject({ points: { added: 1, kept: 3 } });
    const [one, two] = await Promise.all([
      change('definition', wider, match),
      change('definition', SLOW.replace('[1, 2, 3]', '[1]'), match),
    ]);
    expect([one.status, two.status].sort((a, b) => a - b)).toEqual([200, 409]);
    await until('the status says who applied the definition', async () =>
      (await status()).note.includes('a definition applied: somebody over HTTP'),
    );
    const lost = [one, two].find(({ status }) => status === 409)!;
    expect(await lost.json()).toMatchObject({ code: 'DEFINITION_CHANGED', difference: { points: {} } });

    expect((await api('/campaigns/slow', { method: 'DELETE' })).status).toBe(409);
    const events = readEvents(await api('/campaigns/slow/events'));
    expect((await post('/campaigns/slow/cancel')).status).toBe(202);
    const names = (await events).map(({ name }) => name);
    expect(names[0]).toBe('status');
    expect(names.at(-1)).toBe('end');
    expect(await status()).toMatchObject({ phase: 'cancelled' });
    // a program that waits for the end gets the status of a closed campaign without a wait
    const closed = await api('/campaigns/slow?wait=60', { signal: AbortSignal.timeout(30_000) });
    expect(await closed.json()).toMatchObject({ phase: 'cancelled' });
    expect((await post('/campaigns/slow/pause')).status).toBe(409);
    expect((await api('/campaigns/slow', { method: 'DELETE' })).status).toBe(204);
    expect((await api('/campaigns/slow')).status).toBe(404);
  });

  test('can request its failed runs of one cause again, and sends an event for each run', async () => {
    const of = (cause: string) => json(post('/campaigns/quick/retry', { what: { cause } }));
    expect(await of('No such cause')).toMatchObject({ status: 404, type: '/errors/UNKNOWN_CAUSE' });
    const [{ cause }] = await json<[{ cause: string }]>(api('/campaigns/quick/failures'));
    expect(await of(cause)).toMatchObject({ forgiven: 3, open: 3 });
    await until('the status says who requested the runs again', async () =>
      (await json<CampaignStatus>(api('/campaigns/quick'))).note.includes(
        '3 failed runs requested again: somebody over HTTP',
      ),
    );
    const events = await readEvents(await api('/campaigns/quick/events'));
    const runs = events.filter(({ name }) => name === 'run').map(({ data }) => data as { point: string });
    expect(new Set(runs.map(({ point }) => point)).size).toBe(6);
    expect(events.at(-1)).toMatchObject({ name: 'end', data: { phase: 'completed' } });
  });
});

async function readEvents(answer: Response): Promise<{ name: string; data: unknown }[]> {
  expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const blocks = (await answer.text()).split('\n\n').filter((block) => block.startsWith('event:'));
  return blocks.map((block) => ({
    name: /^event: (.*)$/m.exec(block)![1]!,
    data: JSON.parse(/^data: (.*)$/m.exec(block)![1]!) as unknown,
  }));
}

describe('bad input', () => {
  test.each<[string, RequestInit, string]>([
    ['/campaigns?phase=weird', {}, '"phase" is wrong: expected one of preparing, running'],
    ['/campaigns?limit=abc', {}, '"limit" is wrong: expected a whole number from 1 to 1,000.'],
    ['/campaigns?limit=0', {}, '"limit" is wrong: expected a whole number from 1 to 1,000.'],
    ['/campaigns?q=a&q=b', {}, '"q" is wrong: expected one text.'],
    ['/campaigns?owner_=a', {}, 'A query has no setting "owner_".'],
    ['/campaigns?after=nobody', {}, '"after" must come from the link to the next page'],
    ['/campaigns/quick/runs?after=xx', {}, '"after" is wrong: expected the value in the link to the next'],
    ['/campaigns/quick/runs?state=weird', {}, '"state" is wrong: expected one of done, failed.'],
    ['/campaigns/quick/results.csv?points=maybe', {}, '"points" is wrong: expected true or false.'],
    ['/compare?a=quick', {}, '"b" is missing.'],
    ['/plan', { method: 'POST', body: '{"definition":{},"x":1}' }, 'A body has no setting "x".'],
    ['/plan', { method: 'POST', body: '{"definition":1}' }, '"definition" is wrong: expected a text or'],
    ['/campaigns/quick/pause', { method: 'POST', body: '1' }, 'The body is wrong: expected an object.'],
    ['/campaigns/quick/concurrency', { method: 'PUT', body: '{"concurrency":"much"}' }, 'or auto.'],
    ['/campaigns/quick/retry', { method: 'POST', body: '{"what":"some"}' }, '"what" is wrong: expected'],
  ])('%s is refused, and the message says what is expected: %j', async (path, init, message) => {
    const problem = await json<{ detail: string }>(api(path, init));
    expect(problem).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
    expect(problem.detail).toContain(message);
  });
});

describe('openapi.json', () => {
  test('has each endpoint with its role, and parameters in the path, the query and the headers', async () => {
    const document = await json<{
      openapi: string;
      paths: Record<
        string,
        Record<
          string,
          { operationId: string; 'x-role': string; parameters: { name: string; style?: string }[] }
        >
      >;
    }>(api('/openapi.json'));
    expect(document.openapi).toBe('3.1.0');
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        operation.operationId,
        method,
        path,
        operation['x-role'],
      ]),
    );
    const known = Object.entries(endpoints).map(([name, { method, path, role }]) => [
      name,
      method.toLowerCase(),
      path.replaceAll(/:(\w+)/g, '{$1}'),
      role,
    ]);
    expect(described).toHaveLength(known.length);
    expect(described).toEqual(expect.arrayContaining(known));
    expect(document.paths['/campaigns/{id}/runs']!['get']!.parameters.map(({ name }) => name)).toEqual([
      'id',
      'state',
      'after',
      'lowest',
      'highest',
      'limit',
    ]);
    const ofPost = document.paths['/campaigns']!['post']!.parameters;
    expect(ofPost).toMatchObject([{ name: 'Idempotency-Key', in: 'header', required: false }]);
    const ofResults = document.paths['/campaigns/{id}/results.csv']!['get']!.parameters;
    expect(ofResults.find(({ name }) => name === 'inputs')).toMatchObject({
      style: 'deepObject',
      explode: true,
      schema: { type: 'object', additionalProperties: { type: 'string' } },
    });
  });
});
