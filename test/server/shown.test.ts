import { expect, test } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import type { CampaignStatus } from '../../src/client/index.ts';
import { PictureNumbers } from '../../src/report/pictures/numbers.ts';
import { html } from '../../src/report/html/markup.ts';
import type { Seen } from '../../src/server/live/look.ts';
import { shownSection } from '../../src/server/live/shown.ts';
import { campaignParts, isFinal } from '../../src/server/pages/campaign.ts';
import { statusSection } from '../../src/server/pages/status.ts';

test('a long table shows its first rows, and says that CSV has all of them', () => {
  const numbers = new PictureNumbers([{ title: 'From' }]);
  for (let at = 0; at < 201; at += 1) numbers.add([at], at === 0 ? '0123456789abcdef' : undefined);
  const section = { id: 'distributions', markup: html`<figure data-file="flu"></figure>`, numbers };
  const text = shownSection(section, 'flu').html;
  expect(text).toMatch(/The first 200 of\s+201 rows/);
  expect(text.match(/<tr>/g)).toHaveLength(1 + 200);
  expect(text).toContain('data-points="/campaigns/flu/points/"');
  expect(text).toContain('href="/campaigns/flu/points/0123456789abcdef"');
});

test('the pictures of a closed campaign are not final if the campaign has continued and closed again since', () => {
  const [before, after] = ['2026-03-01T00:00:00.000Z', '2026-03-01T00:00:01.000Z'];
  const seen = { version: 'v', changedAt: before, next: 0 };
  expect(isFinal({ phase: 'completed', asOf: before }, seen)).toBe(true);
  expect(isFinal({ phase: 'completed', asOf: after }, seen)).toBe(false);
  expect(isFinal({ phase: 'running', asOf: before }, seen)).toBe(false);
});

test('all viewers of a drawn state share one report', () => {
  const request = { access: null } as FastifyRequest;
  const runs = { total: 1, done: 1, new: 1, reused: 0, failed: 0, running: 0, queued: 0, waiting: 0 };
  const status = {
    id: 'flu',
    phase: 'completed',
    runs,
    blocked: null,
    strategy: {},
    note: '',
  } as CampaignStatus;
  const seen: Seen = {
    version: 'v',
    asOf: null,
    changedAt: null,
    finished: 1,
    sections: [{ id: 'facts', html: 'large' }],
    next: 0,
  };
  const [one, other] = [campaignParts(request, status, seen), campaignParts(request, status, seen)];
  expect(one[2]!.markup.text).toContain('large');
  expect(one[2]).toBe(other[2]);
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
  const searching = { ...status, strategy: { by: 'selection', stage: 'comparing' } } as CampaignStatus;
  expect(statusSection(searching).text).toMatch(/6 of 9 runs so far finished, 1 failed/);
  for (const drawn of [6, undefined]) expect(head(drawn)).not.toContain('below');
});
