import { describe, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { campaignName } from '../../../src/campaign/definition.ts';
import { fieldsOf, isEqual, valueIn } from '../../../src/campaign/form/fields.ts';
import { type Form, KIND, together, ways as allWays } from '../../../src/campaign/form/form.ts';
import type { FormModel, Shape } from '../../../src/campaign/form/shape.ts';
import fc from '../../support/fast-check.ts';
import { drawn, MODEL, shape } from './drawn.ts';

const opened = (text: string): Form => together(MODEL, { text, was: text, fields: new Map() });

describe('the fields and the text of a form say the same', () => {
  test('a drawn definition gives fields that give the definition', () => {
    fc.assert(
      fc.property(drawn(), (definition) => {
        const { fields, notShown } = fieldsOf(shape, definition);
        expect(notShown).toEqual([]);
        expect(isEqual(valueIn(shape, fields) ?? {}, definition)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('drawn fields give a text that gives the same fields', () => {
    fc.assert(
      fc.property(drawn(), (definition) => {
        const { fields } = fieldsOf(shape, definition);
        const { text } = together(MODEL, { text: '# a comment\n', was: '', fields });
        expect(text).toContain('# a comment');
        expect(isEqual((parse(text) as unknown) ?? {}, definition)).toBe(true);
        expect(new Map(opened(text).fields)).toEqual(new Map(fields));
      }),
      { numRuns: 60 },
    );
  });

  test('a change of fields changes nothing else, also if settings share their values', () => {
    fc.assert(
      fc.property(drawn(), drawn(), (before, after) => {
        const text = withAliases(before);
        const { fields } = fieldsOf(shape, after);
        const { text: changed } = together(MODEL, { text, was: text, fields });
        expect(isEqual((parse(changed) as unknown) ?? {}, after)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test('two settings that share a value have their own values after a change of one', () => {
    const text = `campaign: x
search:
  over:
    Contact rate: &range {min: &low 0, max: 1}
    Days: *range # the same
  stop: {points: *low}
`;
    const change = (fields: Record<string, string>): unknown => {
      const form = opened(text);
      const changed = new Map([...form.fields, ...Object.entries(fields)]);
      return parse(together(MODEL, { ...form, fields: changed }).text);
    };
    const [name] = [...opened(text).fields.keys()].filter((one) => /Contact rate.*\/max$/.test(one));
    const whole = parse(text) as { search: { over: object } };
    expect(change({ [name!]: '2' })).toEqual({
      ...whole,
      search: { ...whole.search, over: { ...whole.search.over, 'Contact rate': { min: 0, max: 2 } } },
    });
    const least = name!.replace('/max', '/min');
    expect(change({ [least]: '-1' })).toMatchObject({
      search: { over: { 'Contact rate': { min: -1 }, Days: { min: 0 } }, stop: { points: 0 } },
    });
    const none = change({ [name!]: '', [least]: '', [name!.replace(/:\d+\/max$/, '?')]: '' });
    expect(none).toMatchObject({ search: { over: { Days: { min: 0, max: 1 } } } });
  });

  test('a value that contains itself is refused with its place', () => {
    expect(() => opened('campaign: x\ninputs: &a {Days: *a}\n')).toThrow(
      expect.objectContaining({ code: 'DEFINITION_SYNTAX', place: expect.objectContaining({ line: 2 }) }),
    );
  });

  test('a changed list keeps its comments', () => {
    const text = `design:
  grid:
    Days: [1, 2] # weeks
    Contact rate: # a day
      - 1.5 # low
      - 2 # high
`;
    const form = opened(text);
    const lists = [...form.fields].filter(([, one]) => one.includes(', ')).map(([name]) => name);
    expect(lists).toHaveLength(2);
    const fields = new Map([...form.fields, [lists[0]!, '1, 2, 3'], [lists[1]!, '1.5, 1.7, 2']] as const);
    expect(together(MODEL, { ...form, fields }).text).toBe(`design:
  grid:
    Days: [1, 2, 3] # weeks
    Contact rate:
      # a day
      - 1.5 # low
      - 1.7
      - 2 # high
`);
  });

  test('while the model is unknown, the fields of its inputs stay', () => {
    const form = opened('campaign: x\ndesign: {grid: {Days: [1, 2]}}\n');
    const typed = new Map([...form.fields, ['inputs/Contact rate?', '0'], ['inputs/Contact rate:0', '1.7']]);
    const nothing = together({ name: '', inputs: [], outputs: [] }, { ...form, fields: typed });
    const again = together(MODEL, nothing);
    expect(parse(again.text)).toEqual({
      campaign: 'x',
      design: { grid: { Days: [1, 2] } },
      inputs: { 'Contact rate': 1.7 },
    });
  });
});

/** A definition whose equal parts share one value with an anchor. */
function withAliases(definition: unknown): string {
  const known = new Map<string, unknown>();
  const shared = (one: unknown): unknown => {
    if (typeof one !== 'object' || one === null) return one;
    const text = JSON.stringify(one);
    const copy: unknown = Array.isArray(one)
      ? one.map(shared)
      : Object.fromEntries(Object.entries(one).map(([key, value]) => [key, shared(value)]));
    if (!known.has(text)) known.set(text, copy);
    return known.get(text);
  };
  return stringify(shared(definition));
}

test('an input without numbers is not offered what takes numbers, such as a range', () => {
  /** The shapes that an input may have in the design or the strategy at a path. */
  const offered = (input: string, ...path: string[]): string[] => {
    const found = [...path, input].reduce<Shape | undefined>(
      (at, key) => (at?.is === 'group' ? at.settings.find((one) => one.key === key)?.shape : undefined),
      shape,
    )!;
    return found.is === 'choice'
      ? found.of.flatMap(({ name, isRare }) => (isRare ? [] : [name]))
      : [found.is];
  };
  expect(offered('Days', 'design', 'grid')).toContain('Range');
  expect(offered('Days', 'search', 'over')).toContain('Bounds');
  expect(offered('Days', 'design', 'lhs', 'inputs')).toContain('uniform');
  for (const input of ['Closed', 'Policy: a/b?']) {
    expect(offered(input, 'design', 'grid')).not.toContain('Range');
    expect(offered(input, 'search', 'over')).toEqual(['list']);
    expect(offered(input, 'design', 'lhs', 'inputs')).toEqual(['list', 'choice']);
    expect(offered(input, 'calibrate', 'abc', 'priors')).toEqual(['list', 'choice']);
  }
});

test('a part of the form offers only the outputs that the check of a definition accepts', () => {
  const offered = (...path: string[]): string[] => {
    const found = path.reduce<Shape | undefined>((at, key) => {
      const inner = at?.is === 'choice' ? at.of.find(({ shape: one }) => one.is === 'group')?.shape : at;
      return inner?.is === 'group' ? inner.settings.find((one) => one.key === key)?.shape : undefined;
    }, shape)!;
    return found.is === 'group' ? found.settings.map(({ key }) => key) : [found.is];
  };
  for (const way of ['search', 'select'])
    expect(offered(way, 'require')).toEqual(['Peak infected', 'Fit ~ error']);
  expect(offered('outputs', 'axes')).toEqual(['Infected']);
  expect(offered('calibrate', 'abc', 'observed')).toEqual(['Peak infected', 'Fit ~ error', 'Infected']);
});

test.each([
  ['Taktstraße', 'taktstrasse'],
  ['Wärmespeicher Größe v2.1 🔥', 'warmespeicher-grosse-v2.1'],
])('the name of a campaign of the model %s', (model, name) => {
  expect(campaignName(model)).toBe(name);
});

test('a name that was made from the model follows the model, and a name that a person typed stays', () => {
  const text = 'campaign: ice-hall\nmodel: { name: Ice hall }\n';
  for (const [typed, expected] of [
    ['ice-hall', 'epidemic'],
    ['mine', 'mine'],
  ] as const) {
    const fields = new Map([...opened(text).fields, ['model/name', 'Epidemic'], ['campaign', typed]]);
    expect(together(MODEL, { text, was: text, fields }).fields.get('campaign')).toBe(expected);
  }
});

test('a shape stays chosen before one of its fields is filled in, and a setting that was removed from the text does not come back', () => {
  const text = 'campaign: x\nmodel: { name: Epidemic }\ndesign: { grid: { Days: [1, 2] } }\n';
  const form = opened(text);
  const chosen = together(MODEL, {
    ...form,
    fields: new Map([...form.fields, ['design/grid/Contact rate?', '0']]),
  });
  expect(chosen.fields.get('design/grid/Contact rate?')).toBe('0');
  // a list of a form always has a choice, also where nothing is filled in
  const precise = { 'replications?': '1', 'replications:1?relative|absolute': 'relative' };
  const range = { 'design/grid/Contact rate?': '2', 'design/grid/Contact rate:2?step|count': 'step' };
  for (const given of [precise, range]) {
    const { fields } = together(MODEL, {
      ...form,
      fields: new Map([...form.fields, ...Object.entries(given)]),
    });
    expect(Object.fromEntries(fields)).toMatchObject(given);
  }
  const removed = together(MODEL, { ...form, text: text.replace('Days: [1, 2]', '"Contact rate": [1]') });
  const again = together(MODEL, removed);
  expect(again.fields.get('design/grid/Days?') ?? '').toBe('');
  expect(again.text).not.toContain('Days');
});

test.each([
  [{ 'replications?': '1', 'replications:1?relative|absolute': 'relative' }, { replications: {} }],
  [{ 'replications?': '2' }, { replications: {} }],
  [
    { 'design/grid/Contact rate?': '2', 'design/grid/Contact rate:2?step|count': 'step' },
    { design: { grid: { 'Contact rate': {} } } },
  ],
])(
  'a chosen shape whose fields are empty is in the text, so that its check says what is missing: %j',
  (fields, text) => {
    const grid = { design: { grid: { Days: [1, 2] } } };
    const form = opened(stringify(grid));
    const chosen = together(MODEL, { ...form, fields: new Map([...form.fields, ...Object.entries(fields)]) });
    expect(parse(chosen.text)).toMatchObject(text);
    expect(chosen.notShown).toEqual([]);
    expect(Object.fromEntries(together(MODEL, chosen).fields)).toMatchObject(fields);
    const [choice] = Object.keys(fields);
    const without = new Map([...chosen.fields, [choice!, '']]);
    expect(parse(together(MODEL, { ...chosen, fields: without }).text)).toEqual(grid);
  },
);

describe('a person who waits for each answer', () => {
  const set = (form: Form, fields: Record<string, string>): Form =>
    together(MODEL, { ...form, fields: new Map([...form.fields, ...Object.entries(fields)]) });
  const begun = opened('campaign: x\nmodel: { name: Epidemic }\n');

  test.each([
    ['inputs/Contact rate:0', '0.05', { inputs: { 'Contact rate': 0.05 } }],
    ['inputs/Contact rate:0', '1.0e-3', { inputs: { 'Contact rate': 0.001 } }],
    ['design/grid/Contact rate:0', '1, 2.50, 3', { design: { grid: { 'Contact rate': [1, 2.5, 3] } } }],
    [
      'design/grid/Policy~2 a~1b~3:0',
      '"a, ""b""", none',
      { design: { grid: { 'Policy: a/b?': ['a, "b"', 'none'] } } },
    ],
    ['outputs:0', 'P(Peak infected > 3), Fit ~ error', { outputs: ['P(Peak infected > 3)', 'Fit ~ error'] }],
    ['timeouts/run', '1.50 h', { timeouts: { run: '1.50 h' } }],
    [
      'design/points:1',
      'Days, Closed\n1, true\n2, false\n',
      {
        design: {
          points: [
            { Days: 1, Closed: true },
            { Days: 2, Closed: false },
          ],
        },
      },
    ],
  ])('types in %s: %j', (name, whole, expected) => {
    const [kind] = /(?<=^design\/)\w+/.exec(name) ?? [];
    const [choice, at] = name.split(/:(\d)$/);
    let form = set(begun, kind === undefined ? {} : { [KIND]: kind });
    if (at !== undefined) form = set(form, { [`${choice}?`]: at });
    for (let end = 1; end <= whole.length; end += 1) {
      form = set(form, { [name]: whole.slice(0, end) });
      expect(form.fields.get(name)).toBe(whole.slice(0, end));
    }
    expect(parse(form.text)).toMatchObject(expected);
    // what is removed from the text stays away
    const removed = together(MODEL, { ...form, text: 'campaign: x\n' });
    expect(parse(together(MODEL, removed).text)).toEqual({ campaign: 'x' });
  });

  test('a setting of several keeps its choice, whatever is filled in before', () => {
    const goal = { '?search|select|calibrate': 'search', 'search?maximize|minimize': 'minimize' };
    const range = { 'search/over/Days?': '0', 'search/over/Days:0/min': '1' };
    const form = [...Object.entries({ ...range, ...goal })].reduce(
      (now, [name, text]) => set(now, { [name]: text }),
      begun,
    );
    expect(Object.fromEntries(form.fields)).toMatchObject({ ...range, ...goal });
    // what is removed from the text stays away
    const removed = together(MODEL, { ...form, text: 'campaign: x\n' });
    expect(parse(together(MODEL, removed).text)).toEqual({ campaign: 'x' });
  });

  test('the least and the most replications are not taken for those of a precise mean', () => {
    const raced = { 'replications?': '2', 'replications:2/min': '5', 'replications:2/max': '40' };
    const form = Object.entries(raced).reduce((now, [name, text]) => set(now, { [name]: text }), begun);
    expect(Object.fromEntries(form.fields)).toMatchObject(raced);
    expect(Object.fromEntries(opened(form.text).fields)).toMatchObject(raced);
  });
});

test('another model takes the inputs of the former one away, and brings them back', () => {
  const other = {
    name: 'Queue',
    inputs: [
      { name: 'Days', type: 'INTEGER' as const, units: null, value: '1' },
      { name: 'Servers', type: 'INTEGER' as const, units: null, value: '2' },
    ],
    outputs: [{ name: 'Wait', type: 'DOUBLE' as const }],
  };
  const text = `campaign: epidemic
model: { name: Epidemic }
design:
  grid: { Contact rate: [ 1, 2 ], Days: [ 3 ] } # mine
  derive: { Closed: Days > 2, Typo: 1 }
inputs: { Contact rate: 2, Unknown: 5 }
`;
  const form = opened(text);
  const choose = (from: Form, model: FormModel): Form =>
    together(model, { ...from, fields: new Map([...from.fields, ['model/name', model.name]]) });
  const queue = choose(form, other);
  expect(parse(queue.text)).toEqual({
    campaign: 'queue',
    model: { name: 'Queue' },
    // what no field has shown stays, and the form names it
    design: { grid: { Days: [3] }, derive: { Typo: 1 } },
    inputs: { Unknown: 5 },
  });
  expect(queue.notShown).toEqual(['design.derive.Typo', 'inputs.Unknown']);
  expect(queue.text).toContain('# mine');
  expect(parse(choose(queue, MODEL).text)).toEqual(parse(text));
  // a model that the service does not tell takes nothing away
  const none = { name: '', inputs: [], outputs: [] };
  const unknown = new Map([...form.fields, ['model/name', 'Queue']]);
  expect(parse(together(none, { ...form, fields: unknown }).text)).toMatchObject({
    inputs: { 'Contact rate': 2 },
  });
});

describe('another way', () => {
  const change = (form: Form, way?: string, fields: Record<string, string> = {}): Form =>
    together(MODEL, { ...form, fields: new Map([...form.fields, ...Object.entries(fields)]) }, way);
  const ways = (text: string, ...names: string[]): unknown =>
    parse(names.reduce((form, way) => change(form, way), opened(text)).text);
  const search = 'search: { over: { Contact rate: { min: 1, max: 2 } }, minimize: Peak infected }\n';

  test('a goal is in one place only, and a changed goal passes on', () => {
    expect(ways(search, 'grid')).toMatchObject({ goal: { minimize: 'Peak infected' } });
    expect(ways(search, 'grid', 'search')).toEqual(parse(search));
    const grid = 'goal: { maximize: Peak infected }\ndesign: { grid: { Days: [ 1, 2 ] } }\n';
    expect(ways(grid, 'select')).toEqual({
      design: { grid: { Days: [1, 2] } },
      select: { maximize: 'Peak infected' },
    });
    expect(ways(grid, 'search')).toMatchObject({ search: { maximize: 'Peak infected' } });
    expect(ways(grid, 'search')).not.toHaveProperty('goal');
    expect(ways(grid, 'select', 'lhs')).toMatchObject({ goal: { maximize: 'Peak infected' } });
    const other = { 'goal?maximize|minimize': 'maximize', 'goal/maximize': 'Fit ~ error' };
    const back = change(change(change(opened(search), 'grid'), undefined, other), 'search');
    expect(parse(back.text)).toMatchObject({ search: { maximize: 'Fit ~ error' } });
    expect(back.text).not.toContain('minimize');
  });

  test('only a calibration keeps the seed that the form has added', () => {
    const grid = 'design: { grid: { Days: [ 1, 2 ] } }\n';
    expect(ways(grid, 'calibrate')).toMatchObject({ seed: 1 });
    expect(ways(grid, 'calibrate', 'grid')).toEqual(parse(grid));
    expect(ways(`${grid}seed: 1\n`, 'calibrate', 'grid')).toMatchObject({ seed: 1 });
    const typed = change(change(opened(grid), 'calibrate'), undefined, { seed: '7' });
    expect(parse(change(typed, 'grid').text)).toMatchObject({ seed: 7 });
    // a fresh campaign draws its seed
    expect(ways(`${grid}fresh: true\n`, 'calibrate')).not.toHaveProperty('seed');
  });

  test.each([
    ['{ min: 5, max: 40, output: Peak infected, relative: 0.1 }', 'search'],
    ['{ min: 5, max: 40, output: Peak infected, relative: 0.1 }', 'select'],
    ['{ min: 5, max: 40 }', 'lhs'],
    ['1', 'select'],
    ['3', 'calibrate'],
  ])('replications: %s are out of use in the way %s, and their fields stay', (replications, way) => {
    const before = opened(`replications: ${replications}\n${search}`);
    const after = change(way === 'search' ? change(before, 'grid') : before, way);
    expect(parse(after.text)).not.toHaveProperty('replications');
    for (const [name, text] of before.fields)
      if (name.startsWith('replications:')) expect(after.fields.get(name)).toBe(text);
  });

  test('a calibration has no common random numbers', () => {
    const text = 'commonRandomNumbers: true\ndesign: { grid: { Days: [ 1, 2 ] } }\n';
    expect(ways(text, 'calibrate')).not.toHaveProperty('commonRandomNumbers');
  });

  const grid = 'design: { grid: { Days: [ 1, 2 ] } }\n';
  const lhs = 'design: { lhs: { inputs: { Contact rate: { min: 1, max: 2 } }, points: 9 } }\n';
  const precise = 'replications: { output: Peak infected, relative: 0.1 }\n';
  test.each([
    ['grid', `${grid}${precise}`],
    ['grid', `${grid}replications: {}\n`],
    ['grid', `${grid}replications: 5\ncommonRandomNumbers: true\n`],
    ['lhs', `${lhs}replications: 4\n`],
    ['search', `${search}replications: { min: 3, max: 12 }\ncommonRandomNumbers: true\n`],
    ['select', `${grid}select: { minimize: Peak infected, indifference: 5 }\nreplications: 10\n`],
  ])('a step from %s to any way and back loses nothing of %j', (own, text) => {
    const names = allWays.map(({ name }) => name).filter((name) => name !== own);
    for (const name of names) expect([name, ways(text, name, own)]).toEqual([name, parse(text)]);
    // as by the arrow keys
    expect(ways(text, ...names, own)).toMatchObject({
      replications: (parse(text) as { replications: unknown }).replications,
    });
  });

  test('a kind of replications that a person chooses in another way is newer than the former one', () => {
    const other = change(opened(`${search}replications: { min: 3, max: 12 }\n`), 'grid');
    const chosen = change(other, undefined, { 'replications?': '0', 'replications:0': '7' });
    expect(parse(change(chosen, 'search').text)).toMatchObject({ replications: 7 });
  });

  test('what no field shows of the former way goes with it', () => {
    const text = 'design:\n  grid: { Unknown: [ 1 ], Days: [ 1, 2 ] }\n  where: Days > 1\n';
    expect(opened(text).notShown).toEqual(['design.grid.Unknown']);
    const lhs = ways(text, 'lhs') as { design: object };
    expect(Object.keys(lhs.design)).toEqual(expect.arrayContaining(['lhs', 'where']));
    expect(Object.keys(lhs.design)).not.toContain('grid');
    const two = ways('search: { over: { Unknown: [ 1, 2 ] } }\n', 'grid') as object;
    expect(Object.keys(two)).toEqual(['design']);
  });
});

test('names of inputs may be names of any object', () => {
  const names = ['constructor', 'toString', 'hasOwnProperty'];
  const model = {
    name: 'Odd',
    inputs: names.map((name) => ({ name, type: 'DOUBLE' as const, units: null, value: '1' })),
    outputs: [],
  };
  const text = 'inputs: { constructor: 2, toString: 3 }\n';
  const form = together(model, { text, was: text, fields: new Map() });
  const without = (name: string): unknown => {
    const fields = new Map([...form.fields, [`inputs/${name}:0`, '']]);
    return parse(together(model, { ...form, fields }).text);
  };
  expect(without('constructor')).toEqual({ inputs: { toString: 3 } });
  expect(without('toString')).toEqual({ inputs: { constructor: 2 } });
  const third = new Map([...form.fields, ['inputs/hasOwnProperty?', '0'], ['inputs/hasOwnProperty:0', '4']]);
  expect(parse(together(model, { ...form, fields: third }).text)).toMatchObject({
    inputs: { hasOwnProperty: 4 },
  });
  expect(isEqual({ a: 1 }, { constructor: Object })).toBe(false);
});

describe('a file with observations', () => {
  const text = `calibrate:
  abc:
    priors: { Contact rate: { min: 1, max: 3 } }
    observed: { Peak infected: 8, Fit ~ error: 3 }
`;
  const read = (observations: string): Form => together(MODEL, { ...opened(text), observations });

  test('replaces the former observations', () => {
    const { calibrate } = parse(read('Fit ~ error\n5\n').text) as {
      calibrate: { abc: { observed: object } };
    };
    expect(calibrate.abc.observed).toEqual({ 'Fit ~ error': 5 });
  });

  test.each([
    ['Peak infected,peak INFECTED\n1,2\n', 'its first line has "Peak infected" twice'],
    ['Peak infected\n0,5\n', 'line 2 has more items than the first line has names'],
    ['Peak infected\n\nmany\n', 'line 3 has no number for "Peak infected"'],
  ])('is refused with the place of its mistake: %j', (csv, message) =>
    expect(() => read(csv)).toThrow(message),
  );
});

describe('points from a spreadsheet', () => {
  const pasted = (text: string): unknown => {
    const form = opened('design: { points: [] }\n');
    const fields = new Map([
      ...form.fields,
      [KIND, 'points'],
      ['design/points?', '1'],
      ['design/points:1', text],
    ]);
    const { text: definition, fields: shown } = together(MODEL, { ...form, fields });
    expect(shown.get('design/points:1')).toBe(text);
    return (parse(definition) as { design: { points: unknown } }).design.points;
  };

  test('a cell ends at a tab, and may have commas', () =>
    expect(pasted('Contact rate\tPolicy: a/b?\tDays\n0,5\ta, "b"\t2\n1\tnone\t3\n')).toEqual([
      { 'Contact rate': '0,5', 'Policy: a/b?': 'a, "b"', Days: 2 },
      { 'Contact rate': 1, 'Policy: a/b?': 'none', Days: 3 },
    ]));

  test.each(['\t', ','])('a name twice, and a cell without a name, lose no cell (%j)', (between) =>
    expect(pasted(['Days\tdays', '1\t2\t3', ''].join('\n').replaceAll('\t', between))).toEqual([
      { Days: 1, 'days (column 2)': 2, '(column 3)': 3 },
    ]),
  );
});

test('a change of one cell keeps the comments of all points', () => {
  const text = `design:
  points:
    # the base case
    - { Days: 1, Closed: true }
    - { Days: 2, Closed: true } # longer
    - { Closed: true, Days: 3 } # longest
`;
  const form = opened(text);
  const [name, table] = [...form.fields].find(([, one]) => one.includes('2, true'))!;
  const fields = new Map([...form.fields, [name, table.replace('2, true', '2, false')]]);
  expect(together(MODEL, { ...form, fields }).text).toBe(text.replace('2, Closed: true', '2, Closed: false'));
  const fewer = new Map([...form.fields, [name, table.replace('2, true\n', '')]]);
  const without = together(MODEL, { ...form, fields: fewer }).text;
  expect(without).toContain('{ Closed: true, Days: 3 } # longest');
  expect(without).not.toContain('longer');
});

test.each([
  'seed: 1\ndesign:\n    grid: {Days: [1, 2], Contact rate: [1e3, 2]} # mine\n',
  'seed: 1\ndesign:\n  grid: { Days: [ 1, 2 ], Contact rate: [ 1e3, 2 ] } # mine\n',
  'seed: 1\n# {a: 1}\ndesign: { grid: { Days: [ 1, 2 ] } }\n',
])('a change of a field leaves how the text is written: %j', (text) => {
  const form = opened(text);
  const fields = new Map([...form.fields, ['seed', '7']]);
  expect(together(MODEL, { ...form, fields }).text).toBe(text.replace('seed: 1', 'seed: 7'));
});
