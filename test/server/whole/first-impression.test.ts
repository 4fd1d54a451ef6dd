import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ForayError } from '../../../src/errors.ts';
import { hashOf } from '../../../src/keys/hash.ts';
import { type Server, startServer } from '../../../src/server/app.ts';
import type { Role } from '../../../src/server/keys.ts';
import { problemOf } from '../../../src/server/problems.ts';
import { EPIDEMIC, REHEARSAL } from '../../service/fixed.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';
import { type Answer, ask } from '../support.ts';

const KEYS = { read: 'reader-0123456789', steer: 'steerer-0123456789' } as const;
let world: World;
let server: Server;

beforeAll(async () => {
  world = await startWorld({ models: [EPIDEMIC, REHEARSAL], executors: 2 });
  await world.startWorker();
  world.foray.answers = () => Promise.resolve({ service: true, temporal: true });
  const roles = new Map(Object.entries(KEYS).map(([role, key]) => [hashOf(key), role as Role]));
  const of = (hash: string) => {
    const role = roles.get(hash);
    return role === undefined ? null : { name: role === 'read' ? 'rita' : 'stan', role };
  };
  server = await startServer({ foray: world.foray, settings: world.settings, keys: { of } });
});
afterAll(async () => {
  await server.close();
  await world.close();
});

function page(path: string, as?: keyof typeof KEYS, accept = 'text/html'): Promise<Answer> {
  const headers = { accept, ...(as && { authorization: `Bearer ${KEYS[as]}` }) };
  return ask(server.url + path, { headers });
}

function send(path: string, fields: Record<string, string>, as?: keyof typeof KEYS): Promise<Answer> {
  return ask(server.url + path, {
    method: 'POST',
    headers: {
      accept: 'text/html',
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      ...(as && { authorization: `Bearer ${KEYS[as]}` }),
    },
    body: new URLSearchParams(fields).toString(),
  });
}

const unescaped = (text: string): string =>
  text.replaceAll(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code)));
const linksIn = (body: string): string[] =>
  [...body.matchAll(/\b(?:href|action|formaction)="([^"]+)"/g)].map(([, link]) => unescaped(link!));

describe('a user who is not logged in', () => {
  test('gets a log-in page and errors with the style of all pages, and no link to other pages', async () => {
    const login = await page('/login');
    const wrong = await send('/login', { key: 'nonsense' });
    const refused = await send('/campaigns/x/pause', {});
    expect([login.status, wrong.status, refused.status]).toEqual([200, 401, 401]);
    expect(wrong.body).toContain('The server does not know this key.');
    expect(refused.body).toContain('You are logged out');
    for (const { body } of [login, wrong, refused]) {
      expect(body).toContain('href="/page.css"');
      expect(body).not.toContain('/page.js');
      const links = linksIn(body).filter((link) => link.startsWith('/'));
      expect(links.filter((link) => !['/page.css', '/login'].includes(link))).toEqual([]);
    }
    expect((await page('/page.css')).status).toBe(200);
  });
});

describe('an error of the server', () => {
  test('for an unknown campaign has a plain title, and no path of the server', async () => {
    const path = world.settings.store.replace(/^\w+:/, '');
    for (const accept of ['text/html', 'application/json']) {
      const address = accept === 'text/html' ? '/campaigns/none' : '/api/v1/campaigns/none';
      const { status, body } = await page(address, 'read', accept);
      expect(status).toBe(404);
      expect(unescaped(body).replaceAll('\\"', '"')).toContain('There is no campaign "none".');
      expect(body).not.toContain(path);
      expect(body).not.toContain('Not Found</h1>');
    }
    await expect(world.foray.record('none')).rejects.toMatchObject({
      local: expect.stringContaining(path),
    });
  });

  test('about the store does not say where the store is', () => {
    for (const code of [
      'STORE_LOST',
      'STORE_UNREACHABLE',
      'STORE_UNUSABLE',
      'STORE_NEWER',
      'STORE_MISSING',
    ] as const) {
      const error = new ForayError(code, 'The store /home/ada/store.db is gone.', {
        hint: 'Look at /home/ada.',
      });
      const problem = problemOf(error);
      expect([code, problem.status]).toEqual([code, 503]);
      expect(JSON.stringify(problem)).not.toContain('/home');
    }
  });
});

