import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { OutsideMethod, Search } from '../../../src/campaign/search/search.ts';
import type { Campaign } from '../../../src/campaign/types.ts';
import { pidsIn } from './kills.ts';
import { type Run, searchCampaign, SearchInMemory, stopAfter } from '../in-memory.ts';

/** What foray and an outside optimiser say to each other, word for word. */

let folder: string;
let log: jest.SpiedFunction<typeof process.stderr.write>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'foray-outside-'));
  log = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterAll(() => {
  log.mockRestore();
  rmSync(folder, { recursive: true });
});

function outside(script: string, options: Record<string, unknown> = {}): OutsideMethod {
  const files = { [script]: '' };
  return { command: ['python3', script], folder: import.meta.dirname, files, options, timeout: 60_000 };
}

const parabola: Run = ([x, y]) => ({ f: String((x! - 1) ** 2 + (y! - 2) ** 2), g: String(x!) });
const BOX = { x: { min: -5, max: 10, digits: 3 }, y: { min: 0, max: 15, digits: 3 } };

type Message = Record<string, unknown>;

async function heard(campaign: Campaign, file: string, rebuilds = 0): Promise<Message[]> {
  await new SearchInMemory(campaign, parabola, 1).toTheEnd(rebuilds);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Message);
}

function recorded(file: string, search: Partial<Search>, rest: Partial<Campaign> = {}): Campaign {
  const method = outside('raw.py', { file });
  return searchCampaign(BOX, { method, parallel: 4, stop: stopAfter(12), ...search }, rest);
}

test('it starts with the problem, without the keys of the worker', async () => {
  const file = join(folder, 'start');
  process.env.FORAY_API_KEY = 'secret';
  process.env.TEMPORAL_API_KEY = 'secret';
  const campaign = recorded(
    file,
    {
      inputs: [
        {
          name: 'x',
          type: 'DOUBLE',
          kind: 'range',
          min: 0.01,
          max: 10,
          scale: 'log',
          step: null,
          digits: null,
        },
        { name: 'n', type: 'INTEGER', kind: 'range', min: 1, max: 9, scale: 'linear', step: 2, digits: null },
        { name: 'Rule', type: 'STRING', kind: 'choice', values: ['a', 'b'], isOrdered: false },
        { name: 'Size', type: 'DOUBLE', kind: 'choice', values: ['0.5', '4'], isOrdered: true },
        { name: 'Is open', type: 'BOOLEAN', kind: 'choice', values: ['true', 'false'], isOrdered: false },
      ],
      require: [
        { output: 'g', min: null, max: 3, chance: null },
        { output: 'g', min: 1, max: 9, chance: 0.9 },
      ],
      stop: stopAfter(1),
    },
    { goal: { output: 'f', wants: 'highest' } },
  );
  campaign.base.push(
    { name: 'n', type: 'INTEGER', units: null, value: '1' },
    { name: 'Rule', type: 'STRING', units: null, value: 'a' },
    { name: 'Size', type: 'DOUBLE', units: null, value: '4' },
    { name: 'Is open', type: 'BOOLEAN', units: null, value: 'true' },
  );
  const [{ environment }, start] = (await heard(campaign, file)) as [Message, Message];
  expect(environment).toMatchObject({ PATH: expect.any(String), PYTHONHASHSEED: '0' });
  expect(Object.values(environment as Message)).not.toContain('secret');
  expect(start).toEqual({
    start: {
      seed: 7,
      space: [
        { name: 'x', type: 'real', min: 0.01, max: 10, log: true },
        { name: 'n', type: 'integer', min: 1, max: 9, step: 2 },
        { name: 'Rule', type: 'choice', values: ['a', 'b'] },
        { name: 'Size', type: 'choice', values: [0.5, 4], ordered: true },
        { name: 'Is open', type: 'choice', values: [true, false] },
      ],
      objectives: [{ name: 'f', goal: 'max' }],
      require: [
        { name: 'g', max: 3 },
        { name: 'g', min: 1, max: 9, chance: 0.9 },
      ],
      parallel: 4,
      options: { file },
    },
    question: 1,
  });
  delete process.env.FORAY_API_KEY;
  delete process.env.TEMPORAL_API_KEY;
});

