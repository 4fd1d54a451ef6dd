import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { toTheEnd } from '../../support/campaigns.ts';
import { leaksIn } from '../../support/spellings.ts';
import { until } from '../../support/until.ts';
import { receiver } from '../../support/webhook.ts';
import { rehearsal, startWorld } from '../../support/world.ts';
import { startWorkerProcess } from '../../support/worker.ts';

const SECRET = `whsec_${Buffer.from('a canary that nobody else may ever read').toString('base64')}`;

test("notices leave no secret and no address in the worker's output", async () => {
  const world = await startWorld();
  const hook = await receiver(SECRET, () => 500);
  await hook.start();
  const file = join(world.folder, 'notices.yaml');
  const tells = ['sh', '-c', `echo ${SECRET}; echo ${SECRET} >&2; exit 3`];
  const missing = [`/nowhere/${SECRET}`];
  const content = {
    team: { url: hook.url, secret: SECRET },
    desk: { command: tells },
    away: { command: missing },
  };
  writeFileSync(file, stringify(content), { mode: 0o600 });
  const worker = startWorkerProcess(world.settings, ['--notices', file]);
  try {
    await worker.ready;
    const more = 'notify: [team, desk, away]';
    await toTheEnd(world, (await world.foray.submit(rehearsal({ count: 1, first: 510, more }))).id);
    await until('the worker tells of each failure', () =>
      ['team', 'desk', 'away'].every((name) => worker.said().includes(`The notice "${name}" `)),
    );
    for (const secret of [SECRET, SECRET.slice('whsec_'.length), 'canary-in-the-address', hook.url])
      expect(leaksIn(worker.said(), secret)).toEqual([]);
  } finally {
    await worker.kill();
    await world.close();
    await hook.kill();
  }
});
