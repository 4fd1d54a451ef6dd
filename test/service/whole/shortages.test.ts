import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import type { Health } from '../../../src/api/health.ts';
import type { ErrorBody, Run } from '../../../src/api/resources.ts';
import type { ModelRegistry } from '../../../src/service/models/registry.ts';
import { Problems } from '../../../src/service/problems.ts';
import { QueueProblems } from '../../../src/service/runs/queue-problems.ts';
import { startAnimation } from '../animations.ts';
import { writeCommandModel } from '../command-model.ts';
import { limitDescriptors, pidsUnder, startProcess } from '../process.ts';
import {
  clientOf,
  healthOf,
  messageIn,
  outputsOf,
  reach,
  requestRun,
  type Requested,
  rows,
  SHIPPED_MODELS,
  startTestService,
  stateOf,
  temporaryFolder,
  until,
} from '../support.ts';

const codesIn = ({ problems }: Health) => problems.map(({ code }) => code);

async function requestRuns(service: Requested, version: string, count: number): Promise<Run[]> {
  const runs = [];
  for (let Value = 0; Value < count; Value++) {
    runs.push((await requestRun(service, version, { Seconds: 0, Value })).body);
  }
  return runs;
}

const statusesIn = (dataDir: string) =>
  rows(dataDir, 'SELECT status, count(*) AS n, max(executions) AS executions FROM runs GROUP BY status');

test('runs wait while the service cannot start processes, and each run is then executed once', async () => {
  const lines: string[] = [];
  const service = await startTestService({
    modelDirs: [SHIPPED_MODELS],
    onProblem: (line) => lines.push(line),
  });
  const version = await service.latest('Rehearsal');
  // Node throws an error if it starts a process with such a large environment
  process.env['TOO_LARGE'] = 'x'.repeat(200_000);
  const runs = await requestRuns(service, version, 20);
  const health = await until(async () => {
    const health = await healthOf(service.running.url);
    return health.status === 'degraded' ? health : undefined;
  }, 'the service to report the problem');
  expect(codesIn(health)).toEqual(['NO_EXECUTOR']);
  // each attempt to start a process claims runs for a moment
  const waiting = await until(() => {
    const statuses = statusesIn(service.dataDir);
    return statuses.length === 1 ? statuses : undefined;
  }, 'all runs to be FRESH again');
  expect(waiting).toEqual([{ status: 'FRESH', n: 20, executions: 0 }]);
  delete process.env['TOO_LARGE'];
  for (const run of runs) await reach(service, run, 'COMPLETED');
  expect(statusesIn(service.dataDir)).toEqual([{ status: 'COMPLETED', n: 20, executions: 1 }]);
  expect(await healthOf(service.running.url)).toMatchObject({ status: 'ok', problems: [] });
  expect(lines).toEqual([expect.stringContaining('E2BIG'), expect.stringContaining('over')]);
});

const onLinux = existsSync('/usr/bin/prlimit') ? describe : describe.skip;

onLinux('a lack of descriptors', () => {
  test('does not end the service and fails no run: no run is RUNNING at that time, and all runs complete afterwards', async () => {
    const dataDir = temporaryFolder();
    const { child, url } = await startProcess(dataDir);
    const client = clientOf(url);
    const version = await client.latest('Rehearsal');
    const restoreAll = limitDescriptors(child.pid!, 4);
    const runs = await requestRuns(client, version, 5);
    await until(async () => codesIn(await healthOf(url)).includes('NO_EXECUTOR') || undefined, 'the problem');
    const { status, body } = await startAnimation(client, version);
    expect([status, (body as unknown as ErrorBody).code]).toEqual([503, 'UNAVAILABLE']);

    const restoreSome = limitDescriptors(child.pid!, 0);
    const unreadable = await until(async () => {
      const { problems } = await healthOf(url);
      return problems.find(({ code }) => code === 'MODELS_UNREADABLE');
    }, 'the folder of models to be unreadable');
    expect(unreadable.message).not.toContain('/');
    const { status: accepted, body: late } = await requestRun(client, version, { Seconds: 0, Value: -1 });
    expect([accepted, late.status]).toEqual([200, 'FRESH']);
    await until(
      () => statusesIn(dataDir).every(({ status }) => status !== 'RUNNING') || undefined,
      'no run to be RUNNING',
    );
    restoreSome();
    restoreAll();
    for (const run of [...runs, late]) await reach(client, run, 'COMPLETED');
    await until(async () => (await healthOf(url)).status === 'ok' || undefined, 'the service to be healthy');
    // the animated run was stopped
    expect(statusesIn(dataDir)).toEqual([
      { status: 'COMPLETED', n: 6, executions: 1 },
      { status: 'STOPPED', n: 1, executions: 1 },
    ]);
    expect(rows(dataDir, 'SELECT max(number) AS newest FROM versions')).toEqual([{ newest: 1 }]);
  });

  test('in an executor does not fail the run of a command model: a new executor executes the run', async () => {
    const folder = temporaryFolder();
    writeCommandModel(folder, 'Program', `say({ outputs: { Out: inputs.N } });`);
    const { child, url } = await startProcess(temporaryFolder(), folder);
    const client = clientOf(url);
    const version = await client.latest('Program');
    expect((await outputsOf(client, version, { N: 1 })).get('Out')).toBe('1');
    for (const pid of pidsUnder(child.pid!)) limitDescriptors(pid, 3);
    expect((await outputsOf(client, version, { N: 2 })).get('Out')).toBe('2');
  });
});

