import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { type Form, together, ways } from '../../src/campaign/form/form.ts';
import type { Shape } from '../../src/campaign/form/shape.ts';
import type { ModelAtService } from '../../src/client/index.ts';
import { fieldsOf, isEqual, valueIn } from '../../src/campaign/form/fields.ts';
import { ForayError } from '../../src/errors.ts';
import { campaignForm } from '../../src/server/pages/definition.ts';
import { sentIn } from '../../src/server/pages/sent-form.ts';
import { MOST_ON_PAGE } from '../../src/server/pages/form-parts.ts';
import { mistakesIn } from '../../src/server/pages/problem.ts';
import { drawn, MODEL, shape } from '../campaign/form/drawn.ts';
import fc, { draws } from '../support/fast-check.ts';

/** Tests what a browser sends back of the form that it got. */

const opened = (text: string): Form => together(MODEL, { text, was: text, fields: new Map() });

function pageOf(form: Form, contents: readonly string[] = [], mistakes: readonly ForayError[] = []): string {
  const version = { experimentTemplate: { inputs: MODEL.inputs, outputs: MODEL.outputs } };
  const model = { name: MODEL.name, version, experiments: [] } as unknown as ModelAtService;
  const others = { models: [], id: '', token: '', message: undefined, mistakes, isWrong: false };
  return campaignForm({ form, model, contents, ...others }).text;
}

const plain = (text: string): string =>
  text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));

/** A control of a page. `value`: what a browser sends of it; undefined if it sends nothing. */
interface Control {
  name: string;
  kind: string;
  value: string | undefined;
  /** What a person can choose instead. */
  others: string[];
}

/** The controls of a form as a browser has them: with the ends of lines of forms. */
function allControls(page: string): Control[] {
  const sent = (value: string): string => plain(value).replaceAll(/\r?\n/g, '\r\n');
  const tags = /<(select|textarea)\b([^>]*)>\n?([^]*?)<\/\1>|<input\b([^>]*)>/g;
  return [...page.matchAll(tags)].flatMap(([, tag, outer, inner = '', head = outer!]): Control[] => {
    const attribute = (name: string): string | undefined =>
      new RegExp(`\\s${name}="([^"]*)"`).exec(head)?.[1];
    const kind = tag ?? attribute('type') ?? 'text';
    if (!attribute('name') || kind === 'file') return [];
    const name = plain(attribute('name')!);
    if (/^(checkbox|radio)$/.test(kind)) {
      const value = sent(attribute('value')!);
      return [{ name, kind, value: /\schecked(\s|$)/.test(head) ? value : undefined, others: [value] }];
    }
    if (tag !== 'select') return [{ name, kind, value: sent(attribute('value') ?? inner), others: [] }];
    const options = [...inner.matchAll(/<option([^>]*)>([^<]*)/g)];
    const valueOf = ([, one, text]: RegExpMatchArray): string =>
      sent(/value="([^"]*)"/.exec(one!)?.[1] ?? text!.trim());
    const chosen = options.find(([, one]) => /\sselected(\s|$)/.test(one!)) ?? options[0];
    return [{ name, kind, value: chosen && valueOf(chosen), others: options.map(valueOf) }];
  });
}

/** What a browser sends of some controls. */
function sentOf(controls: readonly Control[]): URLSearchParams {
  return new URLSearchParams(
    controls.flatMap(({ name, value }): [string, string][] => (value === undefined ? [] : [[name, value]])),
  );
}

const controlsIn = (page: string): URLSearchParams => sentOf(allControls(page));

test('a form that a browser sends back unchanged changes nothing', () => {
  fc.assert(
    fc.property(drawn(), (definition) => {
      const text = stringify(definition);
      const { posted } = sentIn(controlsIn(pageOf(opened(text))));
      expect(isEqual(parse(together(MODEL, posted).text), definition)).toBe(true);
    }),
    { numRuns: draws(25) },
  );
});

/** Texts of persons who have not finished, or who are wrong. */
const TYPED = [
  '1',
  '1.',
  '0.0',
  '-',
  '1, ',
  '1, 2.50',
  'abc',
  ' x',
  '"a',
  'P(x > ',
  '3, 4,',
  '[',
  'null',
  'a: b #',
  '',
];

