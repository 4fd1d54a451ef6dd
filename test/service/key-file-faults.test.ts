import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { addKey, listKeys } from '../../src/keys/edit.ts';
import { hashOf } from '../../src/keys/hash.ts';
import { ROOT } from '../support/cli.ts';
import { runModule, startModule } from '../support/module.ts';
import { startTestService, temporaryFolder } from './support.ts';

const importOf = (name: string, file: string) =>
  `import { ${name} } from ${JSON.stringify(path.join(ROOT, file))};`;
const adds = (keyFile: string, user: string) => `${importOf('addKey', 'src/keys/edit.ts')}
  await addKey(${JSON.stringify(keyFile)}, '${user}').catch((error) => console.log(error.toLine()));`;

test('a failed write of the key file adds no key and leaves the file unchanged, and its keys still work', async () => {
  const folder = temporaryFolder();
  const keyFile = path.join(folder, 'keys.yaml');
  const users = Array.from({ length: 60 }, (_, n) => [
    `user-${n}`,
    { keys: [{ sha256: hashOf(`key-${n}`) }] },
  ]);
  writeFileSync(keyFile, stringify({ users: Object.fromEntries(users) as unknown }));
  const before = readFileSync(keyFile, 'utf8');

  const { stdout } = await runModule(adds(keyFile, 'ada'), { mostBytes: 4096 });
  expect(stdout).toMatch(
    /^The key file .*keys\.yaml cannot be written: EFBIG.*The file has not changed\.\n$/,
  );
  expect(readFileSync(keyFile, 'utf8')).toBe(before);
  expect(readdirSync(folder).sort()).toEqual(['keys.yaml', 'keys.yaml.lock']);
  const service = await startTestService({ keyFile, apiKey: undefined });
  expect((await service.get('/models', { Authorization: 'key-59' })).status).toBe(200);
});

test('several processes can add keys at the same time, and the key file has all keys', async () => {
  const keyFile = path.join(temporaryFolder(), 'keys.yaml');
  const users = [...'abcd'];
  const ran = await Promise.all(users.map((user) => runModule(adds(keyFile, user))));
  expect(ran.map(({ code, stdout }) => [code, stdout])).toEqual(users.map(() => [0, '']));
  expect(
    listKeys(keyFile)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(users);
});

test('a change of the key file waits for a change by another process, and continues when that process is killed', async () => {
  const keyFile = path.join(temporaryFolder(), 'keys.yaml');
  const holder = startModule(`${importOf('tryLock', 'src/system/file-lock.ts')}
    const lock = tryLock(${JSON.stringify(`${keyFile}.lock`)});
    console.log('held');
    setInterval(() => lock, 60_000);`);
  await once(holder.stdout!, 'data');
  let isAdded = false;
  const adding = addKey(keyFile, 'ada').then(() => (isAdded = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isAdded).toBe(false);
  holder.kill('SIGKILL');
  await adding;
  expect(listKeys(keyFile)).toMatchObject([{ name: 'ada' }]);
});
