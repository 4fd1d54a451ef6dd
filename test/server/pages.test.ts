import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { reportOf } from '../../src/report/of-campaign.ts';
import type { Server } from '../../src/server/app.ts';
import { until } from '../support/until.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';
import { type Answer, ask, asInReport, LOGGED_IN, pageOf, sendForm, serverOf } from './support.ts';
import { EPIDEMIC, REHEARSAL } from '../service/fixed.ts';
import { writeModel } from '../service/support.ts';

let world: World;
let server: Server;
const FIT = `campaign: fit
model: {name: Epidemic}
design: {grid: {Contact rate: [1.2, 1.6, 2], Recovery rate: [0.4, 0.5]}}
outputs: [Peak infected, Infected]
`;
const models = mkdtempSync(join(tmpdir(), 'foray-pages-'));

beforeAll(async () => {
  writeModel(
    models,
    'undrawn',
    `export default {
      name: 'Undrawn', description: '', published: true,
      inputs: [], outputs: [{ name: 'Out', type: 'DOUBLE' }],
      run: () => ({ Out: 1 }),
    };`,
  );
  world = await startWorld({ models: [EPIDEMIC, REHEARSAL, models], executors: 2 });
  await world.startWorker();
  // on a busy machine, a check whether the service and Temporal answer may fail, and pages then show this;
  // reachability.test.ts tests these checks
  world.foray.answers = () => Promise.resolve({ service: true, temporal: true });
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
const over = (id: string) =>
  until(`${id} has ended`, async () =>
    ['completed', 'cancelled'].includes((await world.foray.status(id)).phase),
  );

describe('without scripts', () => {
  test('a form gives a definition; a person can plan, start and follow a campaign', async () => {
    const form = await send('/new', {
      '/model/name': 'Epidemic',
      '/campaign': 'epidemic',
      definition: '',
      was: '',
      way: 'grid',
      '/inputs/Days?': '0',
      '/inputs/Days:0': '14',
      '/design/grid/Contact rate?': '2',
      '/design/grid/Contact rate:2/from': '1.2',
      '/design/grid/Contact rate:2/to': '2',
      '/design/grid/Contact rate:2?step|count': 'step',
      '/design/grid/Contact rate:2/step': '0.4',
      do: 'plan',
    });
    expect(form.body).toContain('from: 1.2');
    expect(form.body).toContain('Days: 14');
    expect(form.body).toMatch(/3\s+points,\s+3\s+runs/);
    const plan = await send('/new', { definition: FIT, do: 'plan' });
    expect([plan.status, plan.body]).toEqual([200, expect.stringMatching(/6\s+points,\s+6\s+runs/)]);
    const started = await send('/new', { definition: FIT, id: 'fit', do: 'start' });
    expect([started.status, started.headers.location]).toEqual([303, '/campaigns/fit#taken']);
    await over('fit');
    const { body } = await page('/campaigns/fit');
    expect(body).toContain('completed');
    expect(body).toMatch(/6 of 6 runs finished/);
    const list = (await page('/')).body;
    expect(list).toContain('href="/campaigns/fit"');
    expect(list).toContain('>somebody</td>');
  });

  test('a mistake stands at its field, which is marked, and the form comes back with everything that was typed', async () => {
    const answer = await send('/new', {
      '/model/name': 'Epidemic',
      '/campaign': 'two words',
      definition: '# mine\ncampaign: x\nmodel: {name: Epidemic}\n',
      was: 'campaign: x\nmodel: {name: Epidemic}\n',
      way: 'lhs',
      '/design/lhs/points': 'many',
      '/design/lhs/inputs/Contact rate?': '1',
      '/design/lhs/inputs/Contact rate:1/min': '1',
      '/design/lhs/inputs/Contact rate:1/max': '1e3x',
      do: 'start',
    });
    expect(answer.status).toBe(422);
    for (const typed of ['# mine', 'two words', 'value="many"', 'value="1e3x"'])
      expect(answer.body).toContain(typed);
    const marked = [...answer.body.matchAll(/<input[^>]*aria-invalid="true"[^>]*>/g)].map(([one]) => one);
    expect(marked.map((one) => /name="([^"]+)"/.exec(one)![1])).toEqual([
      '/campaign',
      '/design/lhs/points',
      '/design/lhs/inputs/Contact rate:1/max',
    ]);
  });

  test.each([
    ['grid', 'design.grid'],
    ['lhs', 'design.lhs.inputs'],
    ['search', 'search.over'],
  ])(
    'that no input varies in the way %s is said where a person chooses what varies',
    async (way, setting) => {
      const { body } = await send('/new', {
        '/model/name': 'Epidemic',
        definition: '',
        was: '',
        way,
        do: 'plan',
      });
      const [inputs] = /<legend>Inputs<\/legend>[^]*?<div class="row"/.exec(body)!;
      expect(inputs).toMatch(new RegExp(`<small class="bad wrong"[^>]*>&#34;${setting}&#34;`));
    },
  );

  test('a search has no fields for a second goal, which it would refuse', async () => {
    const shown = async (way: string, definition = ''): Promise<string> =>
      (await send('/new', { '/model/name': 'Epidemic', definition, was: '', way, do: 'show' })).body;
    expect(await shown('grid')).toContain('name="/goal/maximize"');
    for (const way of ['search', 'select']) expect(await shown(way)).not.toContain('name="/goal/maximize"');
    // a goal that somebody wrote has its fields, and its mistake stands there
    const written =
      'model: {name: Epidemic}\nsearch: {minimize: Peak infected}\ngoal: {maximize: Attack rate}\n';
    expect(await shown('', written)).toMatch(/name="\/goal\/maximize"\s+value="Attack rate"/);
  });

  test('a definition that was edited by hand comes back into the fields, and the rest is named', async () => {
    const definition =
      'campaign: x\nmodel: {name: Epidemic}\ndesign: {product: [{grid: {Days: [3]}}]}\nseed: 7\n';
    const { body } = await send('/new', {
      '/model/name': 'Epidemic',
      '/campaign': 'x',
      definition,
      was: 'campaign: x\nmodel: {name: Epidemic}\n',
      do: 'show',
    });
    expect(body).toMatch(/name="\/seed"\s+value="7"/);
    expect(body).toMatch(/do not show: <code>design.product<\/code>/);
    expect(body).toContain('product: [{grid: {Days: [3]}}]');
  });

  test('a definition of another model keeps its design, although the form had one point', async () => {
    const was = 'campaign: x\nmodel: {name: Rehearsal}\n';
    const fields = { '/model/name': 'Rehearsal', '/campaign': 'x', was, way: '' };
    const { body } = await send('/new/form', { ...fields, definition: FIT });
    expect(body).toContain('design: {grid: {Contact rate: [1.2, 1.6, 2], Recovery rate: [0.4, 0.5]}}');
    expect(body).toMatch(/name="\/design\/grid\/Contact rate:0"\s+value="1.2, 1.6, 2"/);
  });

  test('the list of campaigns shows the best value of a goal, and can be filtered by name', async () => {
    const sought = FIT.replace('campaign: fit', 'campaign: sought') + 'goal: {minimize: Peak infected}\n';
    await world.foray.submit({ text: sought, file: 'sought.yaml' }, { id: 'another' });
    await over('another');
    let [lowest] = [Infinity];
    for await (const { outputs } of (await world.foray.results('another')).rows)
      lowest = Math.min(lowest, Number(outputs['Peak infected']));
    const row = await until('the list has the best value', async () => {
      const { body } = await page('/?q=sought');
      const [found] = /<tr id="row-another">.*?<\/tr>/s.exec(body)!;
      return found.includes('Peak infected') && found;
    });
    expect(row).toContain(lowest.toLocaleString('en-US', { maximumSignificantDigits: 4 }));
    expect(row).toContain('sought');
    expect((await page('/?q=sought')).body).not.toContain('row-fit');
  });

  test('a definition can be written without the form', async () => {
    expect((await page('/new')).body).toContain('<textarea');
    const plan = await send('/new/form', { definition: FIT, do: 'plan' });
    expect([plan.status, plan.body]).toEqual([200, expect.stringMatching(/6\s+points/)]);
  });

  test('a form that comes twice starts one campaign, and a changed form starts another one', async () => {
    const [, token] = /name="token"\s+value="([^"]+)"/.exec((await page('/new')).body)!;
    const definition = 'campaign: twice\nmodel: {name: Epidemic}\ninputs: {Population: 20, Days: 3}\n';
    const start = async (text: string, made = token!): Promise<unknown> =>
      (await send('/new', { definition: text, token: made, do: 'start' })).headers.location;
    const [first, second] = await Promise.all([start(definition), start(definition)]);
    expect(first).toMatch(/^\/campaigns\/twice-/);
    expect(second).toBe(first);
    expect(await start(definition.replace('Days: 3', 'Days: 4'))).not.toBe(first);
    expect(await start(definition, 'of another page')).not.toBe(first);
    expect((await send('/new/form', { definition, token: 'mine' })).body).toMatch(
      /name="token"\s+value="mine"/,
    );
  });

  test.each([
    ['until precise', '1', ['min', 'max']],
    ['least and most', '2', ['min', 'max']],
  ])(
    'the choice "%s" whose fields are empty is a mistake at them, and no other plan',
    async (_, shape, missing) => {
      const { body } = await send('/new', {
        ...{ '/model/name': 'Rehearsal', '/campaign': 'x', definition: '', was: '', way: '' },
        ...{ '/replications?': shape, '/replications:1?relative|absolute': 'relative', do: 'plan' },
      });
      expect(body).not.toMatch(/1\s+run/);
      const wrong = [...body.matchAll(/id="wrong-f-([^"]+)"\s*>([^<]+)<\/small>/g)];
      const found = wrong.map(([, name, text]) => [decodeURIComponent(name!), text]);
      expect(found).toEqual(
        missing.map((name) => [`replications:${shape}/${name}`, expect.stringMatching(/is missing/)]),
      );
    },
  );

  test('a file that is missing is uploaded at its field, and a definition that is too long is refused', async () => {
    const definition = 'campaign: x\nmodel: {name: Epidemic}\ndesign: {points: none.csv}\n';
    const { body } = await send('/new/form', { definition, do: 'plan' });
    expect(body).toContain('Upload it at its field.');
    expect(body).not.toContain('BASE64');
    // writing a million hostile characters into the page again takes up to 0.4 s
    const long = `# ${'<'.repeat(200_000)}`;
    for (const path of ['/new', '/new/form', '/campaigns/fit/definition'])
      expect((await send(path, { definition: long, do: 'compare' })).status).toBe(413);
    expect((await send('/new/form', { definition, '/campaign': long })).status).toBe(413);
    // a program may start such a campaign
    const text = `${rehearsal({ count: 1, seconds: 0 }).text}${long}`;
    await world.foray.submit({ text, file: 'long.yaml' }, { id: 'long-text' });
    const shown = (await page('/campaigns/long-text/definition')).body;
    expect(shown).toMatch(/The definition has 200,\d+ characters/);
    expect(shown).not.toContain('<textarea');
    expect(shown.length).toBeLessThan(6 * 200_000);
    expect((await page('/new?from=long-text')).status).toBe(413);
    await over('long-text');
  });

  test('the server says that it has taken a single run, so the browser forgets its draft', async () => {
    const { headers } = await send('/models/Epidemic/runs', { 'in:Population': '20', 'in:Days': '3' });
    expect(headers.location).toMatch(/^\/models\/Epidemic\/runs\/[^?]+\?[^#]+#taken$/);
  });

  test('the page shows a wrong definition again, with the line of each mistake', async () => {
    const answer = await send('/new', { definition: 'campaign: x\nmodel: {name: Epidemi}\n', do: 'start' });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatch(/Line 2, column \d+/);
    expect(answer.body).toContain('Epidemi');
  });

  test('runs, a point, failures, downloads, models and the API have pages; an unknown campaign gives 404', async () => {
    const runs = (await page('/campaigns/fit/runs')).body;
    const [, point] = /href="(\/campaigns\/fit\/points\/\w+)"/.exec(runs)!;
    const [row] = await world.rows('fit');
    const story = (await page(`/campaigns/fit/points/${row!.point}`)).body;
    expect(story).toContain('Contact rate');
    // the page has the outputs of each run
    expect(story).toContain('<th class="number">Peak infected');
    const peak = Number(row!.outputs['Peak infected']);
    expect(story).toContain(peak.toLocaleString('en-US', { maximumSignificantDigits: 4 }));
    expect((await page(point!)).status).toBe(200);
    expect((await page('/campaigns/fit/failures')).body).toContain('No run has failed.');
    expect((await page('/campaigns/fit/downloads')).body).toContain('results.parquet');
    expect((await page('/models')).body).toContain('Rehearsal');
    expect((await page('/reference')).body).toContain('/campaigns/:id');
    const none = await page('/campaigns/none');
    expect(none.status).toBe(404);
    expect(none.body).toContain('href="/models"');
  });

  test('runs can be ordered by an output; the order by the time of the end also shows all runs', async () => {
    const peaks = async (order: string): Promise<number[]> => {
      const { body } = await page(`/campaigns/fit/runs?${new URLSearchParams({ order }).toString()}`);
      const at = [...body.matchAll(/<th\b[^>]*>\s*(?:<a [^>]*>)?([^<]*)/g)].findIndex(
        ([, name]) => name!.trim() === 'Peak infected',
      );
      const rows = [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].slice(1);
      return rows.map(([, row]) => Number([...row!.matchAll(/<td[^>]*>(.*?)<\/td>/gs)][at]![1]));
    };
    const lowest = await peaks('lowest:Peak infected');
    expect(lowest).toHaveLength(6);
    expect(lowest).toEqual(lowest.toSorted((a, b) => a - b));
    expect(await peaks('highest:Peak infected')).toEqual(lowest.toReversed());
    expect((await peaks('highest:finished')).toSorted((a, b) => a - b)).toEqual(lowest);
    expect((await page('/campaigns/fit/runs?order=lowest:Nothing')).status).toBe(422);
    for (const name of ['Nothing', '__proto__', 'toString'])
      expect((await page(`/?order=lowest:${name}`)).status).toBe(200);
  });

  test('the address chooses the inputs on the axes, and the page refuses an input that does not vary', async () => {
    const body = await until('the pictures have the chosen axes', async () => {
      const { body } = await page('/campaigns/fit?x=Recovery+rate');
      return body.includes('over Recovery rate and Contact rate') && body;
    });
    expect(body).toMatch(
      /<select name="x">[^]*<option value="Recovery rate" +selected>Recovery rate<\/option>/,
    );
    // two inputs leave no third one for pictures, but tell the curves of the model apart
    expect(body).toMatch(/A curve for each value of\s*<select name="by">/);
    expect((await page('/campaigns/fit?x=Days')).status).toBe(422);
  });

  test('the chosen view filters the runs, and the links of the tabs pass it on to the downloads', async () => {
    const view = new URLSearchParams({ show: 'Peak infected', 'in:Contact rate': '1.2..1.6' }).toString();
    const runs = async (more: string): Promise<string[]> => {
      const { body } = await page(`/campaigns/fit/runs?${view}${more}`);
      return [...body.matchAll(/points\/(\w+)[^"]*"><code>/g)].map(([, key]) => key!);
    };
    for (const order of ['', 'highest:finished', 'lowest:Peak infected'])
      expect(await runs(`&${new URLSearchParams({ order }).toString()}`)).toHaveLength(4);
    expect((await page(`/campaigns/fit/runs?in%3ANothing=1`)).status).toBe(422);

    const { body } = await page(`/campaigns/fit?${view}`);
    const next = /href="([^"]*downloads[^"]*)"/.exec(body)![1]!.replaceAll('&#38;', '&');
    const downloads = (await page(next)).body;
    const csv = /href="([^"]*results\.csv[^"]*)"/.exec(downloads)![1]!.replaceAll('&#38;', '&');
    expect((await page(csv)).body.trim().split('\n')).toHaveLength(1 + 4);
    const [key] = await runs('');
    for (const part of ['failures', 'definition', `points/${key}`])
      expect((await page(`/campaigns/fit/${part}?${view}`)).body).toContain(
        `href="/campaigns/fit/runs?${view.replaceAll('&', '&#38;')}"`,
      );
    const failures = (await page(`/campaigns/fit/failures?${view}`)).body;
    expect(failures).toContain('Failures of all points.');
    expect((await page('/campaigns/fit/failures')).body).not.toContain('Failures of all points.');
  });

  test('a person can try a single run of a model, and the page shows the outputs of the run', async () => {
    const form = (await page('/models/Epidemic')).body;
    expect(form).toMatch(/name="in:Contact rate"\s+value="[\d.]+"/);
    const refused = await send('/models/Epidemic/runs', { 'in:Contact rate': 'much' });
    expect([refused.status, refused.body]).toEqual([422, expect.stringContaining('Contact rate')]);
    await expect(world.foray.requestRun('Epidemic', { 'Contact rat': '1.9' })).rejects.toMatchObject({
      code: 'UNKNOWN_INPUT',
      hint: 'Did you mean "Contact rate"?',
    });
    const sent = await send('/models/Epidemic/runs', { 'in:Contact rate': '1.9', 'in:Days': '20' });
    expect(sent.status).toBe(303);
    const path = String(sent.headers.location);
    const done = await until('the run is done', async () => {
      const { body } = await page(path);
      return /<td[^>]*>Peak infected/.test(body.split('id="run"')[1]!) && body;
    });
    expect(done).toMatch(/name="in:Contact rate"\s+value="1.9"/);
    const { next, parts } = JSON.parse((await page(path.replace('?', '/live?'))).body) as {
      next: number;
      parts: { id: string }[];
    };
    expect([next, parts.map(({ id }) => id)]).toEqual([0, ['away', 'run']]);
    expect((await page('/models/Nothing')).status).toBe(404);
    // the page names the values that the model allows
    expect((await page('/models/Rehearsal')).body).toMatch(/at least|one of| to /);
  });

  test('a run of a point can be animated', async () => {
    // the animation of so many days does not end during the test
    const text = `campaign: drawn\nmodel: {name: Epidemic}\ninputs: {Days: 1000}\noutputs: [Peak infected]\n`;
    await world.foray.submit({ text, file: 'drawn.yaml' }, { id: 'drawn' });
    await over('drawn');
    const runs = (await page('/campaigns/drawn/runs')).body;
    const [, point] = /href="(\/campaigns\/drawn\/points\/\w+)"/.exec(runs)!;
    expect((await page(point!)).body).toContain(`action="${point}/animation/1"`);
    const { body } = await send(`${point}/animation/1`, {});
    const [, address] = /href="(http:[^"]+)" target="_blank"/.exec(body)!;
    expect(await (await fetch(`${address}/frame`)).json()).toMatchObject({ model: 'Epidemic' });
    expect((await send(`${point}/animation/7`, {})).status).toBe(404);
  });

  test('a run of a model without an animation cannot be animated, and the page says why', async () => {
    await world.foray.submit(
      { text: 'campaign: undrawn\nmodel: {name: Undrawn}\n', file: 'undrawn.yaml' },
      { id: 'undrawn' },
    );
    await over('undrawn');
    const [{ point } = { point: '' }] = await world.rows('undrawn');
    const path = `/campaigns/undrawn/points/${point}`;
    expect((await page(path)).body).not.toContain('Animate');
    const answer = await send(`${path}/animation/1`, {});
    expect([answer.status, answer.body]).toEqual([
      422,
      expect.stringContaining('does not say how it is drawn'),
    ]);
  });

  test('pages change the window, pause campaigns and cancel campaigns; a page asks before it cancels a campaign', async () => {
    await world.foray.submit(rehearsal({ count: 40, seconds: 30, more: 'concurrency: 1' }), { id: 'long' });
    await until('the campaign runs', async () => (await world.foray.status('long')).runs.running > 0);
    expect((await send('/campaigns/long/window', { concurrency: '4' })).status).toBe(303);
    await until('the window is set', async () => (await world.foray.status('long')).window === 4);
    expect((await send('/campaigns/long/window', { concurrency: 'many' })).status).toBe(400);
    expect((await send('/campaigns/long/pause', {})).status).toBe(303);
    // the store knows the phase a moment after the workflow
    await until('the campaign is paused', async () => (await world.foray.record('long')).phase === 'paused');
    const question = await page('/campaigns/long/cancel');
    expect(question.body).toContain('Finished results stay.');
    expect((await world.foray.status('long')).phase).toBe('paused');
    const two = new URLSearchParams([
      ['id', 'fit'],
      ['id', 'long'],
    ]).toString();
    // one campaign has already ended: the page reports this, and still cancels the other campaign
    const answer = await ask(`${server.url}/chosen/cancel`, {
      method: 'POST',
      headers: { ...LOGGED_IN, 'content-type': 'application/x-www-form-urlencoded' },
      body: two,
    });
    expect([answer.status, answer.body]).toEqual([409, expect.stringContaining('fit')]);
    await over('long');
    expect((await world.foray.status('long')).phase).toBe('cancelled');
  });

  test('a page shows the differences of a changed definition, and applies the definition unless another change came first', async () => {
    const changed = FIT.replace('[0.4, 0.5]', '[0.4, 0.5, 0.6]');
    const path = '/campaigns/fit/definition';
    const etagIn = ({ body }: Answer) =>
      /name="etag" value="([^"]+)"/.exec(body)![1]!.replaceAll('&#34;', '"');
    const opened = etagIn(await page(path));
    const compare = (etag: string) => send(path, { definition: changed, do: 'compare', etag });
    const shown = await compare(opened);
    expect([shown.status, shown.body]).toEqual([200, expect.stringContaining('3 added, 0 dropped, 6 kept')]);
    const apply = (definition: string, etag: string) => send(path, { definition, do: 'apply', etag });
    expect((await apply(changed, 'another')).status).toBe(409);
    const etag = etagIn(shown);
    const another = FIT.replace('[0.4, 0.5]', '[0.4, 0.5, 0.7]');
    const both = await Promise.all([changed, another].map((definition) => apply(definition, etag)));
    // if two people apply changes at the same time, one of them gets a conflict
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 409]);
    // a person who opened the page before the change learns of it, also after a mistake
    const mistaken = await send(path, { definition: 'campaign: [', do: 'compare', etag: opened });
    for (const known of [opened, etagIn(mistaken)]) {
      const late = await compare(known);
      expect([late.status, late.body]).toEqual([
        409,
        expect.stringContaining('Somebody has changed the definition since you opened this page.'),
      ]);
      expect((await compare(etagIn(late))).status).toBe(200);
    }
    await until('all nine runs are done', async () => (await world.foray.status('fit')).runs.done === 9);
    await over('fit');
  });

  test('two campaigns can be compared', async () => {
    await world.foray.submit({ text: FIT.replace('fit', 'other'), file: 'other.yaml' }, { id: 'other' });
    await over('other');
    const { body } = await page('/compare?id=fit&id=other');
    expect(body).toContain('Difference of Peak infected');
    expect(body).toContain('href="/campaigns/other"');
    const [point] = /\/campaigns\/fit\/points\/\w+/.exec(body)!;
    expect((await page(point)).status).toBe(200);
    expect(body).toContain('<figure data-points="/campaigns/fit/points/"');
    expect(body).toContain('Show as a table');
    // with one campaign, none, or more than two, a person chooses among different ones
    const choiceOf = (body: string) =>
      ['a', 'b'].map((name) => new RegExp(`name="${name}">[^]*?"([^"]+)" +selected`).exec(body)![1]);
    const one = (await page('/compare?a=other')).body;
    expect(one).toContain('Compare two campaigns');
    expect(choiceOf(one)[0]).toBe('other');
    expect(choiceOf(one)[1]).not.toBe('other');
    expect(choiceOf((await page('/compare?id=fit')).body)).toEqual(['fit', 'other']);
    const three = (await page('/compare?id=fit&id=other&id=broken')).body;
    expect(three).toContain('A comparison has two campaigns. You chose 3: fit, other, broken.');
    expect(choiceOf(three)).toEqual(['fit', 'other']);
  });
});