test('a person who changes one control after the other, and waits for each answer, finds all again, and the definition says it', () => {
  const action = fc.record({ at: fc.nat(), to: fc.nat() });
  fc.assert(
    fc.property(
      fc.constantFrom(...ways),
      fc.array(action, { minLength: 30, maxLength: 30 }),
      ({ name: way }, actions) => {
        const answer = (controls: URLSearchParams): Form => {
          const { posted, way: chosen } = sentIn(controls);
          return together(MODEL, posted, chosen);
        };
        const begun = controlsIn(pageOf(opened('campaign: x\n')));
        begun.set('way', way);
        let form = answer(begun);
        const known = new Map<string, string>();
        for (const { at, to } of actions) {
          const controls = allControls(pageOf(form));
          const open = controls.filter(({ name, kind }) => name.startsWith('/') && kind !== 'hidden');
          const one = open[at % open.length]!;
          const choices = one.others.length > 0 ? one.others : TYPED;
          const choice = choices[to % choices.length]!;
          one.value = one.kind === 'checkbox' && one.value !== undefined ? undefined : choice;
          form = answer(sentOf(controls));
          const fields = sentOf(allControls(pageOf(form)));
          const texts = (name: string): string => fields.getAll(name).filter(Boolean).join(', ');
          known.set(
            one.name,
            sentOf(controls)
              .getAll(one.name)
              .filter((text) => text.trim() !== '')
              .join(', '),
          );
          for (const [name, text] of known) expect([name, texts(name)]).toEqual([name, text]);
          const { fields: shown, notShown } = fieldsOf(shape, parse(form.text));
          expect(notShown).toEqual([]);
          expect(isEqual(valueIn(shape, shown), valueIn(shape, form.fields))).toBe(true);
        }
      },
    ),
    { numRuns: draws(20) },
  );
});

test.each([
  'design: { grid: { Closed: [ false, true ] } }',
  'design: { grid: { Closed: [ true, false, true ] } }',
  'outputs: [ Fit ~ error, Peak infected ]',
  'outputs: [ P(Peak infected > 3), Peak infected ]',
  'design: { lhs: { points: 4, inputs: { Closed: { distribution: choice, values: [ false, true ], weights: [ 0.9, 0.1 ] } } } }',
])('a change of another field leaves the order of %s', (line) => {
  const { posted } = sentIn(controlsIn(pageOf(opened(`${line}\n`))));
  const { text } = together(MODEL, { ...posted, fields: new Map([...posted.fields, ['seed', '7']]) });
  expect(text).toBe(`${line}\nseed: 7\n`);
});

test.each(['product', 'union'])(
  'a selection of points of a %s keeps them, and adds no other ones',
  (kind) => {
    const definition = `select: {maximize: Peak infected}\ndesign: {${kind}: [{grid: {Days: [3]}}, {grid: {Closed: [true]}}]}\n`;
    const page = pageOf(opened(definition));
    // a model with chance gets more than one
    expect(page).toMatch(/name="\/replications\?"[^>]*>\s*<option value="">default</);
    const { posted } = sentIn(controlsIn(page));
    const { text } = together(MODEL, { ...posted, fields: new Map([...posted.fields, ['seed', '7']]) });
    expect(text).toBe(`${definition}seed: 7\n`);
  },
);

test('a file that was uploaded comes back with its name and its content', () => {
  const files = ['points.csv:RGF5cwox', 'a: b.csv:RGF5cwoy'];
  expect(sentIn(controlsIn(pageOf(opened('campaign: x\n'), files))).files).toEqual({
    'points.csv': 'RGF5cwox',
    'a: b.csv': 'RGF5cwoy',
  });
});

test('a new file replaces the file of its field; files that are too large together are refused at their field', () => {
  const most = 8 * 1024 ** 2;
  const controls = (first: number, second: number): URLSearchParams =>
    new URLSearchParams([
      ['/design/points:1', 'old.csv'],
      ['/files/Cases', 'cases.csv'],
      ['upload/design/points:1', `new.csv:${Buffer.alloc(first).toString('base64')}`],
      ['content', `old.csv:${Buffer.alloc(most).toString('base64')}`],
      ['content', `cases.csv:${Buffer.alloc(second).toString('base64')}`],
    ]);
  const fits = sentIn(controls(3, most - 8));
  expect([Object.keys(fits.files), fits.mistakes]).toEqual([['cases.csv', 'new.csv'], []]);
  expect(fits.posted.fields.get('design/points:1')).toBe('new.csv');
  const { mistakes, files } = sentIn(controls(3, most));
  expect(Object.keys(files)).toEqual(['old.csv', 'cases.csv']);
  expect(mistakes).toMatchObject([{ code: 'INVALID_VALUE', place: { setting: ['design', 'points'] } }]);
});

