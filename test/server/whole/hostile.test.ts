import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { reportOf } from '../../../src/report/of-campaign.ts';
import type { Endpoint } from '../../../src/server/api/endpoints/endpoint.ts';
import { endpoints } from '../../../src/server/api/endpoints.ts';
import type { Server } from '../../../src/server/app.ts';
import { REHEARSAL, writeModel } from '../../service/support.ts';
import { toTheEnd } from '../../support/campaigns.ts';
import { until } from '../../support/until.ts';
import { KEY, startWorld, type World } from '../../support/world.ts';
import { type Answer, pageOf, sendForm, serverOf } from '../support.ts';

/** Tests pages and files of models with unusual names and values, and bad input for each endpoint of the API. */

/** Names that every JavaScript object has as properties, and a keyword of Vega. */
const INHERITED = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'if'];
const INHERITED_MODEL = `export default { name: 'toString', description: '', inputs: [
    { name: 'if', type: 'INTEGER', default: 1 }, { name: 'toString', type: 'STRING', default: 'valueOf' },
    { name: 'constructor', type: 'BOOLEAN', default: false }, { name: '__proto__', type: 'DOUBLE', default: 0 } ],
  outputs: ${JSON.stringify(INHERITED)}.map((name) => ({ name, type: 'DOUBLE' })).concat(
    { name: '__proto__', type: 'DOUBLE' }, { name: 'isPrototypeOf', type: 'DATA_SET' }),
  run({ inputs }) {
    if (inputs.constructor) throw new Error('it fails');
    return { constructor: 1.5, toString: 2.5, valueOf: inputs.if, hasOwnProperty: 4.5, if: 5.5, ['__proto__']: 6.5,
      isPrototypeOf: { dataX: [1, 2], dataY: [3, 4] } };
  } };`;

/** A model whose values a form or an address could confuse with lists, ranges, numbers or booleans. */
const CHOICES = `export default {
  name: 'Choices', description: '', published: true,
  inputs: [
    { name: 'Kind', type: 'STRING', default: 'A', values: ['A', 'B, C', '1..2', 'true', ' lead'] },
    { name: 'Text', type: 'STRING', default: 'x, y' },
    { name: 'Big', type: 'LONG', default: 1 },
    { name: '__proto__', type: 'DOUBLE', default: 0 },
  ],
  outputs: [{ name: 'Whole', type: 'STRING' }],
  experiments: [],
  run: ({ inputs }) => ({ Whole: inputs.Kind + inputs.Text }),
};`;
let world: World;
let server: Server;
const models = mkdtempSync(join(tmpdir(), 'foray-unusual-'));

beforeAll(async () => {
  writeModel(models, 'choices', CHOICES);
  writeModel(models, 'inherited', INHERITED_MODEL);
  world = await startWorld({ models: [REHEARSAL, models] });
  await world.startWorker();
  server = await serverOf(world);
});
afterAll(async () => {
  await server.close();
  await world.close();
  rmSync(models, { recursive: true });
});

const page = (path: string): Promise<Answer> => pageOf(server, path);
const send = (path: string, fields: Record<string, string>): Promise<Answer> =>
  sendForm(server, path, fields);

/** Sends a form with a fixed value, or with values of a grid. */
function fill(input: string, given: string, isGrid: boolean): Promise<Answer> {
  const fields: Record<string, string> = isGrid
    ? { way: 'grid', [`/design/grid/${input}?`]: '0', [`/design/grid/${input}:0`]: given }
    : { [`/inputs/${input}?`]: '0', [`/inputs/${input}:0`]: given };
  return send('/new', {
    '/model/name': 'Choices',
    '/campaign': 'x',
    ...fields,
    definition: '',
    was: '',
    do: 'plan',
  });
}

test.each<[where: string, input: string, given: string, line: string]>([
  ['in the form', 'Text', '007', 'Text: "007"'],
  ['in the form', 'Text', '1e3', 'Text: "1e3"'],
  ['in the form', 'Text', 'true', 'Text: "true"'],
  ['in the form', 'Text', 'file..name', 'Text: file..name'],
  ['in the form', 'Text', 'x, y', 'Text: "x, y"'],
  ['in the form', 'Kind', 'B, C', 'Kind: "B, C"'],
  ['in the form', 'Kind', ' lead', 'Kind: " lead"'],
  ['in the form', 'Big', '9007199254740995', 'Big: "9007199254740995"'],
  ['in a grid of the form', 'Text', '"a, b", 5', 'Text: [ "a, b", "5" ]'],
  ['in a grid of the form', 'Kind', '"1..2", A', 'Kind: [ 1..2, A ]'],
  ['in a grid of the form', 'Kind', '"B, C", true', 'Kind: [ "B, C", "true" ]'],
  ['in a grid of the form', 'Big', '1e3, 9007199254740995', 'Big: [ 1000, "9007199254740995" ]'],
])('%s, the input %s takes %j as its type says', async (where, input, given, line) => {
  const { body } = await fill(input, given, where === 'in a grid of the form');
  expect(body).not.toContain('class="mistakes"');
  expect(body.replaceAll('&#34;', '"')).toContain(line);
});

test('the form reports a value of another type and the name __proto__, and drops nothing silently', async () => {
  for (const [input, given, message] of [
    ['Big', 'many', 'not a number'],
    ['__proto__', '2', 'cannot be used'],
  ] as const) {
    const { body } = await fill(input, given, false);
    expect(body).toContain(given);
    expect(body).toContain(message);
  }
});

