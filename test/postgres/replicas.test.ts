import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { isForayError } from '../../src/errors.ts';
import { openPostgres } from '../../src/service/database/postgres.ts';
import { postgresMigrations } from '../../src/service/database/postgres-migrations.ts';
import { Access } from '../../src/service/access.ts';
import { ensureUserKey, listKeys } from '../../src/keys/edit.ts';
import { openShared, Replicas } from '../../src/service/replicas.ts';
import {
  healthOf,
  messageIn,
  onCleanup,
  outputsOf,
  reach,
  requestRun,
  simulation,
  startTestService,
  stateOf,
  temporaryFolder,
  type TestService,
  until,
  writeModel,
} from '../service/support.ts';
import { toTheEnd, untilSomeAreDone } from '../support/campaigns.ts';
import { writeGated } from '../support/gated.ts';
import { PASSWORD, type Postgres, startPostgres } from '../support/postgres.ts';
import { startRoundRobin } from '../support/round-robin.ts';
import { report } from '../support/seeds.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { rehearsal, startWorld } from '../support/world.ts';

let server: Postgres;
let database: string;
let dataDir: string;
beforeAll(async () => {
  server = await startPostgres();
});
beforeEach(async () => {
  database = await server.database();
  dataDir = temporaryFolder();
});
afterAll(() => server.remove());

const TWICE = `
export default {
  name: 'Twice', description: '', published: true,
  inputs: [{ name: 'x', type: 'DOUBLE', default: 1 }],
  outputs: [{ name: 'y', type: 'DOUBLE' }],
  experiments: [],
  run: ({ inputs }) => ({ y: 2 * inputs.x }),
};
`;

/** A folder with the model "Gated", the inputs of a run that waits for a gate, and a function that opens the gate. */
function gatedModel() {
  const models = temporaryFolder();
  writeGated(models);
  const Gate = path.join(temporaryFolder(), 'gate');
  return { models, inputs: { Gate }, open: () => writeFileSync(Gate, '') };
}

/** Starts two services on one database. The first one executes no runs. */
async function twoReplicas(): Promise<[TestService, TestService]> {
  return [
    await startTestService({ dataDir, database, executors: 0 }),
    await startTestService({ dataDir, database, executors: 2 }),
  ];
}

/** The runs of the campaign below. They take long enough for both replicas to have some when one is killed. */
const RUNS = 60;

test('a campaign whose runs two replicas execute has one result per run, even if one replica is killed', async () => {
  let killed: ServiceProcess | undefined;
  let answered: number[] = [];
  const world = await startWorld({
    service: { dataDir, database, executors: 2 },
    async through(service) {
      killed = await startServiceProcess(dataDir, database);
      const proxy = await startRoundRobin([service.url, killed.url]);
      answered = proxy.answered;
      return proxy;
    },
  });
  onCleanup(() => world.close());
  await world.startWorker();
  await world.foray.submit(rehearsal({ count: RUNS, seconds: 0.3 }), { id: 'two' });
  await untilSomeAreDone(world, 'two');
  await until(async () => {
    const holders = await server.query(
      database,
      "select holder from runs where status = 'COMPLETED' group by holder",
    );
    return holders.length === 2 || undefined;
  }, 'both replicas to have executed runs');
  await killed!.close();
  expect((await toTheEnd(world, 'two')).phase).toBe('completed');
  for (const requests of answered) expect(requests).toBeGreaterThan(0);
  const rows = await world.rows('two');
  expect(rows.map(({ outputs }) => Number(outputs?.['Echo'])).sort((one, other) => one - other)).toEqual(
    Array.from({ length: RUNS }, (_, at) => at + 1),
  );
  const [counted] = await server.query(
    database,
    `select (select count(*) from runs) as runs, (select count(*) from results) as results,
       (select sum(executions) from runs) as executions`,
  );
  const { runs, results, executions } = counted as Record<string, string>;
  report(`replicas: ${runs} runs, ${results} results, ${executions} executions, one of two killed`);
  expect([runs, results]).toEqual([String(RUNS), String(RUNS)]);
});

