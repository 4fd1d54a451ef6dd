import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { settingsFrom, userName } from '../../src/settings/settings.ts';
import { type Addresses, holdHome, localKey, runningDev, writeAddresses } from '../../src/dev/home.ts';
import { ROOT } from '../support/cli.ts';
import { startModule } from '../support/module.ts';
import { until } from '../support/until.ts';
import { testFolder } from '../support/test-folder.ts';

const addresses: Addresses = {
  // this process lives, but is not foray dev; after a reboot, another process may have the id of the writer
  pid: process.pid,
  temporal: { address: '127.0.0.1:1', webUi: 'http://127.0.0.1:2' },
  service: { url: 'http://127.0.0.1:3/api/open/8.5.0', key: 'a key' },
  store: 'sqlite:nowhere',
  page: 'http://127.0.0.1:4',
};

let folder: string;
let home: string;
beforeEach(() => {
  folder = testFolder();
  home = join(folder, '.foray');
});

/** Starts a process that holds the home as `foray dev` does. */
async function startHolder() {
  const child = startModule(`
    import { holdHome, writeAddresses } from ${JSON.stringify(join(ROOT, 'src/dev/home.ts'))};
    const lock = await holdHome(${JSON.stringify(home)});
    await writeAddresses(${JSON.stringify(home)}, ${JSON.stringify(addresses)});
    console.log('held');
    setInterval(() => lock, 60_000);`);
  await once(child.stdout!, 'data');
  return child;
}

test('addresses are valid only while the process that wrote them lives, even if another process gets the same id', async () => {
  const settings = () => settingsFrom({ home, taskQueue: 'foray', owner: userName() });
  const url = () => settings().service.url;
  mkdirSync(home);
  writeFileSync(join(home, 'addresses.json'), JSON.stringify(addresses));
  expect(url()).not.toBe(addresses.service.url);

  const holder = await startHolder();
  expect(url()).toBe(addresses.service.url);
  // the details of a workflow link to its page
  expect(settings().page).toBe(addresses.page);
  await expect(holdHome(home)).rejects.toMatchObject({
    code: 'HOME_IN_USE',
    message: expect.stringContaining(`(process ${process.pid}) already runs in ${home}`),
  });

  holder.kill('SIGKILL');
  await until('the killed process holds no lock', () => runningDev(home) === undefined);
  expect(url()).not.toBe(addresses.service.url);
  const lock = await holdHome(home);
  expect(readdirSync(home)).toEqual(['dev.lock']);
  lock.release();
});

test('the key is created once, and only its user can read it; an unreadable key is never replaced', async () => {
  mkdirSync(home);
  writeFileSync(join(home, 'key'), '');
  const key = await localKey(home);
  expect([await localKey(home), readFileSync(join(home, 'key'), 'utf8')]).toEqual([key, `${key}\n`]);
  rmSync(join(home, 'key'));
  await localKey(home);
  await writeAddresses(home, addresses);
  for (const file of ['key', 'addresses.json']) expect(statSync(join(home, file)).mode & 0o777).toBe(0o600);

  rmSync(join(home, 'key'));
  mkdirSync(join(home, 'key'));
  await expect(localKey(home)).rejects.toMatchObject({ code: 'HOME_UNUSABLE' });
});

test('a home that cannot be created is an error with a hint about --home', async () => {
  writeFileSync(home, '');
  await expect(holdHome(home)).rejects.toMatchObject({
    code: 'HOME_UNUSABLE',
    hint: expect.stringMatching(/--home/),
  });
});
