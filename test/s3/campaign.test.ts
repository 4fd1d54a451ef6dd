import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fileIn } from '../../src/api/index.ts';
import { hashOf } from '../service/signed-suite.ts';
import { EPIDEMIC, healthOf } from '../service/support.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { type S3Server, startS3 } from '../support/s3.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';

/** A campaign keeps output files while the server of the bucket is killed twice. */

const RUNS = 24;
/** The test kills the server each time the bucket has at least the next of these numbers of files. */
const OUTAGES = [3, 12];

let server: S3Server;
let world: World;

beforeAll(async () => {
  server = await startS3();
  world = await startWorld({ models: [EPIDEMIC], service: { s3: server.place } });
  await world.startWorker();
});
afterAll(async () => {
  await world.close();
  await server.remove();
});

test('outages of the bucket fail no run and lose no file', async () => {
  const id = 'outages';
  const rates = Array.from({ length: RUNS }, (_, index) => 1.1 + index / 100);
  const text = `
campaign: flu
model: {name: Epidemic}
inputs: {Days: 5}
design: {grid: {Contact rate: ${JSON.stringify(rates)}}}
concurrency: 5
outputs: {names: [Peak day, Trajectory], files: keep}
`;
  await world.foray.submit({ text, file: 'flu.yaml' }, { id });
  for (const files of OUTAGES) {
    await until(`${files} files are stored`, () => server.files().length >= files);
    await server.kill();
    const left = server.files().length;
    // the runs that end in the meantime wait for the bucket
    await until(
      'the service reports the outage',
      async () => (await healthOf(world.service.url)).status === 'degraded',
    );
    expect(server.files()).toHaveLength(left);
    await server.start();
  }
  const { phase, runs } = await toTheEnd(world, id);
  expect([phase, runs.done, runs.failed]).toEqual(['completed', RUNS, 0]);
  const hashes = (await world.rows(id)).map(({ outputs }) => fileIn(outputs.Trajectory)!.hash);
  expect(new Set(hashes).size).toBe(RUNS);
  for (const hash of hashes) {
    expect(hashOf((await world.foray['store'].getFile(hash))!)).toBe(hash);
    expect(server.files()).toContain(hash);
  }
});
