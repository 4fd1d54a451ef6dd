import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { pageOf } from '../../../src/cli/watch/page.ts';
import type { LiveState } from '../../../src/cli/watch/state.ts';
import { painted, textOf } from '../../../src/cli/watch/text.ts';
import type { CampaignStatus } from '../../../src/client/index.ts';
import type { Phase } from '../../../src/campaign/types.ts';
import { status } from '../../support/status.ts';

const state: LiveState = {
  status: {
    ...status,
    id: 'shop-1',
    name: 'shop',
    model: 'Repair shop',
    modelVersion: 3,
    points: 20,
    runs: { total: 200, done: 99, new: 90, reused: 9, failed: 1, running: 8, queued: 12, waiting: 80 },
    window: 20,
    secondsLeft: 40,
  },
  varied: [
    { name: 'Repairers', type: 'INTEGER', units: null },
    { name: 'Policy', type: 'STRING', units: null },
  ],
  isReplicated: true,
  output: { name: 'Machines at work', type: 'DOUBLE', units: null },
  rows: [
    run(1, ['3', 'fifo'], '16.27'),
    { ...run(2, ['10', 'priority'], '9.5'), origin: 'reused' },
    { ...run(1, ['4', 'fifo'], '0'), status: 'failed', outputs: {}, reason: 'no spare parts', origin: null },
  ],
  values: [1, 2, 2, 3, 3, 3, 4, 4, 5, 9],
};

function run(replication: number, values: string[], output: string): LiveState['rows'][number] {
  return {
    point: 'ab12',
    replication,
    status: 'done',
    values,
    outputs: { 'Machines at work': output },
    reason: null,
    origin: 'new',
    finishedAt: new Date(2026, 0, 1, 12, 30, replication).getTime(),
  };
}

const textsOf = (shown: LiveState, columns = 80, rows = 24): string[] =>
  pageOf(shown, { columns, rows }).map((line) => painted(line, columns, false));

