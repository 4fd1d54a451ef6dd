import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EXECUTORS } from '../../src/service/fleet/protocol.ts';
import { startFleet } from '../fleet/fleet.ts';
import { writeCommandModel } from '../service/command-model.ts';
import { hashOf } from '../service/signed-suite.ts';
import { outputsOf, reach, requestRun, upload } from '../service/support.ts';
import { type S3Server, startS3 } from '../support/s3.ts';

/** Executors on other machines, for a service whose files are in an S3-compatible store. */

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
