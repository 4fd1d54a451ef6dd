import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { homePaths } from '../../src/dev/home.ts';
import { notePage, runningPage } from '../../src/dev/page-address.ts';
import { ROOT } from '../support/cli.ts';
import { startModule } from '../support/module.ts';
import { testFolder } from '../support/test-folder.ts';

let home: string;
beforeEach(() => void (home = testFolder()));

/** A process that serves a page of the home. It says when it has noted the address. */
async function pageOf(url: string, isOfDev: boolean) {
  const child = startModule(`
    import { notePage } from ${JSON.stringify(join(ROOT, 'src/dev/page-address.ts'))};
    const remove = await notePage(${JSON.stringify(home)}, { url: '${url}', key: 'k' }, ${isOfDev});
    process.once('SIGTERM', () => { remove(); process.exit(); });
    console.log('noted');
    setInterval(() => {}, 60_000);`);
  await once(child.stdout!, 'data');
  return {
    async end(signal: 'SIGTERM' | 'SIGKILL') {
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}

const url = async () => (await runningPage(home))?.url;

test('a note of a process that has ended counts for nothing, whoever has its number now', async () => {
  writeFileSync(homePaths(home).page, JSON.stringify({ pid: 1, url: 'http://127.0.0.1:9', key: 'x' }));
  expect(await url()).toBeUndefined();
  const killed = await pageOf('http://127.0.0.1:10', false);
  expect(await url()).toBe('http://127.0.0.1:10');
  await killed.end('SIGKILL');
  expect(existsSync(homePaths(home).page)).toBe(true);
  expect(await url()).toBeUndefined();
  const remove = await notePage(home, { url: 'http://127.0.0.1:11', key: 'k' }, false);
  expect(await url()).toBe('http://127.0.0.1:11');
  remove();
  expect(await url()).toBeUndefined();
});

test('foray dev owns the address: a page before it or beside it neither keeps nor removes the address', async () => {
  const before = await pageOf('http://127.0.0.1:10', false);
  const dev = await pageOf('http://127.0.0.1:20', true);
  const beside = await pageOf('http://127.0.0.1:30', false);
  expect(await url()).toBe('http://127.0.0.1:20');
  await before.end('SIGTERM');
  await beside.end('SIGTERM');
  expect(await url()).toBe('http://127.0.0.1:20');
  await dev.end('SIGTERM');
  expect(await url()).toBeUndefined();
});