describe('one of two replicas', () => {
  test('executes runs that were requested from the other replica, and both replicas know these runs', async () => {
    const [idle, busy] = await twoReplicas();
    const version = await idle.latest('Rehearsal');
    expect(await busy.latest('Rehearsal')).toBe(version);
    expect((await outputsOf(idle, version, { Seconds: 0, Value: 7 })).get('Echo')).toBe('7');
    const { body: run } = await requestRun(idle, version, { Seconds: 600 });
    await reach(idle, run, 'RUNNING');
    await until(
      async () => messageIn(await stateOf(idle, run)).total > 0 || undefined,
      'the progress of the run',
    );
    await idle.post(`/versions/${version}/runs/stop`, simulation({ Seconds: 600 }));
    await reach(busy, run, 'STOPPED');
    // the executor of this replica is free again
    const { body: next } = await requestRun(busy, version, { Seconds: 0, Value: 1 });
    await reach(busy, next, 'COMPLETED');
  });

  test('gives its run to another replica when it ends, and the run does not count as lost', async () => {
    const { models, inputs, open } = gatedModel();
    await startTestService({ dataDir, database, modelDirs: [models], executors: 0 });
    const first = await startTestService({ dataDir, database, modelDirs: [models] });
    const version = await first.latest('Gated');
    const { body: run } = await requestRun(first, version, inputs);
    await reach(first, run, 'RUNNING');
    await first.close();
    open();
    const second = await startTestService({ dataDir, database, modelDirs: [models] });
    await reach(second, run, 'COMPLETED');
    const rows = await server.query(database, 'select executions, losses from runs');
    expect(rows).toEqual([{ executions: 2, losses: 0 }]);
  });

  test('knows and executes the versions of models that only the other replica has', async () => {
    const [first] = await twoReplicas();
    const models = temporaryFolder();
    writeModel(models, 'twice', TWICE);
    const second = await startTestService({ dataDir, database, modelDirs: [models], executors: 0 });
    const version = await first.latest('Twice');
    expect((await outputsOf(first, version, { x: 4 })).get('y')).toBe('8');
    expect(await second.latest('Rehearsal')).toBe(await first.latest('Rehearsal'));
  });

  test('continues under a new id in the table "holders" after its old id in this table was closed', async () => {
    const { models, inputs, open } = gatedModel();
    // both holders may execute the run at once, and one more executor is free
    const service = await startTestService({ dataDir, database, modelDirs: [models], executors: 3 });
    const version = await service.latest('Gated');
    const { body: run } = await requestRun(service, version, inputs);
    await reach(service, run, 'RUNNING');
    await server.query(database, "update holders set closed_at = '2026-01-01'");
    const { body: next } = await requestRun(service, version);
    await reach(service, next, 'COMPLETED');
    open();
    await reach(service, run, 'COMPLETED');
  });
});

test('no run is lost if the database stops for a while', async () => {
  const { models, inputs, open } = gatedModel();
  const service = await startTestService({ dataDir, database, modelDirs: [models] });
  const version = await service.latest('Gated');
  const { body: run } = await requestRun(service, version, inputs);
  await reach(service, run, 'RUNNING');
  await server.stop();
  const refused = await service.get<{ code: string }>(`/versions/${version}/runs/${run.id}/progress`);
  expect([refused.status, refused.body.code]).toEqual([503, 'UNAVAILABLE']);
  open();
  await until(
    async () =>
      (await healthOf(service.running.url)).problems.some(({ code }) => code === 'RUNS_UNRECORDED') ||
      undefined,
    'the run to have ended',
  );
  await server.start();
  await reach(service, run, 'COMPLETED');
  expect(await server.query(database, 'select executions from runs')).toEqual([{ executions: 1 }]);
});

/** True if a connection waits for an advisory lock, otherwise undefined. */
async function waitingForLock(): Promise<true | undefined> {
  const waiting = await server.query(
    database,
    "select 1 from pg_locks where locktype = 'advisory' and not granted",
  );
  return waiting.length > 0 || undefined;
}

