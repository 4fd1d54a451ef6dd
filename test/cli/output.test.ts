import { existsSync } from 'node:fs';
import { expect, jest, test } from '@jest/globals';
import { tellError, writeOut } from '../../src/cli/output.ts';
import { FREE_SPACE } from '../../src/system/disk-full.ts';
import { untilChanged } from '../../src/cli/until-changed.ts';
import type { CampaignStatus } from '../../src/client/index.ts';
import { ForayError } from '../../src/errors.ts';

/** The lines on standard error about a mistake at a place of a line. */
function toldAt(text: string, column: number): string[] {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const place = { file: 'a.yaml', line: 8, column, text };
    tellError(new ForayError('DEFINITION_INVALID', 'It is wrong.', { place }));
    return write.mock.calls.map(([line]) => String(line).trimEnd());
  } finally {
    write.mockRestore();
  }
}

test.each([
  ['near the beginning', 'select: { confidence: 95 }'],
  ['far to the right', `select: { ${'minimize: Mean total cost, '.repeat(3)}confidence: 95 }`],
  ['after a thousand characters', `select: { ${'minimize: Mean total cost, '.repeat(40)}confidence: 95 }`],
])('a mistake %s is shown with the text before it, and the mark is below it', (_, text) => {
  const [, line, mark] = toldAt(text, text.indexOf('95') + 1);
  expect(line).toContain('confidence: 95 }');
  expect(line!.slice(mark!.indexOf('^'))).toBe('95 }');
});

test.each<[string, string | null, string]>([
  ['says so once', null, 'status flu" shows whether a worker answers.'],
  ['says what blocks the campaign', 'The key is refused.', 'It cannot continue: The key is refused.'],
])('a command that waits for a worker for long %s, and continues to wait', async (_, blocked, why) => {
  jest.useFakeTimers();
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const foray = { status: () => Promise.resolve({ blocked } as CampaignStatus) };
  try {
    const { promise, resolve } = Promise.withResolvers<string>();
    const changed = untilChanged(foray, 'flu', promise);
    await jest.advanceTimersByTimeAsync(9_000);
    expect(write).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(600_000);
    expect(write.mock.calls).toEqual([[expect.stringMatching(/^A worker has not changed flu yet\. /)]]);
    expect(write.mock.calls[0]![0]).toContain(why);
    resolve('changed');
    expect(await changed).toBe('changed');
    expect(await untilChanged(foray, 'flu', Promise.resolve('at once'))).toBe('at once');
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    write.mockRestore();
    jest.useRealTimers();
  }
});

(existsSync('/dev/full') ? test : test.skip)('the error about a full disk says what to do', async () => {
  await expect(writeOut(['x'], '/dev/full')).rejects.toMatchObject({
    code: 'OUTPUT_UNWRITABLE',
    hint: FREE_SPACE,
  });
});

test.each([
  [true, 'a,\\u001b]0;x\\u0007,\\u009b31m\n'],
  [false, 'a,\u001b]0;x\u0007,\u009b31m\n'],
])(
  'a text of a model has no effect on a terminal (%s), and a pipe gets it exactly',
  async (isTTY, written) => {
    const before = process.stdout.isTTY;
    const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      process.stdout.isTTY = isTTY;
      await writeOut(['a,\u001b]0;x\u0007,\u009b31m\n']);
      expect(write.mock.calls).toEqual([[written]]);
    } finally {
      process.stdout.isTTY = before;
      write.mockRestore();
    }
  },
);
