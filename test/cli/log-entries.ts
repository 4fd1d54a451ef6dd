import { expect } from '@jest/globals';

export type Entry = Record<string, unknown>;

/** The entries of a log. Throws if a line is not JSON. */
export const entriesOf = (log: string): Entry[] =>
  log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);

/** What each entry has. */
export const usual = { time: expect.stringMatching(/^20\d\d-.*Z$/), what: expect.any(String) };
