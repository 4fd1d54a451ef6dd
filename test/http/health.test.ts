import { expect, test } from '@jest/globals';
import { readiness } from '../../src/http/health.ts';

test('many probes at once cost one check, and the next probe checks again', async () => {
  let checks = 0;
  const away: { why?: string } = {};
  const ready = readiness({
    store: () => {
      checks += 1;
      return Promise.resolve(away.why);
    },
  });
  const statuses = async () =>
    new Set((await Promise.all(Array.from({ length: 200 }, ready))).map(({ status }) => status));
  expect([await statuses(), checks]).toEqual([new Set([200]), 1]);
  away.why = 'It is away.';
  expect([await statuses(), checks]).toEqual([new Set([503]), 2]);
});