test('a filter selects any text, also in the links to the downloads', async () => {
  const text = `campaign: choices
model: {name: Choices}
design: {grid: {Kind: [A, "B, C", "1..2", "true", " lead"], Big: [1, "9007199254740995"]}}
`;
  await world.foray.submit({ text, file: 'choices.yaml' }, { id: 'choices' });
  await toTheEnd(world, 'choices');
  for (const [kind, count] of [
    ['B, C', 2],
    ['1..2', 2],
    [' lead', 2],
    ['A, "B, C"', 4],
    ['B', 0],
  ] as const) {
    const view = new URLSearchParams({ 'in:Kind': kind }).toString();
    const { body } = await page(`/campaigns/choices/runs?${view}`);
    expect([kind, body.match(/points\/\w+\?[^"]*"><code>/g)?.length ?? 0]).toEqual([kind, count]);
    const downloads = (await page(`/campaigns/choices/downloads?${view}`)).body;
    const jsonl = /href="([^"]*results\.jsonl[^"]*)"/.exec(downloads)![1]!.replaceAll('&#38;', '&');
    expect((await page(jsonl)).body.split('\n').filter(Boolean)).toHaveLength(count);
  }
  // no output of the campaign is a measure
  expect((await page('/campaigns/choices')).body).not.toContain('<option value="Whole"');
  const wrong = await page('/campaigns/choices?in%3ABig=many');
  expect(wrong.body).toContain('href="/campaigns/choices"');
  expect([wrong.status, wrong.body]).toEqual([422, expect.stringContaining('which is not a number')]);
});

test('a single run of a model takes an allowed text with its blanks', async () => {
  expect((await send('/models/Choices/runs', { 'in:Kind': ' lead' })).status).toBe(303);
});

test('inputs and outputs may have names that every JavaScript object has, also if runs failed', async () => {
  const text = `campaign: inherited
model: {name: toString}
design: {grid: {if: [1, 2, 3], toString: [valueOf, constructor], constructor: [true, false]}}
`;
  await world.foray.submit({ text, file: 'inherited.yaml' }, { id: 'inherited' });
  await toTheEnd(world, 'inherited');
  const rows = await world.rows('inherited');
  const failed = rows.find(({ status }) => status === 'failed')!;
  const [head = '', ...lines] = (await page('/api/v1/campaigns/inherited/results.csv')).body
    .trim()
    .split('\n');
  expect(head).toMatch(
    /,constructor \(output\),toString \(output\),valueOf,hasOwnProperty,if \(output\),__proto__,/,
  );
  expect(lines).toHaveLength(12);
  for (const line of lines)
    expect(line).toMatch(/failed,\d,\w+,true,,,,,,,,it fails$|false,1.5,2.5,\d,4.5,5.5,6.5,"/);
  const shapes = ['results.jsonl', 'results.parquet', 'results.csv?long=true', 'results.csv?points=true'];
  const paths = ['', '/runs', '/runs?order=lowest:toString', `/points/${failed.point}`, '/failures'];
  for (const path of [
    ...shapes.map((shape) => `/api/v1/campaigns/inherited/${shape}`),
    ...paths.map((path) => `/campaigns/inherited${path}`),
    '/models/toString',
    '/compare?id=inherited&id=inherited',
  ])
    expect([path, (await page(path)).status]).toEqual([path, 200]);
  expect((await page(`/campaigns/inherited/points/${failed.point}`)).body).not.toContain('hasOwnProperty');
  const sent = await send('/models/toString/runs', { 'in:if': '7' });
  expect(sent.status).toBe(303);
  await until('the pictures are drawn', async () => {
    const { body } = await page('/campaigns/inherited');
    return body.includes('data-next="5000"') && body.includes('>isPrototypeOf</text>');
  });
  const report = await reportOf(world.foray, 'inherited', {});
  for (const name of ['valueOf', 'if', 'constructor', 'isPrototypeOf'])
    expect(report).toContain(`>${name}</text>`);
});

const VALUES = ['', 'x', '-1', '1e999', '\u0000', '"<🦠>', 'a'.repeat(3_000), '1.1.1'];
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
    const ask = async (at: string, sent?: string) => {
      const headers = { authorization: `Bearer ${KEY}` };
      const answer = await fetch(`${server.url}/api/v1${at}`, { method, headers, body: sent });
      const text = name === 'events' && answer.ok ? (await answer.body!.cancel(), '') : await answer.text();
      if (answer.status >= 500 && answer.status !== 502)
        faults.push({ at, sent, status: answer.status, text });
    };
    const named = path.replaceAll(/:\w+/g, 'inherited');
    const hostile = VALUES.filter(Boolean).map((value) =>
      path.replaceAll(/:\w+/g, encodeURIComponent(value)),
    );
    if (path.includes(':')) for (const at of hostile) await ask(at, body ? '{}' : undefined);
    const names = Object.keys(query?.shape ?? {}).filter((key) => !['wait', 'follow'].includes(key));
    if (method === 'GET') {
      for (const key of names)
        for (const value of VALUES) await ask(`${named}?${key}=${encodeURIComponent(value)}`);
      await ask(`${named}?unknown=x`);
    }
    // the bodies go to a campaign that does not exist, because they could change the campaign of the other tests
    const nobody = path.replaceAll(/:\w+/g, 'nobody');
    if (body) for (const sent of BODIES) await ask(nobody, sent);
    expect(faults).toEqual([]);
  },
);
