import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { command, toTheEnd } from '../support/campaigns.ts';
import { MAIN, ROOT } from '../support/cli.ts';
import { until } from '../support/until.ts';
import { environmentOf } from '../support/worker.ts';
import { startWorld, type World } from '../support/world.ts';
import { REHEARSAL } from '../service/fixed.ts';

const MODEL = join(ROOT, 'examples/repair-shop/model');

let world: World;
beforeAll(async () => {
  world = await startWorld({ models: [REHEARSAL, MODEL] });
  await world.startWorker();
  writeFileSync(join(world.folder, 'shop.yaml'), shop(3, 7));
  writeFileSync(
    join(world.folder, 'slow.yaml'),
    'campaign: slow\nmodel: {name: Rehearsal}\ninputs: {Seconds: 600}\ndesign: {grid: {Value: [1, 2]}}\n',
  );
  for (const [id, text] of Object.entries({ shop: shop(3, 7), shorter: shop(2, 7), other: shop(2, 8) })) {
    await world.foray.submit({ text, file: `${id}.yaml` }, { id });
    expect(await toTheEnd(world, id)).toMatchObject({ phase: 'completed' });
  }
});
afterAll(() => world.close());

const shop = (repairers: number, seed: number): string => `
campaign: shop
model: {name: Repair shop}
design: {grid: {Repairers: {from: 1, to: ${repairers}, step: 1}}}
replications: 4
seed: ${seed}
outputs: [Machines at work, Repairers at work]
`;

const run = (...args: string[]) => command(world, ...args);

interface Shown {
  code: number | null;
  /** All output of the command. */
  text: string;
}

/**
 * Runs a command in a terminal of a given size. `type` gets the output so far. The first text that `type` returns is
 * typed into the terminal.
 */
async function inTerminal(
  args: string[],
  {
    size = [80, 24],
    env = {},
    type,
  }: { size?: [number, number]; env?: NodeJS.ProcessEnv; type?: (text: string) => string | undefined } = {},
): Promise<Shown> {
  const [columns, rows] = size;
  const shown = `stty cols ${columns} rows ${rows}; exec '${process.execPath}' '${MAIN}' ${args.join(' ')}`;
  const child = spawn('script', ['-qec', shown, '/dev/null'], {
    cwd: world.folder,
    // the command gets a normal terminal on each machine; with CI set, Node assumes a terminal without colours
    env: {
      ...environmentOf(world.settings),
      CI: undefined,
      NO_COLOR: undefined,
      TERM: 'xterm-256color',
      ...env,
    },
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  // after the event 'exit', a part of the output may still come
  const ended = once(child, 'close') as Promise<[number | null]>;
  if (type) {
    const typed = await until('there is something to type', () => type(text));
    child.stdin.write(typed);
  }
  const [code] = await ended;
  return { code, text };
}

const ESC = '\u001b';
const HIDE = `${ESC}[?25l`;
const SHOW = `${ESC}[?25h`;
const END = `${ESC}[J`;

/** The drawn pages. `up` is the number of lines that the cursor moved up before the page. */
function pagesIn(text: string): { up: number; lines: string[] }[] {
  const drawn = text.slice(text.indexOf(HIDE) + HIDE.length, text.lastIndexOf(END));
  return drawn.split(END).map((page) => {
    const [, up = '0'] = new RegExp(`^\\r(?:${ESC}\\[(\\d+)A)?`).exec(page) ?? [];
    const lines = stripVTControlCharacters(page).replace(/^\r/, '').split('\r\n');
    return { up: Number(up), lines: lines.slice(0, -1) };
  });
}

/** Expects that each page begins where the previous page began, and fits into the terminal. */
function expectInPlace(pages: ReturnType<typeof pagesIn>, [columns, rows]: [number, number]): void {
  for (const [at, { up, lines }] of pages.entries()) {
    expect(up).toBe(pages[at - 1]?.lines.length ?? 0);
    expect(lines.length).toBeLessThan(rows);
    for (const line of lines) expect(line.length).toBeLessThan(columns);
  }
}

// the tests use `script` of util-linux; other versions of `script` take other arguments
(process.platform === 'linux' ? describe : describe.skip)('watch in a terminal', () => {
  test('redraws a page until the campaign has ended, and leaves the last page on the screen', async () => {
    const { code, text } = await inTerminal(['submit', 'shop.yaml', '--id', 'watched', '--watch']);
    expect(code).toBe(0);
    expect(text.indexOf(HIDE)).toBeGreaterThan(0);
    expect(text.endsWith(SHOW)).toBe(true);
    const pages = pagesIn(text);
    expectInPlace(pages, [80, 24]);
    const last = pages.at(-1)!.lines.join('\n');
    expect(last).toMatch(/^watched {2}completed {2,}Repair shop, version 1\n█+ {2}12 of 12 runs {2}100 %\n/);
    expect(last).toMatch(/\nMachines at work {2}mean [\d.]+ of 12 values\n/);
    expect(last).toMatch(
      /\nLast finished runs(\n\d\d:\d\d:\d\d {2}Repairers \d #\d +[\d.]+( {2}reused)?){8}$/,
    );
  });

  test('shows the given output, without colours if NO_COLOR is set', async () => {
    const args = ['watch', 'shop', '--output', '"Repairers at work"'];
    const [coloured, plain] = [await inTerminal(args), await inTerminal(args, { env: { NO_COLOR: '1' } })];
    expect(pagesIn(coloured.text)).toEqual(pagesIn(plain.text));
    expect(plain.text).toMatch(/Repairers at work {2}mean/);
    expect(coloured.text).toContain(`${ESC}[32m`);
    expect(plain.text).not.toMatch(new RegExp(`${ESC}\\[\\d+m`));
  });

  test('ends on Ctrl-C and shows the cursor again', async () => {
    await run('submit', 'slow.yaml', '--id', 'slow');
    const { code, text } = await inTerminal(['watch', 'slow'], {
      size: [40, 6],
      // on a machine with one core, one of the two runs waits
      type: (shown) => (/[12] running/.test(shown) && shown.split(END).length > 3 ? '\u0003' : undefined),
    });
    expect(code).toBe(130);
    expect(text.endsWith(SHOW)).toBe(true);
    const pages = pagesIn(text);
    expect(pages.length).toBeGreaterThan(2);
    expectInPlace(pages, [40, 6]);
    await run('cancel', 'slow');
  });

  test('writes plain lines to a simple terminal', async () => {
    const { text } = await inTerminal(['watch', 'shop'], { env: { TERM: 'dumb' } });
    expect(text).toMatch(/^\[100%\] completed: 12 of 12/);
    expect(text).not.toContain('\u001b');
  });
});

describe('watch without a terminal', () => {
  test('writes one line for a closed campaign', async () => {
    const { stdout, stderr } = await run('watch', 'shop');
    expect(stdout).toBe('');
    expect(stderr).toMatch(
      /^\[100%\] completed: 12 of 12: \d+ new, \d+ reused, 0 failed, 0 running, 0 queued, 0 waiting\n$/,
    );
  });

  test('refuses an unknown output', async () => {
    const { code, stderr } = await run('watch', 'shop', '--output', 'Machines at wrk');
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/no numeric output "Machines at wrk".*"Machines at work"/),
    ]);
  });
});