test('it is told points as they were run, in the order of their numbers, and values in the sign of the output', async () => {
  const file = join(folder, 'told');
  const campaign = recorded(
    file,
    { require: [{ output: 'g', min: null, max: 3, chance: null }], where: '`x` < 8' },
    { goal: { output: 'f', wants: 'highest' }, replications: 2 },
  );
  const messages = (await heard(campaign, file)).slice(2);
  // fewer than it was asked for: it needs a result first
  expect(messages.slice(0, 4).map((message) => Object.keys(message)[0])).toEqual([
    'ask',
    'named',
    'tell',
    'ask',
  ]);
  expect(messages[0]).toEqual({ ask: 4, question: 2 });
  expect(messages[3]).toEqual({ ask: 3, question: 3 });
  const named = messages.flatMap((message) => (message.named ?? []) as { id: number; point: Message }[]);
  expect(named.map(({ id }) => id)).toEqual(named.map((_, at) => at));
  const told = messages.flatMap((message) => (message.tell ?? []) as Message[]);
  expect(told.map(({ id }) => id)).toEqual(told.map((_, at) => at));
  for (const [at, { point, ...result }] of told.entries()) {
    expect(point).toEqual(named[at]!.point);
    const { x, y } = point as { x: number; y: number };
    // three digits
    expect([1_000 * x, 1_000 * y].map((value) => Math.abs(value - Math.round(value)) < 1e-6)).toEqual([
      true,
      true,
    ]);
    if (x >= 8) expect(result).toEqual({ id: at, failed: '"where" does not hold for it' });
    else {
      expect(result).toEqual({
        id: at,
        values: [expect.closeTo((x - 1) ** 2 + (y - 2) ** 2, 9)],
        se: [0],
        n: 2,
        require: [expect.closeTo(x, 9)],
      });
    }
  }
});

test('a process that is started again hears the same asks and tells in the same order', async () => {
  const [once, often] = [join(folder, 'once'), join(folder, 'often')];
  const asks = async (file: string, rebuilds: number) => {
    const messages = await heard(recorded(file, { stop: stopAfter(30) }), file, rebuilds);
    const starts = messages.flatMap((message, at) => ('start' in message ? [at] : []));
    const last = messages.slice(starts.at(-1));
    return {
      starts: starts.length,
      // empty asks apart, a process hears the same whether it has lived since the beginning or not
      said: last.flatMap(({ asked = null, named = asked, tell = null }): Message[] =>
        tell === null && named === null ? [] : [{ points: named, tell }],
      ),
    };
  };
  const undisturbed = await asks(once, 0);
  const disturbed = await asks(often, 0.4);
  expect(undisturbed.starts).toBe(1);
  expect(disturbed.starts).toBeGreaterThan(3);
  expect(disturbed.said).toEqual(undisturbed.said);
});

describe('a library that calls its objective', () => {
  const campaign = (options: Record<string, unknown>): Campaign =>
    searchCampaign(BOX, { method: outside('blocking.py', options), parallel: 3, stop: stopAfter(50) });

  test('ends the search when it ends', async () => {
    const search = new SearchInMemory(campaign({}), parabola, 1);
    const { asks, events } = await search.toTheEnd(0.2);
    expect(asks).toHaveLength(11);
    expect(events).toEqual([{ kind: 'stopped', by: 'exhausted' }, { kind: 'over' }]);
  });

  test('fails with what it says', async () => {
    const search = new SearchInMemory(campaign({ fails: true }), parabola, 1);
    await expect(search.toTheEnd(0)).rejects.toMatchObject({
      code: 'OPTIMISER_FAILED',
      message: 'The optimiser ended with exit code 1: “ValueError: the middle is not the best”.',
    });
  });
});

test.each([
  [
    'no-such-program',
    { command: ['no-such-program'] },
    '“no-such-program” cannot be started: there is no such program',
  ],
  [
    'no folder',
    { folder: '/no/such/folder' },
    '“python3” cannot be started: there is no folder /no/such/folder where the worker is',
  ],
  ['no permission', { command: [import.meta.filename] }, 'cannot be started: it may not be executed'],
  ['an echo', { command: ['cat'] }, 'on its standard output, which is not a message'],
  ['nothing', { command: ['true'] }, 'ended with exit code 0'],
  ['a signal', { command: ['sh', '-c', 'kill -9 $$'] }, 'was ended by the signal SIGKILL, 10 times in a row'],
  [
    'points that nobody asked for',
    { command: ['echo', '{"points": []}'] },
    'says “{"points": []}”, which nobody has asked for',
  ],
])('a program that is wrong: %s', async (_, program, says) => {
  const method = { ...outside('raw.py'), ...program };
  const search = new SearchInMemory(searchCampaign(BOX, { method, stop: stopAfter(5) }), parabola, 1);
  await expect(search.toTheEnd(0)).rejects.toMatchObject({
    code: 'OPTIMISER_FAILED',
    message: expect.stringContaining(`${says}.`),
  });
});

