import { expect, test } from '@jest/globals';
import type { TemporalConnection } from '../../../src/client/temporal/connection.ts';
import { startOptions } from '../../../src/client/temporal/start.ts';
import { sampleRecord } from '../../report/support.ts';

test('the details of a workflow in the Web UI link to the page of its campaign, if the address is known', () => {
  const detailsWith = (page?: string): unknown => {
    const connection = { settings: { taskQueue: 'foray', owner: 'ada', page } } as TemporalConnection;
    return startOptions(connection, sampleRecord({ id: 'a flu' }), 'store', false).staticDetails;
  };
  expect(detailsWith('http://127.0.0.1:8100')).toBe(
    '[The page of the campaign](http://127.0.0.1:8100/campaigns/a%20flu)',
  );
  expect(detailsWith()).toBeUndefined();
});