describe('a live page', () => {
  test('has the same sections as the report of a closed campaign, except for links and tables of pictures', async () => {
    const report = await reportOf(world.foray, 'fit', {});
    const isInReport = (section: string): boolean =>
      report.includes(asInReport(section).replace(/<\/div>$/, ''));
    // the sections from before the last change are whole, too, until new ones are drawn
    const html = await until('the page has the sections of the report', async () => {
      const { parts, next } = JSON.parse((await page('/campaigns/fit/live')).body) as {
        next: number;
        parts: { id: string; html: string }[];
      };
      const drawn = parts.find(({ id }) => id === 'report')?.html ?? '';
      const sections = drawn.split(/<div id="part-[\w-]+">/).slice(1);
      return next === 5_000 && sections.length > 5 && sections.every(isInReport) && drawn;
    });
    const [, root, cell] = /data-points="(\/campaigns\/fit\/points\/)"[^]*?"points":\["(\w+)"/.exec(html)!;
    expect((await page(root! + cell!)).status).toBe(200);
  });

  test('arrives before its pictures are drawn, and names its parts so that the server does not send these parts again', async () => {
    const view = '?in%3ARecovery+rate=0.5';
    const first = await page(`/campaigns/fit${view}`);
    expect(first.body).toContain('The pictures are being drawn.');
    expect(first.body).toContain('<noscript><meta http-equiv="refresh"');
    let whole = '';
    await until('all pictures are drawn', async () => {
      whole = (await page(`/campaigns/fit${view}`)).body;
      return whole.includes('part-facts') && whole.includes('data-next="5000"');
    });
    expect(whole).not.toContain('<noscript>');
    const [, have = ''] = /data-have="([^"]+)"/.exec(whole)!;
    const hashes = have.split(',').map((one) => one.split('=')[1]!);
    expect(have.split(',').map((one) => one.split('=')[0])).toEqual(['away', 'status', 'steering', 'report']);
    const { parts } = JSON.parse(
      (await page(`/campaigns/fit/live${view}&have=${hashes.join(',')}`)).body,
    ) as { parts: { id: string; hash: string; html?: string }[] };
    expect(parts).toEqual(have.split(',').map((one) => ({ id: one.split('=')[0], hash: one.split('=')[1] })));
  });

  test('gets no content for the parts that it has, and status 304 if nothing has changed', async () => {
    const first = await page('/campaigns/fit/live');
    const { parts } = JSON.parse(first.body) as { parts: { id: string; hash: string; html?: string }[] };
    const have = parts.map(({ hash }) => hash).join(',');
    const second = JSON.parse((await page(`/campaigns/fit/live?have=${have}`)).body) as typeof parts & {
      parts: { html?: string }[];
    };
    expect(second.parts.map(({ html }) => html)).toEqual(parts.map(() => undefined));
    const headers = { ...LOGGED_IN, 'if-none-match': String(first.headers.etag) };
    expect((await ask(`${server.url}/campaigns/fit/live`, { headers })).status).toBe(304);
  });

  test('accepts chosen values of an input, and refuses an unknown input', async () => {
    let body = '';
    await until('the pictures are drawn', async () => {
      body = (await page('/campaigns/fit/live?in%3AContact+rate=1.2')).body;
      return body.includes('part-facts');
    });
    expect(body).toMatch(/Lowest|Peak infected/);
    expect((await page('/campaigns/fit/live?in%3AContact+rate=1.5..')).status).toBe(200);
    expect((await page('/campaigns/fit?in%3ANothing=1')).status).toBe(422);
  });
});

