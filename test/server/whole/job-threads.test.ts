import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Settings } from '../../../src/client/index.ts';
import { definitionLimits, type JobLimits, JobThreads } from '../../../src/server/jobs/job-threads.ts';
import { Shares } from '../../../src/server/shares.ts';
import { openStore } from '../../../src/store/index.ts';
import { temporaryFolder } from '../../store/folder.ts';
import { withoutServers } from '../../support/without-servers.ts';

let folder: ReturnType<typeof temporaryFolder>;
let settings: Settings;
let threads: JobThreads;
beforeEach(async () => {
  folder = temporaryFolder();
  const store = `sqlite:${join(folder.path, 'store.db')}`;
  await (await openStore(store)).close();
  settings = withoutServers(store);
});
afterEach(async () => {
  await threads.close();
  folder.remove();
});

function start(limits: JobLimits = definitionLimits): void {
  threads = new JobThreads(settings, new Shares(), limits);
}

const HEAD = 'campaign: a\nmodel: {name: Rehearsal}\n';
/** A text with a long list: each entry is many objects for the reader. */
const long = (entries: number): string => `${HEAD}inputs:\n${'- [a]\n'.repeat(entries)}`;
/** A text that takes seconds to read, and more than 100 MB. */
const LARGE = long(160_000);

const plan = (key: string, text: string, gone?: AbortSignal) =>
  threads.run(key, 'plan', { sent: { text } }, gone);
/** A job that ends at once. The store has no campaign. */
const quick = (key: string) => threads.run(key, 'analysis', { id: 'none', outputs: undefined });

describe('a job', () => {
  test.each([
    ['too long', { cpu: 300, memory: 512 }],
    ['too much memory', { cpu: 60_000, memory: 96 }],
  ])('that takes %s ends with TOO_LARGE; the jobs of others go on', async (what, { cpu, memory }) => {
    const limits = { ...definitionLimits, memory };
    start(limits);
    // the start of a thread takes CPU time too
    const unknown = { code: 'UNKNOWN_CAMPAIGN' };
    await Promise.all(['one', 'other'].map((key) => expect(quick(key)).rejects.toMatchObject(unknown)));
    limits.cpu = cpu;
    const hard = expect(plan('one', LARGE)).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: `This definition takes ${what} for this server.`,
    });
    await expect(quick('other')).rejects.toMatchObject(unknown);
    await hard;
    await expect(quick('one')).rejects.toMatchObject(unknown);
  });

  test('of one key waits if two of it run, and a thread stays free for others', async () => {
    start();
    const ended: string[] = [];
    const note = (name: string) => () => void ended.push(name);
    const first = [1, 2, 3].map((at) => plan('one', LARGE).catch(note(`hard ${at}`)));
    await quick('other').catch(note('quick'));
    expect(ended).toEqual(['quick']);
    await threads.close();
    await Promise.all(first);
  });

  test('ends when its client goes, while it waits and while it runs; the jobs of others go on', async () => {
    start();
    const leaving = new AbortController();
    const gone = { message: 'The client has closed the connection.' };
    const running = expect(plan('one', LARGE, leaving.signal)).rejects.toMatchObject(gone);
    const stays = plan('one', long(10_000)).catch(({ code }: { code: string }) => code);
    const waiting = expect(plan('one', LARGE, AbortSignal.abort())).rejects.toMatchObject(gone);
    await waiting;
    leaving.abort();
    await running;
    expect(await stays).toBe('SERVICE_UNREACHABLE');
  });

  test('is refused with TOO_MANY if sixteen of its key run or wait; then there is room again', async () => {
    start();
    const jobs = Array.from({ length: 16 }, () => quick('one').catch(({ code }: { code: string }) => code));
    await expect(quick('one')).rejects.toMatchObject({ code: 'TOO_MANY' });
    await expect(quick('other')).rejects.toMatchObject({ code: 'UNKNOWN_CAMPAIGN' });
    expect(await Promise.all(jobs)).toEqual(Array.from({ length: 16 }, () => 'UNKNOWN_CAMPAIGN'));
    await expect(quick('one')).rejects.toMatchObject({ code: 'UNKNOWN_CAMPAIGN' });
  });

  test('says that the store is lost while its file is gone, and goes on when it is back', async () => {
    start();
    const file = join(folder.path, 'store.db');
    renameSync(file, `${file}.aside`);
    await expect(quick('one')).rejects.toMatchObject({ code: 'STORE_LOST' });
    renameSync(`${file}.aside`, file);
    await expect(quick('one')).rejects.toMatchObject({ code: 'UNKNOWN_CAMPAIGN' });
  });
});
