import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { leaksIn } from '../support/spellings.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { type Fault, pass } from '../support/faulty-service.ts';
import { until } from '../support/until.ts';
import { KEY } from '../support/world.ts';
import { isAddress, isDownload, refused, first } from './output-file-faults.ts';
import { epidemic, front, hashesOf, KEEP, keptOf, LINK, results, submit, world } from './epidemic-files.ts';

describe('files: keep', () => {
  test('the store has the file of each completed run, and another campaign with these runs fetches no file again', async () => {
    front.recorded.splice(0);
    const { phase, runs, note } = await submit(epidemic([1.1, 1.2, 1.3], KEEP), 'kept');
    expect([phase, runs.done, runs.new, note]).toEqual(['completed', 3, 3, '']);
    const hashes = await hashesOf('kept');
    expect(new Set(hashes).size).toBe(3);
    expect(await keptOf('kept')).toEqual(hashes);
    for (const hash of hashes) {
      const content = (await world.foray['store'].getFile(hash))!;
      expect(createHash('sha256').update(content).digest('base64url')).toBe(hash);
      expect(Buffer.from(content).toString()).toMatch(/^day,.*\n0,/);
    }
    const fetched = front.recorded.filter(isDownload);
    expect(fetched).toHaveLength(3);
    for (const { headers } of fetched) expect(JSON.stringify(headers)).not.toContain(KEY);

    // foray does not fetch stored files again for another campaign
    front.recorded.splice(0);
    expect((await submit(epidemic([1.1, 1.2, 1.3], KEEP), 'again')).runs).toMatchObject({ reused: 3 });
    expect(await keptOf('again')).toEqual(hashes);
    expect(front.recorded.filter((one) => isDownload(one) || isAddress(one))).toEqual([]);
  });

  test.each<[string, Fault]>([
    ['addresses that have expired', { kind: 'answer', status: 403 }],
    ['a host that fails', { kind: 'answer', status: 500 }],
    ['connections that break', { kind: 'lose' }],
  ])('with %s, each run still completes, and keeps its file and its origin', async (what, fault) => {
    const rates = [2 + what.length / 100, 2.5 + what.length / 100];
    await submit(epidemic(rates, '[Peak day]'), `reference ${what.length}`.replace(' ', '-'));
    // the fault occurs in more attempts than one download makes
    front.plan = first(fault.kind === 'answer' && fault.status === 403 ? 3 : 9, fault);
    const id = `faulty-${what.length}`;
    const { phase, runs, note } = await submit(epidemic([...rates, rates[0]! + 1], KEEP), id);
    expect([phase, runs.new, runs.reused, runs.failed, note]).toEqual(['completed', 1, 2, 0, '']);
    expect(await keptOf(id)).toEqual(await hashesOf(id));
  });

  test('a run is done although the service does not have its file; the result has the reference, and the note reports the file', async () => {
    front.plan = (asked) => (isAddress(asked) ? refused : pass());
    const { phase, runs, note } = await submit(epidemic([1.4, 1.5], KEEP), 'lacking');
    expect([phase, runs.done]).toEqual(['completed', 2]);
    expect(note).toBe('output files that are not stored: 2 (2 not at the service)');
    expect(await keptOf('lacking')).toEqual([]);
    expect(await hashesOf('lacking')).toHaveLength(2);
    // the service has the files again, so foray results can fetch them
    front.plan = pass;
    const { code, stderr } = await results('lacking', '--files', 'lacking');
    expect(code).toBe(0);
    // a slow machine also prints lines about progress
    expect(stderr).toMatch(/^Wrote 2 files to lacking$/m);
  });

  test('a file that is too large is not stored, and the note reports it', async () => {
    const length = { 'content-length': String(2 ** 40) };
    front.plan = (asked) =>
      isDownload(asked) ? { kind: 'answer', status: 200, headers: length, body: '' } : pass();
    const { phase, note } = await submit(epidemic([1.6], KEEP), 'large');
    expect([phase, note]).toEqual(['completed', 'output files that are not stored: 1 (1 over 64 MiB)']);
  });

  test('a cancel does not wait for missing files', async () => {
    front.plan = (asked) => (isDownload(asked) ? { kind: 'answer', status: 500 } : pass());
    await world.foray.submit(epidemic([1.7], KEEP), { id: 'cancelled' });
    const isFailing = async (): Promise<boolean> =>
      /1 not downloaded/.test((await world.foray.status('cancelled')).note);
    await until('the note reports the missing file', isFailing);
    expect((await world.foray.status('cancelled')).runs.done).toBe(0);
    await world.foray.cancel('cancelled');
    const { phase, runs } = await toTheEnd(world, 'cancelled');
    expect([phase, runs.done]).toEqual(['cancelled', 1]);
    expect(await hashesOf('cancelled')).toHaveLength(1);
  });
});

