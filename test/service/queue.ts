import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Database } from '../../src/service/database/database.ts';
import { HolderClosed } from '../../src/service/runs/feed.ts';
import { RunRepository } from '../../src/service/runs/repository.ts';
import type { NewRun } from '../../src/service/runs/stored-run.ts';

/** The queue of a service in a database, with functions that tests use. */
export function queueIn(database: Database) {
  const runs = new RunRepository(database, Date.now);
  const open = async (): Promise<string> => {
    const holder = randomUUID();
    await runs.holders.open(holder, 'test');
    return holder;
  };
  return { runs, holders: runs.holders, open, rows: (text: string) => database.all(text) };
}

/** Adds a version of a model, because each run needs a version. */
export async function addVersion(database: Database): Promise<void> {
  await database.all("INSERT INTO models VALUES ('model', 'Model', '', 1)");
  await database.all(`INSERT INTO versions (id, model_id, number, code_hash, template, experiments)
    VALUES ('version', 'model', 1, '', '{}', '[]')`);
}

export type TestQueue = ReturnType<typeof queueIn>;

export function newRun(name: string): NewRun {
  const settings = { experimentType: 'SIMULATION' as const, inputs: { name }, types: {} };
  return { versionId: 'version', identity: name, settings };
}

export async function add({ runs }: TestQueue, many: number): Promise<string[]> {
  const ids = [];
  for (let number = 0; number < many; number += 1) ids.push((await runs.insert(newRun(`run ${number}`))).id);
  return ids;
}

export async function addExperiment({ runs }: TestQueue, name: string, parts: readonly NewRun[]) {
  return runs.insertMultiple(newRun(name), parts, await runs.insertParts(parts));
}

export const completed = (runId: string, by: string) =>
  ({ runId, status: 'COMPLETED', outputs: { by: JSON.stringify(by) } }) as const;
export const failed = (runId: string) => ({ runId, status: 'FAILED', reason: 'it must not' }) as const;

async function statuses({ runs }: TestQueue, ids: readonly string[]): Promise<string[]> {
  return Promise.all(ids.map(async (id) => (await runs.byId(id))!.status));
}

/**
 * Tests how holders claim runs from a database, and how runs end.
 *
 * @param databaseOfTest - makes an empty database with one version
 * @param many - a large number of runs for this database
 */
