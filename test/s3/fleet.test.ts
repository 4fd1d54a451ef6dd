import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EXECUTORS } from '../../src/service/fleet/protocol.ts';
import { startFleet } from '../fleet/fleet.ts';
import { writeCommandModel } from '../service/command-model.ts';
import { hashOf } from '../service/signed-suite.ts';
import { outputsOf, reach, requestRun, rows, upload, writeModel } from '../service/support.ts';
import { type S3Server, startS3 } from '../support/s3.ts';
import { until } from '../support/until.ts';

/** Executors on other machines, for a service whose files are in an S3-compatible store. */

const SLOTS = 2;
/** Runs whose outputs may wait, and some more. */
const RUNS = 5 * SLOTS + 6;

let server: S3Server;

beforeAll(async () => {
  server = await startS3();
});
afterAll(() => server.remove());

test('executors get and store files through the service, also after an outage of the store', async () => {
  const fleet = await startFleet(
    (models) =>
      writeCommandModel(
        models,
        'Files',
        `writeFileSync('out.txt', inputs.N + (inputs.File ? readFileSync(inputs.File, 'utf8') : ''));
         say({ outputs: { Text: 'out.txt' } });`,
        ['Text: OUTPUT_FILE'],
      ),
    { s3: server.place },
  );
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
      ...{ method: 'PUT', headers: { Authorization: fleet.key }, body },
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

test('an executor whose outputs cannot be stored begins no more runs and says why; when they can be, all complete', async () => {
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
    { s3: server.place },
  );
  const { service } = fleet;
  await fleet.start('writer', { flags: ['--slots', String(SLOTS)] });
  const version = await service.latest('Writer');
  await server.kill();
  const runs = [];
  for (let N = 0; N < RUNS; N += 1) runs.push((await requestRun(service, version, { N })).body);
  const why = await until('it says so', async () => (await fleet.listed('writer'))?.problem ?? undefined);
  expect(why).toMatch(/^the outputs of \d+ runs wait, because the service cannot store them$/);
  const [{ held }] = rows(service.dataDir, `SELECT count(*) AS held FROM runs WHERE status = 'RUNNING'`) as [
    { held: number },
  ];
  // those that execute when it is full go on
  expect(held).toBeLessThan(5 * SLOTS);
  await server.start();
  for (const run of runs) await reach(service, run, 'COMPLETED');
  const [{ executions }] = rows(service.dataDir, 'SELECT sum(executions) AS executions FROM runs') as [
    { executions: number },
  ];
  expect(executions).toBe(RUNS);
});
