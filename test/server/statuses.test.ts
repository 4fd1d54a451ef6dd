import { expect, test } from '@jest/globals';
import type { CampaignStatus } from '../../src/client/index.ts';
import { Statuses } from '../../src/server/statuses.ts';

const statusFrom = (source: CampaignStatus['source']): CampaignStatus => ({ source }) as CampaignStatus;
const hasOpenChange = (): Promise<boolean> => Promise.resolve(false);
const storedStatus = (): Promise<CampaignStatus> => Promise.resolve(statusFrom('store'));

test('a page does not wait for a worker or a service that is silent, and the next viewer gets their answer', async () => {
  const answer = Promise.withResolvers<CampaignStatus>();
  const statuses = new Statuses({ hasOpenChange, storedStatus, status: () => answer.promise });
  expect(await statuses.soon('a')).toEqual({ status: statusFrom('store'), isWhole: false });
  const next = statuses.recent('a');
  answer.resolve(statusFrom('workflow'));
  expect(await next).toEqual(statusFrom('workflow'));
});

test('a page has the whole status if it comes in time, and its error', async () => {
  const whole = new Statuses({
    hasOpenChange,
    storedStatus,
    status: () => Promise.resolve(statusFrom('workflow')),
  });
  expect(await whole.soon('a')).toEqual({ status: statusFrom('workflow'), isWhole: true });
  const error = new Error('gone');
  await expect(
    new Statuses({ hasOpenChange, storedStatus, status: () => Promise.reject(error) }).soon('a'),
  ).rejects.toBe(error);
});

test('a page does not wait for Temporal to know whether a closed campaign changes, and viewers share the answer', async () => {
  const answer = Promise.withResolvers<boolean>();
  let asked = 0;
  const statuses = new Statuses({
    storedStatus,
    status: storedStatus,
    hasOpenChange: () => ((asked += 1), answer.promise),
  });
  expect(await statuses.isChanging('a')).toBe(false);
  answer.resolve(true);
  expect(await statuses.isChanging('a')).toBe(true);
  expect(asked).toBe(1);
});
