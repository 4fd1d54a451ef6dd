import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openDatabase } from '../../src/service/database/open.ts';
import { endTracing, inSpan, startTracing } from '../../src/tracing.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { add, addVersion, newRun, queueIn } from './queue.ts';
import { onCleanup, temporaryFolder } from './support.ts';

const before = { ...process.env };
let receiver: OtlpReceiver;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  Object.assign(process.env, receiver.env);
  await startTracing('tests', () => {});
});
afterAll(async () => {
  await endTracing();
  process.env = before;
  receiver.close();
});

test('a claimed run has the trace of its first request, again after it was put back; other runs have none', async () => {
  const database = openDatabase(temporaryFolder());
  onCleanup(() => database.close());
  await addVersion(database.sql);
  const queue = queueIn(database.sql);
  await add(queue, 1);
  const { id } = await inSpan('first', 'new', {}, () => queue.runs.insert(newRun('traced')));
  await inSpan('second', 'new', {}, () => queue.runs.insert(newRun('traced')));
  const { holders } = queue.runs;
  const claim = async (holder: string) => {
    await holders.open(holder, holder);
    return new Map((await holders.claim(holder, 9)).map((run) => [run.id, run.trace]));
  };
  const claimed = await claim('one');
  const trace = claimed.get(id)!;
  expect([...claimed.values()]).toEqual([undefined, trace]);
  await holders.close('one', { isLost: true });
  expect((await claim('two')).get(id)).toBe(trace);
  await endTracing();
  const first = receiver.spans.find(({ name }) => name === 'first')!;
  expect(trace).toBe(`00-${first.traceId}-${first.spanId}-01`);
});