describe('compare', () => {
  test('writes a table with notes', async () => {
    const { code, stdout, stderr } = await run('compare', 'shop', 'other');
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^A is shop \(Repair shop, version 1\), B is other .*\n2 points finished in both, 1 finished only in A\.\nIntervals \(95 %\): by Welch/,
      ),
    ]);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(7);
    expect(lines[1]).toMatch(/^[\da-f]{16} +1 {2}both {2}Machines at work +4 +[\d.]+ +4 +[\d.]+ .*Welch/);
  });

  test('compares in pairs if the seeds are equal, and does not judge differences that are all equal', async () => {
    const { stdout } = await run('compare', 'shorter', 'shop', '--format', 'jsonl');
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows.map((row) => [row.Repairers, row.in, row.difference, row.interval, row.differs])).toEqual([
      [1, 'both', 0, null, null],
      [1, 'both', 0, null, null],
      [2, 'both', 0, null, null],
      [2, 'both', 0, null, null],
      [3, 'B', null, null, null],
      [3, 'B', null, null, null],
    ]);
  });

  test('writes an HTML page if the name of the file ends in .html, in capitals too', async () => {
    const { code, stdout, stderr } = await run('compare', 'shop', 'other', '-o', 'both.HTML');
    expect([code, stdout, stderr]).toEqual([0, '', expect.stringMatching(/\nWrote both\.HTML\n$/)]);
    const page = readFileSync(join(world.folder, 'both.HTML'), 'utf8');
    expect(page.match(/<svg viewBox/g)).toHaveLength(2);
    expect(page).toContain('Difference of Repairers at work');
  });

  test.each([
    [['shop', 'shp'], 'There is no campaign "shp"'],
    [['shop', 'slow'], '"shop" varies "Repairers"'],
    [['shop', 'other', '-o', 'both.pdf'], 'There is no format for files that end in .pdf'],
  ])('%j is refused', async (args, says) => {
    const { code, stderr } = await run('compare', ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  });
});
