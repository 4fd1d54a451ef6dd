import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MAIN } from '../support/cli.ts';
import { healthAt, WELL } from '../support/health.ts';
import { ownPort } from '../support/own-port.ts';
import { serverSettings } from '../../src/dev/temporal-cli.ts';
import { type TemporalProcess, temporalProcess } from '../support/temporal.ts';
import { until } from '../support/until.ts';
import { environmentOf } from '../support/worker.ts';
import { startWorld, type World } from '../support/world.ts';

let temporal: TemporalProcess;
let world: World;
let server: ChildProcess;
let port: number;
beforeAll(async () => {
  temporal = await temporalProcess(undefined, serverSettings);
  world = await startWorld({ temporal });
  port = await ownPort();
  server = spawn(process.execPath, [MAIN, 'server', '--port', '0', '--health', String(port)], {
    env: environmentOf(world.settings),
    cwd: world.folder,
    stdio: 'ignore',
  });
  await until('the server answers', () =>
    healthAt(port, '/ready').then(
      () => true,
      () => false,
    ),
  );
});
afterAll(async () => {
  const exit = once(server, 'exit');
  server.kill('SIGKILL');
  await exit;
  await world.close();
});

test('foray server is ready while it reaches Temporal, its store and the model service', async () => {
  await until('it has reached Temporal', async () => (await healthAt(port, '/ready')).healthy);
  expect(await healthAt(port, '/ready')).toEqual(WELL);
  await temporal.kill();
  await until('it misses Temporal', async () => !(await healthAt(port, '/ready')).healthy);
  expect(await healthAt(port, '/ready')).toEqual({ status: 503, healthy: false, failed: ['Temporal'] });
  await world.service.close();
  const failed = ['Temporal', 'model service'];
  expect(await healthAt(port, '/ready')).toEqual({ status: 503, healthy: false, failed });
  // the process itself works
  expect(await healthAt(port, '/health')).toEqual(WELL);
});