/** A program that answers each ask with a line of Python. */
function answering(python: string): OutsideMethod {
  const program = [
    'import json, os, sys',
    'for line in sys.stdin:',
    '    if "start" in json.loads(line): print(\'{"ready": {}}\', flush=True)',
    `    if "ask" in json.loads(line): ${python}; sys.stdout.flush()`,
  ];
  return { ...outside('raw.py'), command: ['python3', '-c', program.join('\n')] };
}

/** Writes the whole answer at once, so that a second line comes before the next question. */
const saying = (answer: string): string => `os.write(1, ${JSON.stringify(`${answer}\n`)}.encode())`;
const POINT = '{"x": 1, "y": 1}';

test.each([
  ['a very long line', 'print("x" * 20_000_000)', 'on its standard output, which is too long for a message.'],
  [
    'a line without end',
    'exec("while True: os.write(1, bytes(65_536))")',
    'which is too long for a message.',
  ],
  [
    'bytes that are no text',
    'os.write(1, bytes([255, 0, 10]))',
    'on its standard output, which is not a message.',
  ],
  [
    'points with ids',
    saying(`{"points": [{"id": 7, "point": ${POINT}}]}`),
    '"id", which is not searched. Known: "x", "y".',
  ],
  ['another name', saying('{"points": [{"x": 1, "Y": 1}]}'), '"Y", which is not searched. Did you mean "y"?'],
  ['no point', saying('{"points": [null]}'), 'proposes something that is not a point.'],
  [
    'a number that is too large',
    saying('{"points": [{"x": 1e400, "y": 1}]}'),
    'proposes “Infinity” for "x", which is not a number.',
  ],
  [
    'a number as a text',
    saying('{"points": [{"x": "1", "y": 1}]}'),
    'proposes “"1"” for "x", which is not a number.',
  ],
  [
    'too many points',
    saying(`{"points": [${Array.from({ length: 5 }, () => POINT).join(', ')}]}`),
    'proposes 5 points where it was asked for 4.',
  ],
  [
    'nothing, although all was told',
    saying('{"points": []}'),
    'proposes nothing, although it was told the results of all of its points.',
  ],
  ['two answers', saying(`{"points": [${POINT}]}\n{"points": [${POINT}]}`), 'which nobody has asked for.'],
])('an answer that is wrong: %s', async (_, answer, says) => {
  const campaign = searchCampaign(BOX, { method: answering(answer), parallel: 4, stop: stopAfter(5) });
  await expect(new SearchInMemory(campaign, parabola, 1).toTheEnd(0)).rejects.toMatchObject({
    code: 'OPTIMISER_FAILED',
    message: expect.stringContaining(says),
  });
});

const ASK_RETURNS = 'It must return (token, {"x": 2.5, …}), or None while it needs results first”.';

test.each<[string, Record<string, string>, string]>([
  ['a token without a point', { ask: '(7, None)' }, `ask() returned (7, None). ${ASK_RETURNS}`],
  ['a point without a token', { ask: POINT }, `ask() returned {'x': 1, 'y': 1}. ${ASK_RETURNS}`],
  ['three parts', { ask: `(7, ${POINT}, 0)` }, ASK_RETURNS],
  ['a list of values', { ask: '(7, [1, 1])' }, ASK_RETURNS],
  ['a long answer', { ask: '(7, 90 * [1])' }, `(7, [${'1, '.repeat(18)}…. ${ASK_RETURNS}`],
  ['an input less', { ask: '(7, {"x": 1})' }, 'gives no value of "y".'],
  ['another name', { ask: '(7, {"x": 1, 2: 1})' }, 'gives a value of "2", which is not searched.'],
  ['NaN', { ask: '(7, {"x": 1, "y": float("nan")})' }, 'proposes “NaN” for "y", which is not a number.'],
  [
    'None for a value',
    { ask: '(7, {"x": 1, "y": None})' },
    'proposes “null” for "y", which is not a number.',
  ],
  [
    'several numbers for a value',
    { ask: '(7, {"x": 1, "y": Scalar(1, 2)})' },
    '“"y" is Scalar(1, 2), which is not a single number, text, True or False”.',
  ],
  ['a complex number', { ask: '(7, {"x": 1, "y": 1j})' }, '“"y" is 1j, which is not a single number'],
  ['no ask', {}, '“NotImplementedError: Silent has no method ask”.'],
  [
    'a batch that is not of points',
    { evaluate: '[1, 1]' },
    '“evaluate was given [1, 1] for a point. A point is {"x": 2.5, …}”.',
  ],
  [
    'a best point without a value',
    { ask: `(7, ${POINT})`, best: POINT },
    `best() returned {'x': 1, 'y': 1}. It must return ({"x": 2.5, …}, value or None), or None”.`,
  ],
])('an optimiser in Python that returns %s', async (_, options, says) => {
  const confirm = { best: 1, replications: 2, indifference: 1, confidence: 0.95, report: 2 };
  const method = outside('shapes.py', options);
  const campaign = searchCampaign(BOX, { method, parallel: 4, stop: stopAfter(1), confirm });
  await expect(new SearchInMemory(campaign, parabola, 1).toTheEnd(0)).rejects.toMatchObject({
    code: 'OPTIMISER_FAILED',
    message: expect.stringContaining(says),
  });
});

