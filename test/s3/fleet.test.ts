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

test('executors exchange files with the store itself, also after an outage of the bucket; an executor that cannot store outputs starts no more runs and says why, and all runs complete when it can', async () => {
  const { log, seen } = transfers();
  const write = (models: string): void => {
    writeFiles(models);
    writeModel(
      models,
      'writer',
      `export default {
         name: 'Writer', description: '', inputs: [{ name: 'N', type: 'DOUBLE', default: 0 }],
         outputs: [{ name: 'Text', type: 'OUTPUT_FILE' }],
         run: ({ inputs, writeFile }) => ({ Text: writeFile('n.txt', 'the number ' + inputs.N) }),
       };`,
    );
  };
  // no run may be repeated, so the executor must not count as lost on a slow machine
  const fleet = await startFleet(write, { s3: server.place, log, heartbeat: 60_000 });
  const { service } = fleet;
  const { body: File } = await upload(service, ' of the store');
  const executor = await fleet.start('one', { flags: ['--slots', String(SLOTS)] });
  const version = await service.latest('Files');
  const outputs = await outputsOf(service, version, { N: 1, File });
  expect(JSON.parse(outputs.get('Text')!)).toMatchObject({ hash: hashOf('1 of the store') });
  expect(server.files()).toContain(hashOf('1 of the store'));
  expect(seen).toEqual([]);
  expect(executor.lines.join()).not.toContain('X-Amz');

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

  const writer = await service.latest('Writer');
  await server.kill();
  const runs = [];
  for (let N = 0; N < RUNS; N += 1) runs.push((await requestRun(service, writer, { N })).body);
  const why = await until(
    'the executor says why',
    async () => (await fleet.listed('one'))?.problem ?? undefined,
  );
  expect(why).toMatch(/^the outputs of \d+ runs wait, because the service cannot store them$/);
  const ofWriter = (what: string): unknown => {
    const sql = `SELECT ${what} AS told FROM runs WHERE version_id = '${writer}'`;
    return (rows(service.dataDir, sql) as [{ told: unknown }])[0].told;
  };
  // the runs that execute when the limit is reached still end, so a few more outputs than the limit may wait, but not
  // the outputs of all runs
  expect(ofWriter(`sum(CASE WHEN status = 'RUNNING' THEN 1 ELSE 0 END)`)).toBeLessThan(5 * SLOTS);
  await server.start();
  for (const run of runs) await reach(service, run, 'COMPLETED');
  expect(ofWriter('sum(executions)')).toBe(RUNS);
});

test('executors that cannot reach the store exchange files with the service', async () => {
  const { log, seen } = transfers();
  const fleet = await startFleet(writeFiles, { s3: await refusingAddresses(), log });
  const { service } = fleet;
  const { body: File } = await upload(service, ' by the service');
  const executor = await fleet.start('one', { flags: ['--slots', '1'] });
  const outputs = await outputsOf(service, await service.latest('Files'), { N: 5, File });
  expect(JSON.parse(outputs.get('Text')!)).toMatchObject({ hash: hashOf('5 by the service') });
  expect(server.files()).toContain(hashOf('5 by the service'));
  expect(seen).toEqual(['GET', 'PUT']);
  expect(executor.lines.join()).not.toContain('X-Amz');
});
