import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { hashOf } from '../../src/keys/hash.ts';
import { foray } from '../support/cli.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder();

const keys = (...args: string[]) => foray(folder, ['keys', ...args]);

test('add prints a key, list shows the id of the key but not the key, and revoke removes the keys of a name', async () => {
  const added = await keys('add', 'ada');
  const key = added.stdout.trim();
  expect([added.code, key]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  await keys('add', 'ada', '--role', 'read');
  const file = join(folder, '.foray/service/keys.yaml');
  expect(readFileSync(file, 'utf8')).not.toContain(key);

  const listed = await keys('list');
  const id = hashOf(key).slice(0, 8);
  expect(listed.stdout).toMatch(
    new RegExp(`^ada {2}steer {5}${id} {2}\\d{4}-\\d\\d-\\d\\dT.*Z\nada {2}read {6}[0-9a-f]{8} `),
  );
  expect(listed.stdout).not.toContain(key);
  const asJson = JSON.parse((await keys('list', '--json')).stdout) as unknown;
  expect(asJson).toMatchObject([
    { name: 'ada', role: 'steer', id },
    { name: 'ada', role: 'read' },
  ]);

  const first = await keys('revoke', 'ada', '--id', id);
  expect([first.code, first.stdout]).toEqual([0, '1 key of ada will be refused from now on.\n']);
  await keys('add', 'ada');
  expect((await keys('revoke', 'ada')).stdout).toBe('2 keys of ada will be refused from now on.\n');
  const again = await keys('revoke', 'ada');
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('The key file has no such key')]);
});

test('a wrong name, a wrong role, a missing key file and options that exclude each other have exit code 2', async () => {
  const wrong = await keys('add', 'a b');
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('The name of the key is not valid'),
  ]);
  expect(await keys('add', 'ada', '--role', 'write')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('read'),
  });
  expect(await keys('list', '--file', 'none.yaml')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^foray: The key file .*none\.yaml is not there\. foray keys add NAME makes it/,
    ),
  });
  expect((await keys('revoke', 'ada', '--file', 'none.yaml')).code).toBe(2);
  expect(existsSync(join(folder, 'none.yaml'))).toBe(false);
  const both = await foray(folder, ['service', '--keys', 'other.yaml', '--api-key', 'x']);
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('--api-key') });
});
