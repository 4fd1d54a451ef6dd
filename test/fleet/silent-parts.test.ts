import { beforeAll, expect, test } from '@jest/globals';
import { writeCommandModel } from '../service/command-model.ts';
import { healthOf, onCleanup, outputsOf } from '../service/support.ts';
import { healthAt, WELL } from '../support/health.ts';
import { ownPort } from '../support/own-port.ts';
import { until } from '../support/until.ts';
import { startFleet, type TestFleet } from './fleet.ts';

let fleet: TestFleet;

beforeAll(async () => {
  fleet = await startFleet((folder) => {
    writeCommandModel(folder, 'Echo', 'say({ outputs: { Out: inputs.N } });');
  });
});

const problemOf = async () => (await fleet.listed('one'))?.problem;
const codes = async () => (await healthOf(fleet.service.running.url)).problems.map(({ code }) => code);

test('a frozen Temporal is noticed by the service and by executors, and all goes on when it answers again', async () => {
  const port = await ownPort();
  await fleet.start('one', { flags: ['--slots', '1', '--health', String(port)] });
  const version = await fleet.service.latest('Echo');
  expect(await outputsOf(fleet.service, version, { N: 1 })).toEqual(new Map([['Out', '1']]));
  expect(await healthAt(port, '/ready')).toEqual(WELL);
  fleet.temporal.freeze();
  onCleanup(() => fleet.temporal.thaw());
  await until('the health document names the problem', async () => (await codes()).includes('LANES_STUCK'));
  expect(fleet.problems.join('\n')).toContain(
    'No lane can be started in Temporal; foray tries again: The Temporal server at 127.0.0.1:',
  );
  await until(
    'the executor says why it takes no runs',
    async () => (await problemOf()) === 'Temporal does not answer',
  );
  expect(await healthAt(port, '/ready')).toMatchObject({ status: 503, healthy: false });
  expect((await healthAt(port, '/ready')).failed).toContain('Temporal');
  expect(await healthAt(port, '/health')).toEqual(WELL);
  fleet.temporal.thaw();
  await until('the problem is over', async () => (await codes()).length === 0);
  await until('the executor takes runs', async () => (await problemOf()) === null);
  expect(await outputsOf(fleet.service, version, { N: 2 })).toEqual(new Map([['Out', '2']]));
  expect(await healthAt(port, '/ready')).toEqual(WELL);
});

test('an executor ends after SIGTERM and leaves the list, although Temporal is frozen', async () => {
  const executor = await fleet.start('two', { flags: ['--slots', '1'] });
  fleet.temporal.freeze();
  onCleanup(() => fleet.temporal.thaw());
  await until(
    'the executor has noticed it',
    async () => (await fleet.listed('two'))?.problem === 'Temporal does not answer',
  );
  executor.child.kill('SIGTERM');
  // Temporal stays frozen, so its answer cannot be the reason
  expect(await executor.exit).toBe(0);
  expect((await fleet.executors()).map(({ name }) => name)).not.toContain('two');
  fleet.temporal.thaw();
});
