import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { OutsideMethod } from '../../../src/campaign/search/search.ts';
import type { Space } from '../../../src/campaign/search/space.ts';
import { outsideSpace } from '../../../src/search/outside/space.ts';
import { searchCampaign, SearchInMemory, stopAfter } from '../in-memory.ts';
import { outside, parabola, BOX } from './parabola.ts';

let log: jest.SpiedFunction<typeof process.stderr.write>;
beforeAll(() => {
  log = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterAll(() => log.mockRestore());

test.each([
  [
    'does not exist',
    { command: ['no-such-program'] },
    '“no-such-program” cannot be started: there is no such program',
  ],
  [
    'has a folder that does not exist',
    { folder: '/no/such/folder' },
    '“python3” cannot be started: there is no folder /no/such/folder on the machine of the worker',
  ],
  ['may not be executed', { command: [import.meta.filename] }, 'cannot be started: it may not be executed'],
  ['repeats its input', { command: ['cat'] }, 'on its standard output, but this is not a message'],
  ['ends at once', { command: ['true'] }, 'ended with exit code 0'],
  [
    'is ended by a signal',
    { command: ['sh', '-c', 'kill -9 $$'] },
    'was ended by the signal SIGKILL, 10 times in a row',
  ],
  [
    'gives points before it is asked',
    { command: ['echo', '{"points": []}'] },
    'says “{"points": []}”, but nobody has asked for it',
  ],
])('a search fails with a message if the program of the optimiser %s', async (_, program, says) => {
  const method = { ...outside('raw.py'), ...program };
  const search = new SearchInMemory(searchCampaign(BOX, { method, stop: stopAfter(5) }), parabola, 1);
  await expect(search.toTheEnd(0)).rejects.toMatchObject({
    code: 'OPTIMISER_FAILED',
    message: expect.stringContaining(`${says}.`),
  });
});

test('an optimiser must give a value of each input, whatever its name', () => {
  const { inputs } = searchCampaign({ valueOf: BOX.x }, { stop: stopAfter(5) }).strategy;
  expect(() => outsideSpace(inputs, {} as Space).coordinatesOf({})).toThrow('gives no value of "valueOf"');
});

/** An optimiser that executes a line of Python for each ask. */
function answering(python: string): OutsideMethod {
  const program = [
    'import json, os, sys',
    'for line in sys.stdin:',
    '    if "start" in json.loads(line): print(\'{"ready": {}}\', flush=True)',
    `    if "ask" in json.loads(line): ${python}; sys.stdout.flush()`,
  ];
  return { ...outside('raw.py'), command: ['python3', '-c', program.join('\n')] };
}

/** A line of Python that writes an answer at once, so that an answer of two lines arrives before the next question. */
const saying = (answer: string): string => `os.write(1, ${JSON.stringify(`${answer}\n`)}.encode())`;

const POINT = '{"x": 1, "y": 1}';

test.each([
  [
    'a very long line',
    'print("x" * 20_000_000)',
    'on its standard output, but this is too long for a message.',
  ],
  [
    'a line without end',
    'exec("while True: os.write(1, bytes(65_536))")',
    'but this is too long for a message.',
  ],
  [
    'bytes that are not a text',
    'os.write(1, bytes([255, 0, 10]))',
    'on its standard output, but this is not a message.',
  ],
  [
    'points with ids',
    saying(`{"points": [{"id": 7, "point": ${POINT}}]}`),
    '"id", which is not searched. Known: "x", "y".',
  ],
  [
    'a point with an unknown name',
    saying('{"points": [{"x": 1, "Y": 1}]}'),
    '"Y", which is not searched. Did you mean "y"?',
  ],
  ['null in place of a point', saying('{"points": [null]}'), 'proposes something that is not a point.'],
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
    'proposes 5 points, but it was asked for 4.',
  ],
  [
    'no point although it knows all results',
    saying('{"points": []}'),
    'proposes nothing, although it was told the results of all of its points.',
  ],
  ['two answers', saying(`{"points": [${POINT}]}\n{"points": [${POINT}]}`), 'but nobody has asked for it.'],
])('a search fails with a message if the optimiser answers with %s', async (_, answer, says) => {
  const campaign = searchCampaign(BOX, { method: answering(answer), parallel: 4, stop: stopAfter(5) });
  await expect(new SearchInMemory(campaign, parabola, 1).toTheEnd(0)).rejects.toMatchObject({
    code: 'OPTIMISER_FAILED',
    message: expect.stringContaining(says),
  });
});

const ASK_RETURNS = 'It must return (token, {"x": -5.0, …}), or None while it needs results first”.';

test.each<[string, Record<string, string>, string]>([
  ['a token without a point', { ask: '(7, None)' }, `ask() returned (7, None). ${ASK_RETURNS}`],
  ['a point without a token', { ask: POINT }, `ask() returned {'x': 1, 'y': 1}. ${ASK_RETURNS}`],
  ['three parts', { ask: `(7, ${POINT}, 0)` }, ASK_RETURNS],
  ['a list of values', { ask: '(7, [1, 1])' }, ASK_RETURNS],
  ['a long answer', { ask: '(7, 90 * [1])' }, `(7, [${'1, '.repeat(18)}…. ${ASK_RETURNS}`],
  ['a point without one of the inputs', { ask: '(7, {"x": 1})' }, 'gives no value of "y".'],
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
  ['no method ask', {}, '“NotImplementedError: Silent has no method ask”.'],
  [
    'a batch of numbers in place of points',
    { evaluate: '[1, 1]' },
    '“evaluate() got [1, 1] for a point. A point is {"x": -5.0, …}”.',
  ],
  [
    'a best point without a value',
    { ask: `(7, ${POINT})`, best: POINT },
    `best() returned {'x': 1, 'y': 1}. It must return ({"x": -5.0, …}, value or None), or None”.`,
  ],
])('an error says what an optimiser in Python did wrong: %s', async (_, options, says) => {
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

test('a late line does not count as the answer to the next question', async () => {
  // the program writes each answer twice: at once, and again when the next question arrives, before the new answer
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