export function describeQueue(title: string, databaseOfTest: () => Promise<Database>, many: number): void {
  const queueOfTest = async () => queueIn(await databaseOfTest());

  describe(title, () => {
    describe('a claim', () => {
      test('takes the runs that were requested first, and many simultaneous claims take each run only once', async () => {
        const world = await queueOfTest();
        const ids = await add(world, 100);
        const holders = await Promise.all(Array.from({ length: 10 }, () => world.open()));
        const claims = await Promise.all(holders.map((holder) => world.holders.claim(holder, 7)));
        expect(claims.map((runs) => runs.length)).toEqual(holders.map(() => 7));
        expect(new Set(claims.flat().map(({ id }) => id))).toEqual(new Set(ids.slice(0, 70)));
      });

      test('skips the runs of unwanted versions', async () => {
        const world = await queueOfTest();
        await add(world, 1);
        const holder = await world.open();
        expect(await world.holders.claim(holder, 5, ['version'])).toEqual([]);
        expect(await world.holders.claim(holder, 5, ['another'])).toHaveLength(1);
      });

      test('is refused for a closed or unknown holder', async () => {
        const world = await queueOfTest();
        const [id] = await add(world, 1);
        const holder = await world.open();
        await world.holders.close(holder, { isLost: false });
        await expect(world.holders.claim(holder, 1)).rejects.toThrow(HolderClosed);
        await expect(world.holders.claim('unknown', 1)).rejects.toThrow(HolderClosed);
        expect(await statuses(world, [id!])).toEqual(['FRESH']);
      });
    });

    test('a version whose runs all execute has unfinished runs, but no waiting runs', async () => {
      const world = await queueOfTest();
      await add(world, 2);
      const versions = async () => [
        [...(await world.runs.waitingVersions())],
        [...(await world.runs.unfinishedVersions())],
      ];
      const holder = await world.open();
      await world.holders.claim(holder, 1);
      expect(await versions()).toEqual([['version'], ['version']]);
      await world.holders.claim(holder, 1);
      expect(await versions()).toEqual([[], ['version']]);
    });

    test('a run that cannot be executed is put back with the reason, and fails with it after 20 times', async () => {
      const world = await queueOfTest();
      const [id, other] = await add(world, 2);
      const holder = await world.open();
      const putBack = async (runId: string, isLasting: boolean): Promise<string> => {
        await world.holders.claim(holder, 2);
        await world.holders.record(holder, [{ runId, status: 'FRESH', reason: 'no room', isLasting }]);
        return (await world.runs.byId(runId))!.status;
      };
      for (let time = 1; time < 20; time += 1) expect(await putBack(id!, true)).toBe('FRESH');
      expect((await world.runs.byId(id!))!.failure).toBe('it cannot be executed now: no room');
      expect(await putBack(id!, true)).toBe('FAILED');
      expect((await world.runs.byId(id!))!.failure).toBe('it could not be executed in 20 attempts: no room');
      // a machine that lacks something never makes a run fail
      for (let time = 1; time < 30; time += 1) expect(await putBack(other!, false)).toBe('FRESH');
      await world.holders.claim(holder, 2);
      await world.holders.record(holder, [completed(other!, 'one')]);
      expect((await world.runs.byId(other!))!.failure).toBeNull();
    });

    describe('two holders that finish the same run', () => {
      test('store only the first result; a later failure does not change the run', async () => {
        const world = await queueOfTest();
        const ids = await add(world, many);
        const old = await world.open();
        await world.holders.claim(old, many);
        await world.holders.close(old, { isLost: true });
        const holder = await world.open();
        // half of the runs are executing again when the first result arrives
        await world.holders.claim(holder, many / 2);
        // the order of simultaneous transactions is not known, so one result comes before all others
        await world.holders.record(old, [completed(ids[0]!, old)]);
        await Promise.all(
          ids.flatMap((id, at) => {
            const both = [old, holder].map((by) => world.holders.record(by, [completed(id, by)]));
            return at % 2 === 0 ? both : both.toReversed();
          }),
        );
        await Promise.all([old, holder].map((by) => world.holders.record(by, ids.map(failed))));
        expect(new Set(await statuses(world, ids))).toEqual(new Set(['COMPLETED']));
        expect(await world.rows('SELECT count(*) AS results FROM results')).toEqual([{ results: many }]);
        expect(world.runs.tally.ended).toEqual({ COMPLETED: many, FAILED: 0, STOPPED: 0 });
        // the result is from the holder that reported first
        const first = await world.runs.outputs((await world.runs.byId(ids[0]!))!);
        expect(first).toEqual({ by: JSON.stringify(old) });
      });

      test('are counted once in the experiment of the run, and the experiment completes with its last run', async () => {
        const world = await queueOfTest();
        const parts = Array.from({ length: 20 }, (_, number) => newRun(`part ${number}`));
        const parent = await addExperiment(world, 'experiment', parts);
        const [old, holder] = [await world.open(), await world.open()];
        const claimed = await world.holders.claim(old, 20);
        await world.holders.close(old, { isLost: false });
        await world.holders.claim(holder, 20);
        const ids = claimed.map(({ id }) => id);
        const report = (by: string) =>
          world.holders.record(
            by,
            ids.slice(0, 19).map((id) => completed(id, by)),
          );
        await Promise.all([report(old), report(holder)]);
        expect(await world.runs.byId(parent.id)).toMatchObject({ status: 'RUNNING', tasksLeft: 1 });
        await world.holders.record(old, [completed(ids[19]!, old)]);
        expect(await world.runs.byId(parent.id)).toMatchObject({ status: 'COMPLETED', tasksLeft: 0 });
      });
    });

    test('the outputs of an experiment are read in pages of a limited size, in order', async () => {
      const world = await queueOfTest();
      const parts = Array.from({ length: 8 }, (_, number) => newRun(`part ${number}`));
      const parent = await addExperiment(world, 'experiment', parts);
      const holder = await world.open();
      const claimed = await world.holders.claim(holder, 8);
      const sizes = [1, 1, 3, 3, 3, 9, 1, 1];
      const outputs = sizes.map((size, at) => ({ At: String(at), Text: 'x'.repeat(size * 2 ** 20) }));
      await world.holders.record(
        holder,
        claimed.map(({ id }, at) => ({ runId: id, status: 'COMPLETED', outputs: outputs[at]! })),
      );
      const pages = [];
      for await (const page of world.runs.outputsOfSubRuns(parent)) pages.push(page.map(({ At }) => At));
      expect(pages).toEqual([['0', '1', '2'], ['3', '4'], ['5'], ['6', '7']]);
    });

    describe('a failure', () => {
      test('counts only if the holder of the run reports it', async () => {
        const world = await queueOfTest();
        const [id] = await add(world, 1);
        const [old, holder] = [await world.open(), await world.open()];
        await world.holders.claim(old, 1);
        await world.holders.close(old, { isLost: false });
        await world.holders.record(old, [failed(id!)]);
        expect(await statuses(world, [id!])).toEqual(['FRESH']);
        await world.holders.claim(holder, 1);
        await world.holders.record(old, [failed(id!)]);
        expect(await statuses(world, [id!])).toEqual(['RUNNING']);
        await world.holders.record(holder, [failed(id!)]);
        expect(await statuses(world, [id!])).toEqual(['FAILED']);
      });

      test('of one run stops the other runs of its experiment unless another request needs them, and tells their executors', async () => {
        const world = await queueOfTest();
        const ended: string[] = [];
        world.runs.whenEnded((runIds) => ended.push(...runIds));
        const shared = newRun('shared');
        await world.runs.insert(shared);
        const parent = await addExperiment(world, 'experiment', [newRun('first'), newRun('second'), shared]);
        const holder = await world.open();
        const [kept, first, second] = await world.holders.claim(holder, 3);
        await world.holders.record(holder, [failed(first!.id)]);
        expect(await statuses(world, [parent.id, second!.id, kept!.id])).toEqual([
          'FAILED',
          'STOPPED',
          'RUNNING',
        ]);
        expect(ended).toEqual([second!.id]);
      });
    });

    describe('a holder that is closed', () => {
      test('returns its runs to their old places in the queue; runs that had not started do not count as executed', async () => {
        const world = await queueOfTest();
        const ids = await add(world, 3);
        const holder = await world.open();
        await world.holders.claim(holder, 2);
        await world.holders.record(holder, [{ runId: ids[1]!, status: 'FRESH' }]);
        await world.holders.close(holder, { isLost: false });
        expect(await world.rows('SELECT status, executions, losses FROM runs ORDER BY seq')).toEqual([
          { status: 'FRESH', executions: 1, losses: 0 },
          { status: 'FRESH', executions: 0, losses: 0 },
          { status: 'FRESH', executions: 0, losses: 0 },
        ]);
        const next = await world.holders.claim(await world.open(), 3);
        expect(next.map(({ id }) => id)).toEqual(ids);
      });

      test('as lost counts as a loss of its run; at the fifth loss, the run fails with the reason', async () => {
        const world = await queueOfTest();
        const ids = await add(world, 1);
        const parent = await addExperiment(world, 'experiment', [newRun('run 0')]);
        for (let time = 1; time <= 5; time += 1) {
          // a release does not count as a loss
          for (const isLost of [false, true]) {
            const holder = await world.open();
            expect(await world.holders.claim(holder, 1)).toHaveLength(1);
            await world.holders.close(holder, { isLost });
          }
        }
        const run = await world.runs.byId(ids[0]!);
        expect(run).toMatchObject({
          status: 'FAILED',
          failure: 'its executor was lost 5 times while it executed the run',
        });
        expect(await statuses(world, [parent.id])).toEqual(['FAILED']);
        // after the fifth loss, the run is not repeated
        expect(world.runs.tally).toMatchObject({ claims: 10, claimed: 10, lost: 5, repeated: 9 });
      });
    });

    describe('an identical request', () => {
      test('that arrives at the moment when a run fails gets a run that has not failed', async () => {
        const world = await queueOfTest();
        await add(world, 1);
        const holder = await world.open();
        for (let round = 0; round < 50; round += 1) {
          const [run] = await world.holders.claim(holder, 1);
          const [found] = await Promise.all([
            world.runs.insert(newRun('run 0')),
            world.holders.record(holder, [failed(run!.id)]),
            world.runs.byId(run!.id),
          ]);
          expect(['FRESH', 'RUNNING']).toContain(found.status);
          const newest = await world.runs.newest('run 0');
          if (newest!.status === 'FAILED') await world.runs.insert(newRun('run 0'));
        }
      });
    });
  });
}