describe('two uploads with the same file name', () => {
  const [first, second] = ['A\n1\n', 'B\n2\n'].map((text) => Buffer.from(text).toString('base64'));
  const sent = (...controls: [string, string][]) => {
    const { files, posted } = sentIn(new URLSearchParams(controls));
    return { files, fields: Object.fromEntries(posted.fields) };
  };
  const uploads: [string, string][] = [
    ['upload/files/A', `data.csv:${first}`],
    ['upload/files/B', `data.csv:${second}`],
  ];
  const both = {
    files: { 'data.csv': first, 'data-2.csv': second },
    fields: { 'files/A': 'data.csv', 'files/B': 'data-2.csv' },
  };

  test('each field has its own content', () => {
    expect(sent(...uploads)).toEqual(both);
    expect(sent(['/files/A', 'data.csv'], ['content', `data.csv:${first}`], uploads[1]!)).toEqual(both);
    // the path of the other field is in a folder, and only its last part is the name of the file
    expect(sent(['/files/A', 'sub/data.csv'], ['content', `data.csv:${first}`], uploads[1]!).files).toEqual(
      both.files,
    );
    const third = ['upload/files/C', `data.csv:${Buffer.from('C').toString('base64')}`] as [string, string];
    expect(sent(...uploads, third).fields).toMatchObject({ 'files/C': 'data-3.csv' });
  });

  test('the same content is one file, which stays as long as a field names it', () => {
    const same = sent(uploads[0]!, ['upload/files/B', `data.csv:${first}`]);
    expect(same).toEqual({
      files: { 'data.csv': first },
      fields: { 'files/A': 'data.csv', 'files/B': 'data.csv' },
    });
    const replaced = sent(
      ['/files/A', 'data.csv'],
      ['/files/B', 'data.csv'],
      ['content', `data.csv:${first}`],
      ['upload/files/B', `other.csv:${second}`],
    );
    expect(replaced.files).toEqual({ 'data.csv': first, 'other.csv': second });
    // a newer version of the file of one field replaces it
    expect(sent(['/files/A', 'data.csv'], ['content', `data.csv:${second}`], uploads[0]!).files).toEqual({
      'data.csv': first,
    });
  });

  test('a file that only the text names keeps its content', () => {
    const definition = 'design: {union: [{points: data.csv}]}\n';
    const { files } = sent(['definition', definition], ['content', `data.csv:${first}`], uploads[1]!);
    expect(files).toEqual(both.files);
  });
});

test('a file of an input with the name "observed" is no file with observations', () => {
  const upload = (field: string) =>
    sentIn(new URLSearchParams([[`upload/${field}`, `a.csv:${Buffer.from('1').toString('base64')}`]]));
  expect(upload('files/observed')).toMatchObject({
    files: { 'a.csv': 'MQ==' },
    posted: { observations: undefined },
  });
  expect(upload('calibrate/abc/observed')).toMatchObject({ files: {}, posted: { observations: '1' } });
});

test('texts that are too long are refused before they are written into a page', () => {
  const long = '"'.repeat(MOST_ON_PAGE + 1);
  for (const name of ['definition', 'was', 'id', '/campaign', '/notes/x', `/${long}`])
    expect(() => sentIn(new URLSearchParams([[name, long]]))).toThrow(
      expect.objectContaining({ code: 'TOO_LARGE' }),
    );
  const halves = new URLSearchParams([
    ['/a', long.slice(0.6 * MOST_ON_PAGE)],
    ['/b', long.slice(0.3 * MOST_ON_PAGE)],
  ]);
  expect(() => sentIn(halves)).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }));
  const most = new URLSearchParams([
    ['definition', long.slice(1)],
    ['was', long.slice(1)],
    ['content', `a.csv:${long}`],
  ]);
  expect(sentIn(most).posted.text).toHaveLength(MOST_ON_PAGE);
});

test('a goal that a search refuses is marked at its field', () => {
  const form = opened('search: { over: {}, minimize: Peak infected }\ngoal: { minimize: Peak infected }\n');
  const place = { file: 'definition', line: 2, column: 1, setting: ['goal'] };
  const mistake = new ForayError('INVALID_VALUE', 'The goal of a search …', { place });
  const page = pageOf(form, [], [mistake]);
  const [, field] = /href="#([^"]+)">To its field/.exec(page)!;
  expect(page).toMatch(new RegExp(`id="${field}"[^>]*>The goal of a search …<`));
});

test('a mistake in a file of a definition has no link to a line of the definition', () => {
  const mistake = (file: string): string =>
    mistakesIn(new ForayError('INVALID_VALUE', 'Wrong.', { place: { file, line: 3, column: 5 } })).text;
  expect(mistake('definition')).toContain('<a href="#line-3">Line 3, column 5</a>');
  expect(mistake('points.csv')).toContain('<code>points.csv</code>, line 3, column 5');
  expect(mistake('points.csv')).not.toContain('href');
});

test('a definition with a design that no field shows has no other way, and the page says so', () => {
  const form = opened('campaign: x\ndesign: {union: [{grid: {Days: [3]}}, {grid: {Days: [4]}}]}\n');
  const page = pageOf(form);
  expect(page).toMatch(/As in the definition:\s+<code>design.union<\/code>/);
  expect(controlsIn(page).has('way')).toBe(false);
  expect(page.match(/type="radio"[^>]*disabled/g)!.length).toBe(page.match(/type="radio"/g)!.length);
  expect(controlsIn(pageOf(opened('campaign: x\n'))).get('way')).toBe('');
});

test('the style sheet can show each shape of a choice', () => {
  const css = readFileSync(new URL('../../src/server/pages/page.css', import.meta.url), 'utf8');
  const most = (of: Shape | undefined): number => {
    if (of?.is === 'choice') return Math.max(of.of.length, ...of.of.map((one) => most(one.shape)));
    if (of?.is !== 'group') return 0;
    return Math.max(
      0,
      ...of.choices.map((keys) => keys.length),
      ...of.settings.map((one) => most(one.shape)),
    );
  };
  const count = most(shape);
  expect(count).toBeGreaterThan(5);
  for (let at = 0; at < count; at += 1) expect(css).toContain(`.shape[data-shape='${at}']`);
});
