import { expect, test } from '@jest/globals';
import type { CampaignStatus } from '../../src/client/index.ts';
import { html } from '../../src/report/html/markup.ts';
import { shownSection } from '../../src/server/live/shown.ts';
import { isFinal } from '../../src/server/pages/campaign.ts';
import { statusSection } from '../../src/server/pages/status.ts';

test('a long table has a link to all points only if its rows are points', () => {
  const textOf = (key?: string): string => {
    const rows = Array.from({ length: 201 }, (_, at) => ({ cells: [String(at)], key }));
    const section = { id: 'distributions', markup: html`<figure></figure>` };
    return shownSection(section, { heads: ['From'], rows }, 'flu').html;
  };
  for (const text of [textOf(), textOf('0123456789abcdef')]) expect(text).toMatch(/The first\s+200 of\s+201/);
  expect(textOf()).not.toContain('all points as CSV');
  expect(textOf('0123456789abcdef')).toContain('all points as CSV');
});

test('the pictures of a closed campaign are not final if the campaign has continued and closed again since', () => {
  const [before, after] = ['2026-03-01T00:00:00.000Z', '2026-03-01T00:00:01.000Z'];
  const seen = { version: 'v', changedAt: before, next: 0 };
  expect(isFinal({ phase: 'completed', asOf: before }, seen)).toBe(true);
  expect(isFinal({ phase: 'completed', asOf: after }, seen)).toBe(false);
  expect(isFinal({ phase: 'running', asOf: before }, seen)).toBe(false);
});

test('the head of a page says how many runs the pictures show, if more runs have finished since', () => {
  const runs = { total: 9, done: 5, new: 5, reused: 0, failed: 1, running: 1, queued: 1, waiting: 1 };
  const status = {
    phase: 'running',
    runs,
    blocked: null,
    strategy: { by: 'design' },
    rate: null,
    secondsLeft: null,
    window: null,
    note: '',
    source: 'worker',
  };
  const head = (drawn?: number): string => statusSection(status as CampaignStatus, drawn).text;
  expect(head(4)).toMatch(/6 of 9 runs finished, 1 failed[^]*numbers below show 4 finished runs\./);
  for (const drawn of [6, undefined]) expect(head(drawn)).not.toContain('below');
});