describe('an empty list', () => {
  test('offers a key that may only read nothing to start', async () => {
    const { body } = await page('/', 'read');
    expect(body).toContain('There is no campaign yet.');
    expect(linksIn(body)).not.toEqual(expect.arrayContaining(['/new']));
    expect((await send('/new', { do: 'start' }, 'read')).status).toBe(403);
  });

  test('starts an example by one click', async () => {
    const { body } = await page('/', 'steer');
    const [, definition] = /name="definition" value="([^"]+)"/.exec(body)!;
    const started = await send('/new', { definition: unescaped(definition!), do: 'start' }, 'steer');
    expect(started.status).toBe(303);
    const id = String(started.headers.location).split(/[/#]/)[2]!;
    await until('the example has ended', async () => (await world.foray.status(id)).phase === 'completed');
    const { runs } = await world.foray.status(id);
    expect([runs.done, runs.failed]).toEqual([77, 0]);
    expect((await page('/', 'steer')).body).not.toContain('Start an example');
  });
});

test('all links and forms on the pages for a key that may read lead to what it may do', async () => {
  const text =
    'campaign: bad\nmodel: {name: Rehearsal}\ndesign: {grid: {Value: [1, 2], Fail: [true, false]}}\n';
  await world.foray.submit({ text, file: 'bad.yaml' }, { id: 'bad' });
  await until('the campaign has ended', async () => (await world.foray.status('bad')).phase === 'completed');
  const seen = new Set<string>();
  const open = ['/', '/campaigns/bad', '/compare'];
  const refused: string[] = [];
  for (let path = open.shift(); path !== undefined; path = open.shift()) {
    const bare = path.split('#')[0]!;
    // one page stands for all of its kind
    const kind = bare
      .split('?')[0]!
      .replace(/campaigns\/[^/]+/, 'campaigns/:id')
      .replace(/points\/\w+/, 'points/:key')
      .replace(/(models|docs)\/.+/, '$1/:name');
    if (seen.has(kind) || !bare.startsWith('/')) continue;
    seen.add(kind);
    const { status, body, headers } = await page(bare, 'read');
    if (status === 403 || status === 404) refused.push(`${status} ${bare}`);
    if (bare.startsWith('/api/') || !String(headers['content-type']).startsWith('text/html')) continue;
    const forms = [...body.matchAll(/<(?:form|button)[^>]*method="post"[^>]*action="([^"]+)"/g)];
    expect([bare, forms.map(([, action]) => action)]).toEqual([bare, ['/logout']]);
    open.push(...linksIn(body).filter((link) => link !== '/logout'));
  }
  expect(refused).toEqual([]);
  for (const part of ['', '/runs', '/failures', '/definition', '/downloads', '/points/:key'])
    expect(seen).toContain(`/campaigns/:id${part}`);
  const { body } = await page('/', 'read');
  expect(body).toContain('rita, role read');
});

test('the name of each downloaded file begins with the id of its campaign', async () => {
  for (const name of ['results.csv', 'results.parquet', 'results.jsonl', 'report.html', 'definition.yaml']) {
    const part = name.replace('definition.yaml', 'definition');
    const { headers } = await page(`/api/v1/campaigns/bad/${part}`, 'read');
    expect(headers['content-disposition']).toBe(`attachment; filename="bad-${name}"`);
  }
});

