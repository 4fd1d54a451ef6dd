import { expect, test } from '@jest/globals';
import { openDatabase } from '../../src/service/database/open.ts';
import { Progress } from '../../src/service/runs/progress.ts';
import { SharedProgress } from '../../src/service/runs/shared-progress.ts';
import { add, addVersion, queueIn } from './queue.ts';
import { onCleanup, temporaryFolder } from './support.ts';

test('services drop the progress of ended runs, and keep that of a run that reports it while they ask which runs go on', async () => {
  const database = openDatabase(temporaryFolder());
  onCleanup(() => database.close());
  const { sql } = database;
  await addVersion(sql);
  await sql.all('CREATE TABLE progress (service TEXT PRIMARY KEY, shares TEXT NOT NULL)');
  const queue = queueIn(sql);
  const [first, second] = await add(queue, 2);
  await queue.holders.claim(await queue.open(), 2);
  const progress = new Progress();
  progress.note(first!, 0.5);
  progress.note('ended', 0.9);
  const exchanged = new SharedProgress(sql, progress, queue.holders).exchange('one', []);
  progress.note(second!, 0.25);
  await exchanged;
  expect([...progress.known()]).toEqual([
    [first, 0.5],
    [second, 0.25],
  ]);
  const [row] = await queue.rows('SELECT shares FROM progress');
  expect(JSON.parse((row as { shares: string }).shares)).toEqual({ [first!]: 0.5, [second!]: 0.25 });
});