test.each([
  ['of NumPy', '[7, {"x": Scalar(1.5), "y": Scalar(2)}]'],
  ['of the standard library', '(None, {"x": Decimal("1.5"), "y": 2})'],
])('an optimiser in Python may give numbers %s', async (_, ask) => {
  const method = outside('shapes.py', { ask });
  const search = new SearchInMemory(searchCampaign(BOX, { method, stop: stopAfter(1) }), parabola, 1);
  await search.toTheEnd(0);
  expect(search.log.asks[0]!.values).toEqual(['1.5', '2']);
});

test('a line that comes late does not count as the answer to the next question', async () => {
  // each answer but the first is written again when the next question is there, and before that is answered
  const late = [
    'message = json.loads(line)',
    'os.write(1, globals().get("before", b""))',
    `answer = {"points": [${POINT}], "question": message["question"]}`,
    'before = (json.dumps(answer) + "\\n").encode()',
    'os.write(1, before)',
  ].join('; ');
  const campaign = searchCampaign(BOX, { method: answering(late), parallel: 4, stop: stopAfter(5) });
  const search = new SearchInMemory(campaign, parabola, 1);
  await expect(search.toTheEnd(0)).rejects.toMatchObject({
    code: 'OPTIMISER_FAILED',
    message:
      'The optimiser says “{"points": [{"x": 1, "y": 1}], "question": 2}”, which answers question 2, but question 3 was asked.',
  });
});

test.each([
  [
    'once named, always named',
    '{"points": []}',
    'without the number of the question, which its answers had before.',
  ],
  ['a number', '{"points": [], "question": "2"}', 'which is not a message.'],
])('the number of a question: %s', async (_, answer, says) => {
  const program = `print('{"ready": {}, "question": 1}', flush=True); input(); print('${answer}', flush=True); input()`;
  const method = { ...outside('raw.py'), command: ['python3', '-c', `input(); ${program}`] };
  const search = new SearchInMemory(searchCampaign(BOX, { method, stop: stopAfter(5) }), parabola, 1);
  await expect(search.toTheEnd(0)).rejects.toMatchObject({
    code: 'OPTIMISER_FAILED',
    message: expect.stringContaining(says),
  });
});

test('what it prints on standard error goes to the log, and not without end', async () => {
  const chatter = 'import sys; sys.stderr.write("tick\\x1b[2J\\n" * 5000); sys.exit(3)';
  log.mockClear();
  const method = { ...outside('raw.py'), command: ['python3', '-c', chatter] };
  const search = new SearchInMemory(searchCampaign(BOX, { method, stop: stopAfter(5) }), parabola, 1);
  await expect(search.toTheEnd(0)).rejects.toThrow('exit code 3: “tick\\u001b[2J”');
  const lines = log.mock.calls.map(([line]) => String(line));
  expect(lines).toHaveLength(1_001);
  expect(lines[0]).toBe('optimiser of campaign: tick\\u001b[2J\n');
});

test('kills at any moment leave the log as it is', async () => {
  const campaign = (options: Record<string, unknown>): Campaign =>
    searchCampaign(BOX, { method: outside('random_search.py', options), parallel: 4, stop: stopAfter(60) });
  const undisturbed = await new SearchInMemory(campaign({ generation: 7 }), parabola, 1).toTheEnd(0);
  const dies = join(folder, 'dies');
  const search = new SearchInMemory(campaign({ generation: 7, dies, most: 8 }), parabola, 2);
  expect(await search.toTheEnd(0)).toEqual(undisturbed);
  expect(pidsIn(dies)).toHaveLength(8);
});