describe('the grid', () => {
  test('of campaigns sorts by its heads', async () => {
    const ids = async (order: string): Promise<string[]> => {
      const { body } = await page(`/?${new URLSearchParams({ order }).toString()}`, 'read');
      return [...body.matchAll(/id="row-([^"]+)"/g)].map(([, id]) => id!);
    };
    expect(await ids('lowest:campaign')).toEqual(['bad', expect.stringMatching(/^first-example/)]);
    expect(await ids('highest:campaign')).toEqual([expect.stringMatching(/^first-example/), 'bad']);
    expect(await ids('highest:runs')).toEqual([expect.stringMatching(/^first-example/), 'bad']);
    const { body } = await page('/?order=lowest%3Acampaign', 'read');
    expect(body).toMatch(/aria-sort="ascending">\s*<a href="[^"]*highest%3Acampaign"/);
    expect(body).toContain('Try values');
  });

  test('of runs says which runs it shows, and has failed runs', async () => {
    const { body } = await page('/campaigns/bad/runs?state=failed&order=highest%3AValue', 'read');
    expect(body).toContain('Runs 1 to 2 of 2');
    const cells = [...body.matchAll(/data-name="Value"[^>]*>([^<]*)</g)].map(([, cell]) => cell);
    expect(cells).toEqual(['2', '1']);
    expect((await page('/campaigns/bad/runs?from=x', 'read')).status).toBe(400);
  });
});

test('the page of a point names its inputs, has its mean with an interval and its curves, and leads to its neighbours', async () => {
  const text = `campaign: repeated
model: {name: Epidemic}
inputs: {Stochastic: true}
design: {grid: {Contact rate: [1.2, 1.6, 2]}}
replications: 5
seed: 1
outputs: [Peak infected, Infected]
`;
  await world.foray.submit({ text, file: 'repeated.yaml' }, { id: 'repeated' });
  await until(
    'the campaign has ended',
    async () => (await world.foray.status('repeated')).phase === 'completed',
  );
  const rows = await world.rows('repeated');
  const keys = [...new Set(rows.map(({ point }) => point))];
  const { body } = await page(`/campaigns/repeated/points/${keys[1]!}`, 'read');
  expect(body).toMatch(/<h1 class="point">\s*Contact rate 1.6 per day/);
  expect(body).toContain('Point 2 of 3');
  const links = [...body.matchAll(/rel="(prev|next)"\s+href="([^"]+)"/g)].map(([, rel, href]) => [rel, href]);
  expect(links).toEqual([
    ['prev', `/campaigns/repeated/points/${keys[0]!}`],
    ['next', `/campaigns/repeated/points/${keys[2]!}`],
  ]);
  const peaks = rows
    .filter(({ point }) => point === keys[1])
    .map(({ outputs }) => Number(outputs['Peak infected']));
  const mean = peaks.reduce((sum, peak) => sum + peak, 0) / 5;
  const sd = Math.sqrt(peaks.reduce((sum, peak) => sum + (peak - mean) ** 2, 0) / 4);
  // Student's quantile for 4 degrees of freedom and 95 %
  const half = (2.776 * sd) / Math.sqrt(5);
  const [, low, high] = /data-name="95 % interval">\s*([\d.,]+) to ([\d.,]+)</.exec(body)!;
  const numbers = [low, high].map((end) => Number(end!.replaceAll(',', '')));
  expect(numbers[0]! / (mean - half)).toBeCloseTo(1, 2);
  expect(numbers[1]! / (mean + half)).toBeCloseTo(1, 2);
  expect(body).toContain('A line for each run');
  expect(body).toContain('<svg');
  const first = (await page(`/campaigns/repeated/points/${keys[0]!}`, 'read')).body;
  expect(first).not.toContain('rel="prev"');
});

test('the documentation of the package can be read on the page', async () => {
  const { status, body } = await page('/docs/README.md', 'read');
  expect([status, body]).toEqual([200, expect.stringContaining('href="/docs/getting-started.md"')]);
  for (const name of ['../package.json', '..%2fpackage.json', 'nothing.md', 'pictures/search.png'])
    expect([name, (await page(`/docs/${name}`, 'read')).status]).toEqual([name, 404]);
});