describe('the page', () => {
  test('shows the result of a search so far', () => {
    const strategy = 'search: 12 points asked for, 9 have a value; best so far: Machines at work 16.3';
    expect(textsOf({ ...state, strategy })).toContain(strategy.replace('search', 'Search'));
  });

  test('shows progress, speed, window, values and the last finished runs', () => {
    expect(textsOf(state)).toEqual([
      'shop-1  running                                           Repair shop, version 3',
      `${'█'.repeat(27)}▓${'▒'.repeat(6)}${'░'.repeat(23)}  100 of 200 runs  50 %`,
      '90 new  9 reused  1 failed  8 running  12 queued  80 waiting',
      '2.5 a second  40 s left  window of 20 runs',
      '',
      'Machines at work  mean 3.6 of 10 values',
      '            ████████████                                    ',
      '▆▆▆▆▆▆▆▆▆▆▆▆████████████                                    ',
      '████████████████████████▅▅▅▅▅▅▅▅▅▅▅▅            ▅▅▅▅▅▅▅▅▅▅▅▅',
      '1                                                          9',
      '',
      'Last finished runs',
      '12:30:01  Repairers 3, Policy fifo #1       16.27',
      '12:30:02  Repairers 10, Policy priority #2    9.5  reused',
      '12:30:01  Repairers 4, Policy fifo #1       failed: no spare parts',
    ]);
  });

  test('says why the campaign does not continue, on several lines if necessary', () => {
    const note = `attempt 1 failed: ${'the service does not answer '.repeat(10)}`;
    const lines = textsOf({ ...state, status: { ...state.status, phase: 'paused', note } }, 60);
    expect(lines[3]).toMatch(/^attempt 1 failed: the service/);
    expect(lines[5]).not.toBe('');
    expect(lines[6]).toBe('');
  });

  test('shows no speed after the end, or if it is unknown', () => {
    const over = textsOf({ ...state, status: { ...state.status, phase: 'completed' } });
    const unknown = { ...state.status, rate: null, secondsLeft: null, window: null };
    for (const lines of [over, textsOf({ ...state, status: unknown })])
      expect(lines.join('\n')).not.toMatch(/second|left|window/);
  });

  test('shows no percentage while a strategy may ask for further runs', () => {
    const strategy = { by: 'selection', stage: 'comparing' } as CampaignStatus['strategy'];
    const [, bar] = textsOf({ ...state, status: { ...state.status, strategy } });
    expect(bar).toMatch(/░ {2}100 of 200 runs so far$/);
  });

  test('is at 100 % only when all runs have finished', () => {
    const runs = { ...state.status.runs, total: 1_000, done: 998, failed: 1, running: 0, queued: 0 };
    const [, bar] = textsOf({ ...state, status: { ...state.status, runs } });
    expect(bar).toMatch(/░ {2}999 of 1,000 runs {2}99 %$/);
    const [, whole] = textsOf({ ...state, status: { ...state.status, runs: { ...runs, done: 999 } } });
    expect(whole).toMatch(/^█+▓ {2}1,000 of 1,000 runs {2}100 %$/);
  });

  test('shows the last runs without values and inputs if no output is numeric and no input varies', () => {
    const lines = textsOf({ ...state, output: undefined, varied: [], isReplicated: false, values: [] });
    expect(lines.slice(4)).toEqual([
      '',
      'Last finished runs',
      '12:30:01  ab12  done',
      '12:30:02  ab12  done  reused',
      '12:30:01  ab12  failed: no spare parts',
    ]);
  });

  test("shows as many of the last lines of a failed run's log as the terminal has room for", () => {
    const lines = ['1', '2', '3', '4', '    at sim.mjs:5', 'red \u001b[31m', 'last \u0000'];
    const failure = { reason: 'exit \u001b[2J code 1', lines };
    const end = ['    4', '      at sim.mjs:5', '  red  [31m', '  last'];
    const shown = (rows: number) => textsOf({ ...state, failure }, 80, rows).map((line) => line.trimEnd());
    expect(shown(30).slice(-7)).toEqual([
      '',
      'Last failure  exit  [2J code 1',
      '  3',
      '  4',
      ...end.slice(1),
    ]);
    expect(shown(18).slice(-3)).toEqual(['', 'Last failure  exit  [2J code 1', '  last']);
  });

  test('is also drawn for a campaign without runs and values', () => {
    const runs = { total: 0, done: 0, new: 0, reused: 0, failed: 0, running: 0, queued: 0, waiting: 0 };
    const status = { ...state.status, phase: 'preparing' as const, runs };
    expect(textsOf({ ...state, status, rows: [], values: [] })[1]).toMatch(/░ {2}0 of 0 runs {2}0 %$/);
  });

  test('leaves out its lowest lines on a small terminal', () => {
    expect(textsOf(state, 80, 4)).toEqual(textsOf(state).slice(0, 4));
    expect(textsOf(state, 80, 1)).toEqual(textsOf(state).slice(0, 1));
    expect(textsOf(state, 80, 12).join('\n')).toMatch(/mean 3.6/);
  });

  test('does not let a model control the terminal', () => {
    const evil = '\u001b[2J\u0007\r\n';
    const shown: LiveState = {
      ...state,
      status: { ...state.status, model: evil, note: evil },
      rows: [run(1, [evil, evil], '1'), { ...run(1, [], '1'), status: 'failed', reason: evil }],
      varied: [{ name: evil, type: 'STRING', units: null }],
      output: { name: `x${evil}`, type: 'DOUBLE', units: null },
    };
    expect(textsOf(shown).join('')).not.toMatch(/\p{Cc}/u);
  });

  const words = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    fc.constantFrom('待ち時間の平均', '👩‍👩‍👧‍👦 family', 'é'.normalize('NFD').repeat(40), ''),
  );
  const counts = fc.record({
    total: fc.nat(),
    done: fc.nat(),
    new: fc.nat(),
    reused: fc.nat(),
    failed: fc.nat(),
    running: fc.nat(),
    queued: fc.nat(),
    waiting: fc.nat(),
  });
  const states = fc
    .record({
      text: fc.array(words, { minLength: 6, maxLength: 6 }),
      counts,
      phase: fc.constantFrom<Phase>('preparing', 'running', 'paused', 'completed', 'failed'),
      values: fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })),
      rows: fc.array(fc.tuple(words, words, fc.boolean(), fc.double()), { maxLength: 20 }),
    })
    .map(({ text, counts, phase, values, rows }): LiveState => {
      const [id, model, note, input, output, point] = text as [
        string,
        string,
        string,
        string,
        string,
        string,
      ];
      return {
        // while a campaign changes, its counts may not add up for a moment
        status: { ...state.status, id: `i${id.replaceAll(/[^a-z]/g, '')}`, model, note, phase, runs: counts },
        varied: [{ name: input, type: 'STRING', units: null }],
        isReplicated: true,
        output: { name: output, type: 'DOUBLE', units: 'METER' },
        values,
        rows: rows.map(([value, reason, isDone, number]) => ({
          ...run(1, [value], String(number)),
          point,
          outputs: { [output]: String(number) },
          ...(!isDone && { status: 'failed' as const, reason }),
        })),
      };
    });

  test('is never wider or higher than the terminal, with or without colours', () => {
    const size = fc.record({
      columns: fc.integer({ min: 1, max: 120 }),
      rows: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(states, size, fc.boolean(), (shown, { columns, rows }, isColoured) => {
        const page = pageOf(shown, { columns, rows });
        expect(page.length).toBeLessThanOrEqual(rows);
        for (const line of page) {
          const text = painted(line, columns, isColoured);
          expect(stringWidth(text)).toBeLessThanOrEqual(columns);
          expect(text).not.toMatch(/\n/);
          expect(stripVTControlCharacters(text)).toBe(painted(line, columns, false));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('has the same title with and without colours', () => {
    const [title] = pageOf(state, { columns: 80, rows: 24 });
    expect(painted(title!, 80, true)).toContain('\u001b[1mshop-1\u001b[22m');
    expect(title!.map(textOf).join('')).toBe(painted(title!, 80, false));
  });
});

test('the best value is shown only if the campaign has a goal for the output', () => {
  const goal = { output: 'Machines at work', wants: 'highest' } as const;
  expect(textsOf({ ...state, goal }).join('\n')).toContain('of 10 values, best (highest) 9');
  expect(textsOf({ ...state, goal: { ...goal, wants: 'lowest' } }).join('\n')).toContain('best (lowest) 1');
  expect(textsOf({ ...state, goal: { ...goal, output: 'Cost' } }).join('\n')).not.toContain('best');
  expect(textsOf(state).join('\n')).not.toContain('best');
});