describe('a run whose end cannot be stored', () => {
  test('completes when another program no longer locks the database', async () => {
    const models = temporaryFolder();
    const gate = path.join(temporaryFolder(), 'gate');
    writeCommandModel(
      models,
      'Gated',
      `const { existsSync } = await import('node:fs');
       while (!existsSync(${JSON.stringify(gate)})) await new Promise((resolve) => setTimeout(resolve, 10));
       say({ outputs: { Out: 1 } });`,
    );
    const service = await startTestService({ modelDirs: [models], executors: 1 });
    const { body: run } = await requestRun(service, await service.latest('Gated'));
    await reach(service, run, 'RUNNING');
    const db = new DatabaseSync(path.join(service.dataDir, 'service.db'));
    // another program locks the database for longer than the service waits for it
    db.exec('BEGIN IMMEDIATE');
    writeFileSync(gate, '');
    await until(
      async () => codesIn(await healthOf(service.running.url)).includes('RUNS_UNRECORDED') || undefined,
      'the problem',
    );
    db.exec('ROLLBACK');
    db.close();
    await reach(service, run, 'COMPLETED');
    const health = await healthOf(service.running.url);
    expect(codesIn(health)).not.toContain('RUNS_UNRECORDED');
    // the lock may also have stopped a claim, which the service repeats later
    await until(async () => (await healthOf(service.running.url)).status === 'ok' || undefined, 'no problem');
  });

  test('fails with the reason if the database always refuses its outputs', async () => {
    const service = await startTestService({ executors: 1 });
    const version = await service.latest('Rehearsal');
    const db = new DatabaseSync(path.join(service.dataDir, 'service.db'));
    db.exec(`CREATE TRIGGER refuse BEFORE INSERT ON results BEGIN SELECT RAISE(ABORT, 'no such luck'); END`);
    db.close();
    const { body: run } = await requestRun(service, version, { Seconds: 0 });
    const { title } = messageIn(await reach(service, run, 'FAILED'));
    expect(title).toBe('its outputs could not be stored: no such luck');
  });
});

test('the end of a run that began before its version had to wait does not end this problem', () => {
  const lines: string[] = [];
  const problems = new Problems(Date.now, (line) => lines.push(line));
  const registry = { publicName: () => 'It', version: () => ({}), model: () => ({ name: 'Slow' }) };
  const queue = new QueueProblems({
    registry: registry as unknown as ModelRegistry,
    problems,
    onDeferred: () => {},
  });
  queue.ended('v', { kind: 'deferred', reason: 'the disk is full' }, 5);
  queue.ended('v', { kind: 'completed', outputs: {} }, 60_000);
  expect(lines).toEqual(['Runs of the model "Slow" wait: the disk is full']);
  queue.ended('v', { kind: 'completed', outputs: {} }, 0);
  expect(lines[1]).toMatch(/^This is over/);
});

test('a run that is RUNNING without an executor returns to the queue', async () => {
  const service = await startTestService({ executors: 1 });
  const version = await service.latest('Rehearsal');
  const { body: long } = await requestRun(service, version, { Seconds: 600 });
  const { body: lost } = await requestRun(service, version, { Seconds: 0 });
  await reach(service, long, 'RUNNING');
  const db = new DatabaseSync(path.join(service.dataDir, 'service.db'));
  db.prepare(`UPDATE runs SET status = 'RUNNING' WHERE id = ?`).run(lost.id);
  await until(
    () => db.prepare(`SELECT 1 FROM runs WHERE id = ? AND status = 'FRESH'`).get(lost.id),
    'the run to be FRESH again',
  );
  db.close();
  expect((await stateOf(service, long)).status).toBe('RUNNING');
});