test('a cancel during transfers of files leaves no run running, and keeps completed runs with their files', async () => {
  let [isHeld, deliver] = [true, (_: 'deliver'): void => undefined];
  const release = new Promise<'deliver'>((resolve) => (deliver = resolve));
  front.plan = (asked) => (isHeld && isDownload(asked) ? { kind: 'hold', until: release } : pass());
  await world.foray.submit(epidemic([1.71, 1.72, 1.73, 1.74], KEEP), { id: 'midway' });
  await until('transfers of files have begun', () => front.recorded.some((one) => one.fault.kind === 'hold'));
  isHeld = false;
  await world.foray.cancel('midway');
  const { phase, runs } = await toTheEnd(world, 'midway');
  deliver('deliver');
  expect([phase, runs.running, runs.queued]).toEqual(['cancelled', 0, 0]);
  expect(await keptOf('midway')).toEqual(await hashesOf('midway'));
  expect((await world.rows('midway')).length).toBe(runs.done);
  expect(runs.done).toBeGreaterThan(0);
  const { RUNNING = 0, FRESH = 0 } = await world.statusesAtService('midway');
  expect([RUNNING, FRESH]).toEqual([0, 0]);
});

describe('a changed campaign', () => {
  test('that now keeps the files of an output fetches the files of completed runs', async () => {
    await submit(epidemic([1.81, 1.82], LINK), 'changed');
    expect(await keptOf('changed')).toEqual([]);
    front.plan = first(2, { kind: 'answer', status: 500 });
    const change = await world.foray.apply('changed', epidemic([1.81, 1.82], KEEP));
    expect(change.difference).toMatchObject({ settings: ['outputs.files'], outputs: { added: [] } });
    await toTheEnd(world, 'changed');
    const hashes = await hashesOf('changed');
    expect(await keptOf('changed')).toEqual(hashes);
    // if the campaign does not keep files any more, the stored files stay
    await world.foray.apply('changed', epidemic([1.81, 1.82], LINK));
    await toTheEnd(world, 'changed');
    expect(await keptOf('changed')).toEqual(hashes);
  });

  test('that gets a new output of files also fetches the files of completed runs', async () => {
    await submit(epidemic([1.83, 1.84], '[Peak day]'), 'added');
    await world.foray.apply('added', epidemic([1.83, 1.84], KEEP));
    await toTheEnd(world, 'added');
    expect(await keptOf('added')).toHaveLength(2);
  });
});

describe('kept files', () => {
  test('are unused when the last campaign that keeps them is deleted, and foray then removes them', async () => {
    for (const id of ['one', 'two']) await submit(epidemic([1.91], KEEP), id);
    const [hash] = await keptOf('one');
    // foray does not remove young files, so the test makes the file old
    const aged = async (): Promise<boolean> => {
      const files = await world.foray['store'].listFiles();
      const file = files.find((candidate) => candidate.hash === hash)!;
      await world.foray['store'].putFile(hash!, new Uint8Array(), Date.now() - 24 * 3_600_000);
      const { files: unneeded } = await world.foray.garbage();
      await world.foray.collect(await world.foray.garbage());
      return unneeded.some((candidate) => candidate.hash === file.hash);
    };
    expect(await aged()).toBe(false);
    await world.foray.delete('one');
    expect(await aged()).toBe(false);
    expect(await world.foray['store'].getFile(hash!)).toBeDefined();
    await world.foray.delete('two');
    expect(await aged()).toBe(true);
    expect(await world.foray['store'].getFile(hash!)).toBeUndefined();
  });
});

/** All texts in an object, also in payloads. */
function textsIn(value: unknown): string[] {
  if (value instanceof Uint8Array) return [Buffer.from(value).toString()];
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

test('neither the history nor the store contains the signature in the address of a file or the key of the service', async () => {
  const secrets = new Set<string>();
  // the fault occurs so often that the activity fails; the history contains the message of the failure
  const plan = first(9, { kind: 'answer', status: 500 });
  front.plan = (asked) => {
    const signature = new URLSearchParams(asked.path.split('?')[1]).get('signature');
    if (signature !== null) secrets.add(signature);
    return plan(asked);
  };
  await submit(epidemic([1.95], LINK), 'secret');
  await world.foray.apply('secret', epidemic([1.95], KEEP));
  await toTheEnd(world, 'secret');
  expect(await keptOf('secret')).toHaveLength(1);
  expect(secrets.size).toBeGreaterThan(0);
  const history = await world.environment.client.workflow.getHandle('secret').fetchHistory();
  const text = textsIn(history).join('\n');
  expect(text).toContain('its address answered 500');
  const contents = [
    text,
    readFileSync(join(world.folder, 'store.db')),
    readFileSync(join(world.folder, 'store.db-wal')),
  ];
  for (const secret of [...secrets, KEY])
    for (const content of contents) expect(leaksIn(content, secret)).toEqual([]);
});
