import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Server } from '../../src/server/app.ts';
import { temporaryFolder } from '../service/support.ts';
import { serverOf } from '../server/support.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { report } from '../support/seeds.ts';
import { KEY, startWorld, type World } from '../support/world.ts';
import { findSchemathesis, runSchemathesis } from './schemathesis.ts';

/**
 * Schemathesis makes requests from the openapi.json of foray's own server. It checks that no answer is an internal
 * error, and that each answer has the described shape.
 */

const EXAMPLES = process.env.FORAY_FUZZ === 'full' ? 400 : 2;
const SEED = process.env.FORAY_SEED ?? '1';

let world: World;
let server: Server;
beforeAll(async () => {
  await findSchemathesis();
  world = await startWorld();
  await world.startWorker();
  server = await serverOf(world);
  const design = { grid: { Value: [1, 2] } };
  const definition = { campaign: 'quick', model: { name: 'Rehearsal' }, inputs: { Seconds: 0 }, design };
  await world.foray.submit({ definition }, { id: 'quick' });
  await toTheEnd(world, 'quick');
}, 600_000);
afterAll(async () => {
  await server.close();
  await world.close();
});

test(`Schemathesis finds no error in ${EXAMPLES} examples of each endpoint of the server`, async () => {
  const { code, output } = await runSchemathesis(temporaryFolder(), [
    ...['run', `${server.url}/api/v1/openapi.json`, '--header', `Authorization: Bearer ${KEY}`],
    ...['--max-examples', String(EXAMPLES), '--seed', SEED],
    ...['--checks', 'not_a_server_error,response_schema_conformance,content_type_conformance'],
    // the answers of these paths take as long as the campaign
    ...['--exclude-path-regex', '/events'],
    ...['--request-timeout', '120'],
  ]);
  report(`fuzz of the API: seed ${SEED}: ${/Test cases:\n\s+(.*)/.exec(output)?.[1]}`);
  if (code !== 0) throw new Error(output.slice(-20_000));
  expect(output).toMatch(/Tested: \d{2}/);
}, 1_800_000);
