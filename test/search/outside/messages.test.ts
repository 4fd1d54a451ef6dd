import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Search } from '../../../src/campaign/search/search.ts';
import type { Campaign, CampaignBy } from '../../../src/campaign/types.ts';
import { pidsIn } from './kills.ts';
import { searchCampaign, SearchInMemory, stopAfter } from '../in-memory.ts';
import { outside, parabola, BOX } from './parabola.ts';

/** Tests the exact messages between foray and an outside optimiser. */

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

type Message = Record<string, unknown>;

async function heard(campaign: CampaignBy<'search'>, file: string, rebuilds = 0): Promise<Message[]> {
  await new SearchInMemory(campaign, parabola, 1).toTheEnd(rebuilds);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Message);
}

function recorded(file: string, search: Partial<Search>, rest: Partial<Campaign> = {}): CampaignBy<'search'> {
  const method = outside('raw.py', { file });
  return searchCampaign(BOX, { method, parallel: 4, stop: stopAfter(12), ...search }, rest);
}

test("the optimiser gets the problem at its start, and does not see the worker's keys", async () => {
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

test('the optimiser gets results in the order of the point numbers; if the highest value is wanted, values keep their sign, and two equal values have no standard error', async () => {
  const file = join(folder, 'told');
  const campaign = recorded(
    file,
    { require: [{ output: 'g', min: null, max: 3, chance: null }], where: '`x` < 8' },
    { goal: { output: 'f', wants: 'highest' }, replications: 2 },
  );
  const messages = (await heard(campaign, file)).slice(2);
  // the optimiser proposes two of four points, so foray asks again after the next result
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
    // the inputs have three digits after the decimal point
    expect([1_000 * x, 1_000 * y].map((value) => Math.abs(value - Math.round(value)) < 1e-6)).toEqual([
      true,
      true,
    ]);
    if (x >= 8) expect(result).toEqual({ id: at, failed: '"where" does not hold for it' });
    else {
      expect(result).toEqual({
        id: at,
        values: [expect.closeTo((x - 1) ** 2 + (y - 2) ** 2, 9)],
        n: 2,
        require: [expect.closeTo(x, 9)],
      });
    }
  }
});

test('a restarted process gets the same points and results in the same order', async () => {
  const [once, often] = [join(folder, 'once'), join(folder, 'often')];
  const asks = async (file: string, rebuilds: number) => {
    const messages = await heard(recorded(file, { stop: stopAfter(30) }), file, rebuilds);
    const starts = messages.flatMap((message, at) => ('start' in message ? [at] : []));
    const last = messages.slice(starts.at(-1));
    return {
      starts: starts.length,
      // a restarted process gets `asked` instead of `ask` and `named`; the points and the results are the same
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

describe('a library that calls the objective function itself', () => {
  const campaign = (options: Record<string, unknown>): CampaignBy<'search'> =>
    searchCampaign(BOX, { method: outside('blocking.py', options), parallel: 3, stop: stopAfter(50) });

  test('ends the search when the library ends', async () => {
    const search = new SearchInMemory(campaign({}), parabola, 1);
    const { asks, events } = await search.toTheEnd(0.2);
    expect(asks).toHaveLength(11);
    expect(events).toEqual([{ kind: 'stopped', by: 'optimiser' }, { kind: 'over' }]);
  });

  test("makes the search fail with the library's message", async () => {
    const search = new SearchInMemory(campaign({ fails: true }), parabola, 1);
    await expect(search.toTheEnd(0)).rejects.toMatchObject({
      code: 'OPTIMISER_FAILED',
      message: 'The optimiser ended with exit code 1: “ValueError: the middle is not the best”.',
    });
  });
});

test.each([
  [
    'missing although an earlier answer had a number',
    '{"points": []}',
    'without the number of the question, which its answers had before.',
  ],
  ['a text', '{"points": [], "question": "2"}', 'but this is not a message.'],
])('foray refuses an answer whose question number is %s', async (_, answer, says) => {
  const program = `print('{"ready": {}, "question": 1}', flush=True); input(); print('${answer}', flush=True); input()`;
  const method = { ...outside('raw.py'), command: ['python3', '-c', `input(); ${program}`] };
  const search = new SearchInMemory(searchCampaign(BOX, { method, stop: stopAfter(5) }), parabola, 1);
  await expect(search.toTheEnd(0)).rejects.toMatchObject({
    code: 'OPTIMISER_FAILED',
    message: expect.stringContaining(says),
  });
});

test("what the optimiser writes to stderr goes to the worker's log, up to a limit", async () => {
  const chatter = 'import sys; sys.stderr.write("tick\\x1b[2J\\n" * 5000); sys.exit(3)';
  log.mockClear();
  const method = { ...outside('raw.py'), command: ['python3', '-c', chatter] };
  const search = new SearchInMemory(searchCampaign(BOX, { method, stop: stopAfter(5) }), parabola, 1);
  await expect(search.toTheEnd(0)).rejects.toThrow('exit code 3: “tick\\u001b[2J”');
  const lines = log.mock.calls.map(([line]) => String(line));
  // after 1,000 lines, a last line says that further output is not kept
  expect(lines).toHaveLength(1_001);
  expect(lines[0]).toBe('optimiser of campaign: tick\\u001b[2J\n');
});

test('the log of the search does not change if the optimiser is killed at random moments', async () => {
  const campaign = (options: Record<string, unknown>): CampaignBy<'search'> =>
    searchCampaign(BOX, { method: outside('random_search.py', options), parallel: 4, stop: stopAfter(60) });
  const undisturbed = await new SearchInMemory(campaign({ generation: 7 }), parabola, 1).toTheEnd(0);
  const dies = join(folder, 'dies');
  const search = new SearchInMemory(campaign({ generation: 7, dies, most: 8 }), parabola, 2);
  expect(await search.toTheEnd(0)).toEqual(undisturbed);
  expect(pidsIn(dies)).toHaveLength(8);
});
