import { execFile } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService } from '../../../src/service/service.ts';
import { REHEARSAL } from '../../service/fixed.ts';
import { toTheEnd, untilRunning } from '../../support/campaigns.ts';
import { until } from '../../support/until.ts';
import { ownPort } from '../../support/own-port.ts';
import { KEY, rehearsal, startWorld, type World } from '../../support/world.ts';

const operations = readFileSync(resolve(import.meta.dirname, '../../../docs/guides/operations.md'), 'utf8');

let world: World;
beforeAll(async () => {
  world = await startWorld({ lacksAttributes: true });
  await world.startWorker();
});
afterAll(() => world.close());

test('foray warns if the server lacks the search attributes; campaigns still complete, and the warning ends when a person adds the attributes', async () => {
  const { id, warning } = await world.foray.submit(rehearsal({ count: 2, first: 610 }));
  expect(warning).toMatch(/lacks the search attributes ForayModel, ForayPhase and ForayOwner/);
  expect((await toTheEnd(world, id)).phase).toBe('completed');
  expect(await world.foray.retry(id)).toMatchObject({ open: 0 });
  expect((await toTheEnd(world, id)).phase).toBe('completed');
  // a person creates the search attributes, as docs/guides/operations.md says
  const command = /^temporal (operator search-attribute create .*)$/m.exec(operations)![1]!.split(' ');
  const address = ['--address', world.environment.address];
  await promisify(execFile)(process.env.FORAY_TEMPORAL_CLI!, [...command, ...address]);
  await until('foray submit does not warn any more', async () => {
    const next = await world.foray.submit(rehearsal({ count: 1, first: 612 }));
    await toTheEnd(world, next.id);
    return next.warning === '';
  });
});

test('foray requests lost runs again after the service was restored from a backup', async () => {
  const forgetful = await startWorld({ beside: world, service: { port: await ownPort() } });
  try {
    await forgetful.startWorker();
    // the backup keeps the identity of the service, because a campaign does not continue at another service
    const copy = join(forgetful.folder, 'copy');
    cpSync(join(forgetful.folder, 'service'), copy, { recursive: true });
    const { id } = await forgetful.foray.submit(rehearsal({ count: 6, first: 500, seconds: 2 }));
    await untilRunning(forgetful, id);
    await forgetful.service.close();
    const another = await startService({
      dataDir: copy,
      modelDirs: [REHEARSAL],
      port: forgetful.service.port,
      executors: 2,
      apiKey: KEY,
    });
    try {
      expect(await toTheEnd(forgetful, id)).toMatchObject({ phase: 'completed', runs: { done: 6 } });
    } finally {
      await another.close();
    }
  } finally {
    await forgetful.close();
  }
});
