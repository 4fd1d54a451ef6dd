import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { hintWithoutTemporal } from '../../../src/cli/home.ts';
import { openStore } from '../../../src/store/index.ts';
import { foray, type Ran, ROOT } from '../../support/cli.ts';
import { startModule } from '../../support/module.ts';
import { until } from '../../support/until.ts';
import { testFolder } from '../../support/test-folder.ts';

let folder: string;
let empty: string;
let env: NodeJS.ProcessEnv;
beforeAll(() => {
  folder = testFolder();
  empty = join(folder, 'empty');
  mkdirSync(empty);
  env = { XDG_STATE_HOME: join(folder, 'state') };
  writeFileSync(join(folder, 'campaign.yaml'), 'campaign: c\nmodel: {name: Rehearsal}\n');
});

const run = (...args: string[]): Promise<Ran> => foray(empty, args, { env });

/** Starts a process that holds a home and records its address there, like a `foray dev` that is ready. */
async function startHolder(home: string): Promise<ChildProcess> {
  const file = (name: string) => JSON.stringify(join(ROOT, 'src/dev', name));
  const child = startModule(`
    process.env.XDG_STATE_HOME = ${JSON.stringify(env.XDG_STATE_HOME)};
    const { holdHome, writeAddresses } = await import(${file('home.ts')});
    const { noteHome } = await import(${file('running-homes.ts')});
    const lock = await holdHome(${JSON.stringify(home)});
    const temporal = { address: '127.0.0.1:9', webUi: 'http://127.0.0.1:9' };
    const service = { url: 'http://127.0.0.1:9/api/open/8.5.0', key: 'k' };
    await writeAddresses(${JSON.stringify(home)}, { pid: process.pid, temporal, service, store: 'sqlite::memory:', page: 'http://127.0.0.1:9' });
    await noteHome(${JSON.stringify(home)});
    console.log('held');
    setInterval(() => lock, 60_000);`);
  await once(child.stdout!, 'data');
  return child;
}

describe('in a folder without a home', () => {
  test('a command that needs the store says which store is missing, and creates nothing', async () => {
    const commands = [['list'], ['cancel', 'c']];
    for (const { code, stdout, stderr } of await Promise.all(commands.map((args) => run(...args)))) {
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toBe(
        `foray: There is no store at ${join(empty, '.foray/store.db')} yet. No foray dev runs in the home .foray. ` +
          'Start one with "foray dev", or choose another home with --home.\n',
      );
    }
    expect(readdirSync(empty)).toEqual([]);
  });

  test('a definition that does not exist is the first error, before the missing foray dev', async () => {
    for (const args of [['submit'], ['apply', 'c']]) {
      const { code, stderr } = await run(...args, 'nofile.yaml');
      expect([code, stderr]).toEqual([2, 'foray: The definition "nofile.yaml" is not there.\n']);
    }
  });

  test('a command without its model service or store names the home in which a foray dev runs', async () => {
    const holder = await startHolder(join(folder, 'my own', '.foray'));
    try {
      const commands = [['submit', '../campaign.yaml'], ['worker'], ['list']];
      const ran = await Promise.all(commands.map((args) => run(...args)));
      expect(ran.map(({ code }) => code)).toEqual([3, 3, 2]);
      for (const { stderr } of ran) {
        expect(stderr).toContain(
          "No foray dev runs in the home .foray. A foray dev runs in another home: add --home '../my own/.foray'.",
        );
      }
      expect(readdirSync(empty)).toEqual([]);
    } finally {
      holder.kill('SIGKILL');
    }
    await until(
      'the error no longer names the foray dev that has ended',
      async () => !(await run('models')).stderr.includes('my own'),
    );
    const state = readdirSync(env.XDG_STATE_HOME!, { recursive: true, encoding: 'utf8' });
    expect(state.filter((name) => name.endsWith('.home'))).toEqual([]);
  });

  test('a command needs no foray dev if its options name a model service', async () => {
    const { code, stderr } = await run('models', '--service-url', 'http://127.0.0.1:9', '--api-key', 'k');
    expect([code, stderr]).toEqual([3, expect.stringContaining('127.0.0.1:9 cannot be reached')]);
  });
});

test('openStore with "refuse" or "in-memory" creates no missing store; the error for an unknown campaign names the store', async () => {
  const address = `sqlite:${join(folder, 'store.db')}`;
  await expect(openStore(address, 'refuse')).rejects.toMatchObject({ code: 'STORE_MISSING' });
  const inMemory = await openStore(address, 'in-memory');
  expect(await inMemory.listCampaigns()).toEqual([]);
  await inMemory.close();
  expect(existsSync(join(folder, 'store.db'))).toBe(false);
  await (await openStore(address)).close();
  const { stderr } = await run('status', 'c', '--store', address);
  expect(stderr).toContain(`There is no campaign "c". The store is ${join(folder, 'store.db')}.`);
});

test('the state of an open campaign without a foray dev says where one runs, unless the user has named a Temporal server', () => {
  const flags = { home: empty, taskQueue: 'foray', owner: 'somebody' };
  const unreached = 'The Temporal server at 127.0.0.1:7233 cannot be reached.';
  expect(hintWithoutTemporal(flags, unreached)).toContain(`No foray dev runs in the home ${empty}. `);
  expect(hintWithoutTemporal(flags, 'The model service refuses the key.')).toBeUndefined();
  process.env.TEMPORAL_ADDRESS = '127.0.0.1:7233';
  try {
    expect(hintWithoutTemporal(flags, unreached)).toBeUndefined();
  } finally {
    delete process.env.TEMPORAL_ADDRESS;
  }
});
