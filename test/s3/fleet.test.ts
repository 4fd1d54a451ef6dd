import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EXECUTORS } from '../../src/service/fleet/protocol.ts';
import { startFleet } from '../fleet/fleet.ts';
import { writeCommandModel } from '../service/command-model.ts';
import { hashOf } from '../service/signed-suite.ts';
import { onCleanup, outputsOf, reach, requestRun, rows, upload, writeModel } from '../service/support.ts';
import { type S3Server, startS3 } from '../support/s3.ts';
import { until } from '../support/until.ts';

/** Tests executors on other machines, for a service whose files are in an S3-compatible store. */

const SLOTS = 2;
/**
 * The number of runs: a few more than the executor starts during an outage of the bucket. For each slot, the outputs of
 * 4 runs may wait, and one more run may execute.
 */
const RUNS = 5 * SLOTS + 6;

let server: S3Server;

beforeAll(async () => {
  server = await startS3();
});
afterAll(() => server.remove());

/** Writes a model whose output file has the input N and the content of the input file. */
function writeFiles(models: string): void {
  writeCommandModel(
    models,
    'Files',
    `writeFileSync('out.txt', inputs.N + (inputs.File ? readFileSync(inputs.File, 'utf8') : ''));
     say({ outputs: { Text: 'out.txt' } });`,
    ['Text: OUTPUT_FILE'],
  );
}

/**
 * A stream for the log of a service. `seen` has the method of each transfer of a file between executors and service.
 */
function transfers(): { log: Writable; seen: string[] } {
  const seen: string[] = [];
  const log = new Writable({
    write(line: Buffer, _encoding, done) {
      const { req } = JSON.parse(line.toString()) as { req?: { method: string; path: string } };
      if (req && /^\/executors\/files\/[\w-]+$/.test(req.path)) seen.push(req.method);
      done();
    },
  });
  return { log, seen };
}

/** Starts a proxy of the bucket that refuses pre-signed addresses, as a firewall would. */
async function refusingAddresses(): Promise<S3Server['place']> {
  const front = createServer((incoming, outgoing) => {
    if (incoming.url!.includes('X-Amz-Signature')) return void outgoing.writeHead(403).end();
    const { method, url, headers } = incoming;
    const request = send(new URL(url!, server.endpoint), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(request);
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  onCleanup(() => void front.close());
  const { port } = front.address() as AddressInfo;
  const { bucket, ...key } = server.place;
  return { ...key, bucket: { ...bucket, url: bucket.url.replace(/:\d+/, `:${port}`) } };
}

test.each([
  ['the store itself', () => Promise.resolve(server.place), []],
  ['the service if they cannot reach the store', refusingAddresses, ['GET', 'PUT']],
])('executors get files from and send files to %s', async (_where, place, passed) => {
  const { log, seen } = transfers();
  const fleet = await startFleet(writeFiles, { s3: await place(), log });
  const { service } = fleet;
  const { body: File } = await upload(service, ` by ${String(passed.length)}`);
  const version = await service.latest('Files');
  const executor = await fleet.start('one', { flags: ['--slots', '1'] });
  const outputs = await outputsOf(service, version, { N: 5, File });
  const text = `5 by ${passed.length}`;
  expect(JSON.parse(outputs.get('Text')!)).toMatchObject({ hash: hashOf(text) });
  expect(server.files()).toContain(hashOf(text));
  expect(seen).toEqual(passed);
  expect(executor.lines.join()).not.toContain('X-Amz');
});

test('executors get and store files, also after an outage of the bucket', async () => {
  const fleet = await startFleet(writeFiles, { s3: server.place });
  const { service } = fleet;
  const { body: File } = await upload(service, ' of the store');
  await fleet.start('one', { flags: ['--slots', '2'] });
  const version = await service.latest('Files');
  const outputs = await outputsOf(service, version, { N: 1, File });
  expect(JSON.parse(outputs.get('Text')!)).toMatchObject({ hash: hashOf('1 of the store') });
  expect(server.files()).toContain(hashOf('1 of the store'));

  await server.kill();
  const { body: run } = await requestRun(service, version, { N: 2 });
  const put = (body: string) =>
    fetch(new URL(`${EXECUTORS}/files/${hashOf('3')}`, service.running.url), {
      method: 'PUT',
      headers: { Authorization: fleet.key },
      body,
    });
  expect((await put('3')).status).toBe(503);
  await server.start();
  await reach(service, run, 'COMPLETED');
  expect(server.files()).toContain(hashOf('2'));
  const refused = await put('other content');
  expect([refused.status, await refused.json()]).toEqual([
    422,
    expect.objectContaining({ code: 'CONTENT_DIFFERS' }),
  ]);
  expect(server.files()).not.toContain(hashOf('3'));
});

test('an executor that cannot store outputs starts no more runs and says why; all runs complete when it can store outputs', async () => {
  const fleet = await startFleet(
    (models) =>
      writeModel(
        models,
        'writer',
        `export default {
           name: 'Writer', description: '', inputs: [{ name: 'N', type: 'DOUBLE', default: 0 }],
           outputs: [{ name: 'Text', type: 'OUTPUT_FILE' }],
           run: ({ inputs, writeFile }) => ({ Text: writeFile('n.txt', 'the number ' + inputs.N) }),
         };`,
      ),
    // no run may be repeated, so the executor must not count as lost on a slow machine
    { s3: server.place, heartbeat: 60_000 },
  );
  const { service } = fleet;
  await fleet.start('writer', { flags: ['--slots', String(SLOTS)] });
  const version = await service.latest('Writer');
  await server.kill();
  const runs = [];
  for (let N = 0; N < RUNS; N += 1) runs.push((await requestRun(service, version, { N })).body);
  const why = await until(
    'the executor says why',
    async () => (await fleet.listed('writer'))?.problem ?? undefined,
  );
  expect(why).toMatch(/^the outputs of \d+ runs wait, because the service cannot store them$/);
  const [{ held }] = rows(service.dataDir, `SELECT count(*) AS held FROM runs WHERE status = 'RUNNING'`) as [
    { held: number },
  ];
  // the runs that execute when the limit is reached still end, so a few more outputs than the limit may wait, but not
  // the outputs of all runs
  expect(held).toBeLessThan(5 * SLOTS);
  await server.start();
  for (const run of runs) await reach(service, run, 'COMPLETED');
  const [{ executions }] = rows(service.dataDir, 'SELECT sum(executions) AS executions FROM runs') as [
    { executions: number },
  ];
  expect(executions).toBe(RUNS);
});
