import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { hashOf } from '../../src/service/keys/hash.ts';
import { foray } from '../support/cli.ts';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'foray-keys-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const keys = (...args: string[]) => foray(folder, ['service', 'keys', ...args]);

test('add prints a key, list shows the id of the key but not the key, and revoke removes the key', async () => {
  const added = await keys('add', 'ada');
  const key = added.stdout.trim();
  expect([added.code, key]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  await keys('add', 'ada');
  const file = join(folder, '.foray/service/keys.yaml');
  expect(readFileSync(file, 'utf8')).not.toContain(key);

  const listed = await keys('list');
  const id = hashOf(key).slice(0, 8);
  expect(listed.stdout).toMatch(new RegExp(`^ada {2}${id} {2}\\d{4}-\\d\\d-\\d\\dT.*Z\nada {2}[0-9a-f]{8} `));
  expect(listed.stdout).not.toContain(key);
  const asJson = JSON.parse((await keys('list', '--json')).stdout) as unknown;
  expect(asJson).toMatchObject([{ user: 'ada', id }, { user: 'ada' }]);

  const revoked = await keys('revoke', id);
  expect([revoked.code, revoked.stdout]).toEqual([0, `The key ${id} of ada is refused from now on.\n`]);
  const again = await keys('revoke', id);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining(`No key has the id ${id}`)]);
});

test('--keys, before or after "keys", and --data select another key file', async () => {
  await keys('add', 'bob', '--keys', 'other.yaml');
  expect((await foray(folder, ['service', '--keys', 'other.yaml', 'keys', 'list'])).stdout).toMatch(/^bob/);
  await keys('add', 'eve', '--data', 'elsewhere');
  expect(readFileSync(join(folder, 'elsewhere/keys.yaml'), 'utf8')).toContain('eve');
});

test('a wrong user name, a missing key file and options that exclude each other have exit code 2', async () => {
  expect(await keys('add', 'a b')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('not a user name'),
  });
  expect(await keys('list', '--keys', 'none.yaml')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^foray: The key file .*none\.yaml cannot be read: .*\n$/),
  });
  const both = await foray(folder, ['service', '--keys', 'other.yaml', '--api-key', 'x']);
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('--api-key') });
});
