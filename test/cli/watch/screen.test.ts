import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Screen, type Terminal } from '../../../src/cli/watch/screen.ts';

let written: string[];
let terminal: { columns: number; rows: number } & Terminal;
let screen: Screen;
beforeEach(() => {
  written = [];
  const write = (text: string | Uint8Array): boolean => written.push(String(text)) > 0;
  terminal = { columns: 80, rows: 24, getColorDepth: () => 1, write };
  screen = new Screen(terminal);
});
afterEach(() => screen.close());

/**
 * Draws the lines, each as one span of text. The cursor is then in the row below them. Returns the control codes before
 * the lines, which move the cursor from below the previous lines to the first of them.
 */
function upBefore(lines: string[]): string {
  screen.draw(lines.map((line) => [line]));
  return written.at(-1)!.replace(new RegExp(`${lines[0]}.*`, 's'), '');
}

test('lines are drawn over the previous lines', () => {
  expect(upBefore(['one', 'two', ''])).toBe('');
  expect(upBefore(['one'])).toBe('\r\u001b[3A');
  expect(upBefore(['one', 'two'])).toBe('\r\u001b[1A');
  expect(written.at(-1)).toBe('\r\u001b[1Aone\u001b[K\ntwo\u001b[K\n\u001b[J');
});

test('a line counts as several lines if the terminal has become narrower and wraps it', () => {
  upBefore(['x'.repeat(79), 'y'.repeat(31), '待'.repeat(16), '']);
  terminal.columns = 30;
  // the lines take three, two, two and one rows of 30 columns
  expect(upBefore(['one'])).toBe('\r\u001b[8A');
  // the screen cuts a line that is longer than the terminal
  upBefore(['z'.repeat(40)]);
  expect(written.at(-1)).toContain(`${'z'.repeat(28)}…`);
  expect(upBefore(['one'])).toBe('\r\u001b[1A');
});

test('a page leaves one column and one row of the terminal free', () => {
  expect(screen.size).toEqual({ columns: 79, rows: 23 });
  terminal.columns = 1;
  expect(screen.size.columns).toBe(1);
  // the terminal of a container has this size at first
  Object.assign(terminal, { columns: 0, rows: 0 });
  expect(screen.size).toEqual({ columns: 79, rows: 23 });
});

test('the cursor is hidden until the end, and no listener stays afterwards', () => {
  const listeners = () => ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => process.listenerCount(name));
  const before = listeners();
  expect(written).toEqual(['\u001b[?25l']);
  screen.close();
  expect(written).toEqual(['\u001b[?25l', '\u001b[?25h']);
  expect(listeners()).toEqual(before.map((count) => count - 1));
});
