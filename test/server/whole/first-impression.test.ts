import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ForayError } from '../../../src/errors.ts';
import { hashOf } from '../../../src/keys/hash.ts';
import { type Server, startServer } from '../../../src/server/app.ts';
import type { Role } from '../../../src/server/keys.ts';
import { problemOf } from '../../../src/server/problems.ts';
import { EPIDEMIC, REHEARSAL } from '../../service/fixed.ts';
import { ROOT } from '../../support/cli.ts';
import { report } from '../../support/seeds.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';
import { type Answer, ask } from '../support.ts';

const hasR = spawnSync('Rscript', ['-e', 'stopifnot(requireNamespace("jsonlite"))']).status === 0;
if (!hasR) report('left out: the lines of docs/guides/r.md, because R with jsonlite is not installed');

/** The code blocks of a page in one language. */
function blocksOf(page: string, language: string): string[] {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, code]) => code!);
}

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

const over = (id: string) =>
  until(`${id} has ended`, async () => (await world.foray.status(id)).phase === 'completed');

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
    await over(id);
    const { runs } = await world.foray.status(id);
    expect([runs.done, runs.failed]).toEqual([77, 0]);
    expect((await page('/', 'steer')).body).not.toContain('Start an example');
  });
});

test('all links and forms on the pages for a key that may read lead to what it may do', async () => {
  const text =
    'campaign: bad\nmodel: {name: Rehearsal}\ndesign: {grid: {Value: [1, 2], Fail: [true, false]}}\n';
  await world.foray.submit({ text, file: 'bad.yaml' }, { id: 'bad' });
  await over('bad');
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
  await over('repeated');
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

test('the page of a point in a calibration shows its distance', async () => {
  const text = `campaign: abc
model: {name: Epidemic}
inputs: {Population: 20, Days: 5}
outputs: [Peak infected]
calibrate:
  abc:
    priors: {Contact rate: {min: 1, max: 3}}
    observed: {Peak infected: 8}
    particles: 10
    stop: {generations: 1}
seed: 1
`;
  await world.foray.submit({ file: 'abc.yaml', text }, { id: 'abc' });
  await over('abc');
  const [row] = await world.rows('abc');
  const story = (await page(`/campaigns/abc/points/${row!.point}`, 'steer')).body;
  expect(story).toMatch(/The calibration chose this point as number 1, by\s+generation 1: distance [\d.]+\./);
});

test('marks of a sampled design in a picture link to the pages of their points', async () => {
  const text =
    'campaign: sampled\nmodel: {name: Epidemic}\noutputs: [Peak infected]\n' +
    'design: {lhs: {points: 20, inputs: {Contact rate: {min: 1.1, max: 3}, Recovery rate: {min: 0.2, max: 0.6}}}}\n';
  await world.foray.submit({ text, file: 'sampled.yaml' }, { id: 'sampled' });
  await over('sampled');
  const section = await until('the pictures are drawn', async () => {
    const { body } = await page('/campaigns/sampled', 'steer');
    return body.split('id="part-scatter"')[1];
  });
  const [, root] = /data-points="([^"]+)"/.exec(section)!;
  const { points, panels } = JSON.parse(/json">([^<]*)</.exec(section)![1]!) as {
    points: string[];
    panels: { places: number[]; rows: number | number[] }[];
  };
  // the panel of each input has a mark for each point; the smooth has rows without a point
  expect(new Set(points.filter(Boolean)).size).toBe(20);
  expect(panels).toHaveLength(2);
  for (const { places, rows } of panels) {
    // marks in the order of the rows have only the first row
    const shown =
      typeof rows === 'number' ? Array.from({ length: places.length / 2 }, (_, at) => rows + at) : rows;
    expect(shown).toEqual(expect.arrayContaining([0, 7, 19]));
  }
  expect((await page(root! + points[7]!, 'steer')).status).toBe(200);
});

test('the page still shows failures from before a change, and requests the failed runs of one cause again', async () => {
  const text = `campaign: broken
model: {name: Rehearsal}
design: {grid: {Value: [1, 2, 3], Fail: [true], Seconds: [0, -1]}}
`;
  await world.foray.submit({ text, file: 'broken.yaml' }, { id: 'broken' });
  await over('broken');
  const changed = text.replace('3], Fail: [true]', '3], Fail: [true, false]');
  await world.foray.apply('broken', { text: changed, file: 'broken.yaml' });
  await until('the new runs are done', async () => (await world.foray.status('broken')).runs.done === 3);
  await over('broken');
  const shown = await page('/campaigns/broken/failures', 'steer');
  expect(shown.body).toMatch(/<td class="number" data-name="Runs">3<\/td>/);
  expect(shown.body.match(/Request these runs again/g)).toHaveLength(2);
  expect((await send('/campaigns/broken/retry', { cause: 'No such cause' }, 'steer')).status).toBe(404);
  // the runs of one of the two causes are requested again
  const [, cause] = /name="cause" value="(Rehearsal[^"]+)"/.exec(shown.body)!;
  expect((await send('/campaigns/broken/retry', { cause: cause! }, 'steer')).status).toBe(303);
  await over('broken');
  const attempts = (await world.rows('broken')).map(({ point }) => world.foray.explain('broken', point));
  const again = (await Promise.all(attempts)).filter(({ runs }) => runs[0]!.earlier.length > 0);
  expect(again).toHaveLength(3);
  const retried = (await page(`/campaigns/broken/points/${again[0]!.point}`, 'steer')).body;
  expect(retried).toMatch(/Earlier attempts that failed[^]*<div class="reason">Rehearsal/);
});

(hasR ? test : test.skip)(
  'R submits a campaign and reads its results with the lines of the guide',
  async () => {
    const definition = blocksOf('getting-started.md', 'yaml').find((block) =>
      block.startsWith('campaign: flu'),
    );
    writeFileSync(join(world.folder, 'flu.yaml'), definition!);
    writeFileSync(join(world.folder, 'flu.R'), blocksOf('guides/r.md', 'r').join('\n'));
    const env = { ...process.env, FORAY_URL: server.url, FORAY_KEY: KEYS.steer };
    const child = spawn('Rscript', ['flu.R'], { cwd: world.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [told, faults, [code]] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      once(child, 'exit') as Promise<[number | null]>,
    ]);
    expect([code, faults]).toEqual([0, '']);
    // R prints a mean for each of the three contact rates
    expect(told).toMatch(/Contact rate\W+Attack rate\n1 +1\.2 +0\.\d+\n2 +1\.6 +0\.\d+\n3 +2\.0 +0\.\d+/);
  },
);