describe('a replica is refused', () => {
  async function refusal(attempt: Promise<unknown>): Promise<string> {
    try {
      await attempt;
    } catch (error) {
      if (!isForayError(error)) throw error;
      expect(`${error.toLine()} ${error.stack}`).not.toContain(PASSWORD);
      return `${error.code}: ${error.message}`;
    }
    throw new Error('the service started');
  }

  test('with another data folder than the other replicas, or with other keys while a replica with the first keys runs', async () => {
    const first = await startTestService({ dataDir, database });
    const other = temporaryFolder();
    expect(await refusal(startTestService({ dataDir: other, database }))).toBe(
      `STORE_UNUSABLE: The data folder ${other} does not belong to the other services of this database.`,
    );
    const keyFile = path.join(other, 'keys.yaml');
    writeFileSync(keyFile, 'users: {}\n');
    expect(await refusal(startTestService({ dataDir, database, keyFile }))).toBe(
      'KEYS_INVALID: The other services of this database accept other keys.',
    );
    await first.close();
    await startTestService({ dataDir, database, keyFile });
  });

  test('after another replica with another key file has started at the same time', async () => {
    const place = { bucket: 'http://127.0.0.1:9/files', now: Date.now };
    const starts = await Promise.all(
      [1, 2].map(async () => {
        const folder = temporaryFolder();
        const shared = await openShared(database);
        onCleanup(() => shared.close());
        const replicas = await Replicas.open(shared, { ...place, dataDir: folder });
        const file = path.join(folder, 'keys.yaml');
        const options = { required: false, localKey: undefined, models: () => [], onFault: () => {} };
        return { replicas, file, access: new Access({ file, ...options }) };
      }),
    );
    for (const { replicas, access } of starts) await replicas.agree(access);
    const [first, second] = starts.map(
      ({ replicas, file, access }) =>
        () =>
          ensureUserKey(file, () => replicas.settleKeys(access)),
    );
    expect(await first!()).toEqual(expect.any(String));
    expect(await refusal(second!())).toBe(
      'KEYS_INVALID: The other services of this database accept other keys.',
    );
    expect(listKeys(starts[1]!.file)).toEqual([]);
    expect(await ensureUserKey(starts[1]!.file, async () => {})).toEqual(expect.any(String));
  });

  test('but not if several replicas start at once, because the others wait until the first has set the keys', async () => {
    const opened = await Promise.all([1, 2, 3].map(() => openPostgres(database)));
    onCleanup(async () => void (await Promise.all(opened.map((one) => one.close()))));
    for (const [n, { peers }] of opened.entries()) await peers.join(`holder ${n}`, `folder ${n}`);
    let isSet = false;
    let sets = 0;
    const agreed = opened.map(async ({ peers }) => {
      await peers.agree(async () => {
        sets += 1;
        await until(waitingForLock, 'another replica to wait');
        isSet = true;
      });
      expect(isSet).toBe(true);
    });
    await Promise.all(agreed);
    expect(sets).toBe(1);
    await opened.pop()!.close();
    await opened[0]!.peers.agree(() => Promise.reject(new Error('another replica has already agreed')));
  });

  test('with a clock that is wrong by an hour', async () => {
    for (const [ms, side] of [
      [3_600_000, 'ahead of'],
      [-3_600_000, 'behind'],
    ] as const) {
      const now = () => Date.now() + ms;
      expect(await refusal(startTestService({ dataDir, database, now }))).toMatch(
        new RegExp(
          `^STORE_UNUSABLE: The clock of this machine is 3(60|59)\\d seconds ${side} that of the database.$`,
        ),
      );
    }
  });

  test('if it is of an older foray, or of a newer foray while services of an older foray run', async () => {
    const service = await startTestService({ dataDir, database });
    const newer = { ...postgresMigrations, '999': 'CREATE TABLE more (id TEXT)' };
    const { host, pathname } = new URL(database);
    expect(await refusal(openPostgres(database, newer))).toBe(
      `STORE_UNUSABLE: The tables of postgres://${host}${pathname} belong to an older foray, whose services still run.`,
    );
    await service.close();
    await (await openPostgres(database, newer)).close();
    expect(await refusal(startTestService({ dataDir, database }))).toBe(
      `STORE_NEWER: The database postgres://${host}${pathname} was written by a newer foray.`,
    );
  });

  test('with an address that cannot be used', async () => {
    const wrong: [string, (address: string) => string, string][] = [
      ['where no server listens', (at) => at.replace(/:\d+\/\w+$/, ':1/foray'), 'STORE_UNREACHABLE'],
      ['with another password', (at) => at.replace(PASSWORD, `${PASSWORD}-no`), 'STORE_UNUSABLE'],
      ['of a database that does not exist', (at) => at.replace(/\w+$/, 'nothing'), 'STORE_UNUSABLE'],
      ['of another kind of database', () => `mysql://foray:${PASSWORD}@127.0.0.1/foray`, 'STORE_UNUSABLE'],
    ];
    for (const [what, change, code] of wrong) {
      const said = await refusal(startTestService({ dataDir, database: change(database) }));
      expect([what, said]).toEqual([what, expect.stringContaining(code)]);
    }
  });
});
