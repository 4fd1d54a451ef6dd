import { expect, test } from '@jest/globals';
import type { Report } from '../../src/service/fleet/protocol.ts';
import type { ExecutorState } from '../../src/service/remote-executor/executor-state.ts';
import { FleetClient } from '../../src/service/remote-executor/fleet-client.ts';
import { HttpFeed } from '../../src/service/remote-executor/feed.ts';
import { greetFirst } from '../../src/service/remote-executor/greeting.ts';
import { startServer } from '../cloud/support.ts';

const MB = 2 ** 20;

/** The reports to the service about finished runs. Each size is the size of a run's outputs, in MB. */
async function reportsOf(...sizes: number[]): Promise<Report['endings'][]> {
  const reports: Report['endings'][] = [];
  const report = ({ endings }: Report): Promise<void> => Promise.resolve(void reports.push(endings));
  const feed = new HttpFeed({ client: { report } as unknown as FleetClient, holder: 'h', has: [] });
  await feed.report(
    sizes.map((size, at) => ({
      runId: `run-${at}`,
      status: 'COMPLETED',
      outputs: { Text: 'x'.repeat(size * MB) },
    })),
  );
  return reports;
}

test('a report has at most about eight MB of outputs or only one run, and each run is in one report', async () => {
  const reports = await reportsOf(5, 5, 1, 1, 9, 1);
  expect(reports.map((endings) => endings.map(({ runId }) => runId))).toEqual([
    ['run-0'],
    ['run-1', 'run-2', 'run-3'],
    ['run-4'],
    ['run-5'],
  ]);
});

test('a run fails if its outputs alone are too large for a report; no other run fails', async () => {
  const [endings] = await reportsOf(1, 61, 1);
  expect(endings!.map(({ status }) => status)).toEqual(['COMPLETED', 'FAILED', 'COMPLETED']);
  expect(endings![1]).toEqual({
    runId: 'run-1',
    status: 'FAILED',
    reason:
      'its outputs have 61 MB, and an executor on another machine reports at most 60 MB: write large values to an output file',
  });
});

test.each([
  [200, '<html>Log in</html>', 'cannot be used: the service answers with HTML instead of JSON.'],
  [200, 'null', 'cannot be used: the service answers with text that is not a JSON object.'],
  [500, { message: 'no upstream' }, 'cannot be used: the service answers with status 500: no upstream.'],
  [400, { code: 'BAD_REQUEST', message: 'It is wrong.' }, 'refuses this executor: It is wrong.'],
])('the error for an answer of another program (%d, %j) has the address', async (status, body, why) => {
  const server = await startServer();
  server.say(status, body);
  const state = { hello: () => ({}) } as unknown as ExecutorState;
  const greeting = { client: new FleetClient(server.url, 'key'), name: 'one', state };
  await expect(greetFirst(greeting, { url: server.url, namespace: 'default' })).rejects.toMatchObject({
    message: `The model service at ${server.url} ${why}`,
    hint: expect.stringContaining('--service-url'),
  });
});