test.each(['/page.js', '/form.js'])('the script %s has at most 5 kB when it is compressed', async (path) => {
  const { status, body } = await page(path);
  expect(status).toBe(200);
  expect(gzipSync(body).length).toBeLessThanOrEqual(5_000);
});

test('a form with too many controls is refused before it is read; a page says that the server did not take a form', async () => {
  const many = await ask(`${server.url}/new`, {
    method: 'POST',
    headers: { ...LOGGED_IN, 'content-type': 'application/x-www-form-urlencoded' },
    body: '%2Fa=b&'.repeat(25_000),
  });
  expect([many.status, many.body]).toEqual([413, expect.stringContaining('more than 20,000 controls')]);
  expect(many.body).toContain('<h1 data-problem');
  const parts = '--x\r\nContent-Disposition: form-data; name="/a"\r\n\r\nb\r\n'.repeat(25_000);
  const inParts = (parameters: string) =>
    ask(`${server.url}/new`, {
      method: 'POST',
      headers: { ...LOGGED_IN, 'content-type': `multipart/form-data${parameters}` },
      body: `${parts}--x--\r\n`,
    });
  for (const parameters of [
    '; boundary=x',
    '; BOUNDARY="x"',
    '; xboundary=zz; boundary=x',
    ';boundary=x;boundary=z',
  ])
    expect([parameters, (await inParts(parameters)).status]).toEqual([parameters, 413]);
  for (const parameters of ['', '; boundary=', '; xboundary=x'])
    expect([parameters, (await inParts(parameters)).status]).toEqual([parameters, 400]);
});

test('nobody without a key can send a large form', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
  for (const path of ['/login', '/logout']) {
    const answer = await ask(server.url + path, { method: 'POST', headers, body: 'x'.repeat(20_000) });
    expect([path, answer.status]).toEqual([path, 413]);
  }
});

test('a page shows hostile names as plain text', async () => {
  const name = '"><script>alert(1)</script>\u202e<img src=x onerror=alert(1)>';
  for (const path of [`/?q=${encodeURIComponent(name)}`, `/campaigns/${encodeURIComponent(name)}`]) {
    const { body } = await page(path);
    expect(body).not.toContain('<script>alert');
    expect(body).not.toContain('<img');
  }
  const answer = await send('/new', {
    definition: `campaign: ${JSON.stringify(name)}\nmodel: ${JSON.stringify(name)}`,
    do: 'plan',
  });
  expect(answer.body).not.toContain('<script>alert');
});
