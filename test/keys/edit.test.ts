import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { addKey, ensureUserKey, listKeys, revokeKeys } from '../../src/keys/edit.ts';
import { parseKeyFile } from '../../src/keys/file.ts';
import { hashOf, idOf } from '../../src/keys/hash.ts';
import { roles } from '../../src/keys/roles.ts';
import { WatchedKeys } from '../../src/keys/watched-keys.ts';
import fc from '../support/fast-check.ts';
import { keyFileOf } from '../support/key-file.ts';
import { leaksIn } from '../support/spellings.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder();

const name = fc.constantFrom('ada', 'bob', 'node-1', 'constructor', 'toString', '1e3', 'true');
const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), name, role: fc.constantFrom(...roles) }),
  fc.record({ kind: fc.constant('revoke' as const), name, byId: fc.boolean() }),
);

test('after any additions and revocations, exactly the keys that are left give access, and neither the file nor the list contains a key', async () => {
  let at = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const file = join(folder, `keys-${(at += 1)}.yaml`);
      const all: string[] = [];
      let left: { key: string; name: string; role: string }[] = [];
      for (const one of steps) {
        if (one.kind === 'add') {
          const key = await addKey(file, one.name, one.role);
          all.push(key);
          left.push({ key, name: one.name, role: one.role });
          continue;
        }
        const own = left.filter(({ name }) => name === one.name);
        const gone = one.byId ? own.slice(0, 1) : own;
        const id = one.byId ? idOf(hashOf(own[0]?.key ?? '')) : undefined;
        const revoking = revokeKeys(file, one.name, id);
        if (gone.length > 0) expect(await revoking).toBe(gone.length);
        else
          await expect(revoking).rejects.toMatchObject({
            code: existsSync(file) ? 'UNKNOWN_KEY' : 'KEYS_INVALID',
          });
        left = left.filter((key) => !gone.includes(key));
      }
      if (!existsSync(file)) return;
      const keys = new WatchedKeys({ file, tooOpen: 0o077, use() {}, onFault() {} });
      const holders = all.map((key) => keys.holderOf(hashOf(key)));
      expect(holders).toEqual(
        all.map((key) => {
          const known = left.find((one) => one.key === key);
          return known && { name: known.name, role: known.role };
        }),
      );
      const seen = readFileSync(file, 'utf8') + inspect(listKeys(file));
      for (const key of all) expect(leaksIn(seen, key)).toEqual([]);
      expect(
        listKeys(file)
          .map(({ id }) => id)
          .sort(),
      ).toEqual(left.map(({ key }) => idOf(hashOf(key))).sort());
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }),
    { numRuns: 20 },
  );
});

/** All places of a value: each value and each name in it. */
function placesIn(
  value: unknown,
  path: (string | number)[] = [],
): { path: (string | number)[]; of: 'name' | 'value' }[] {
  if (typeof value !== 'object' || value === null) return [{ path, of: 'value' }];
  return [
    { path, of: 'value' as const },
    ...Object.entries(value).flatMap(([name, inner]) => {
      const at = [...path, Array.isArray(value) ? Number(name) : name];
      return [...(Array.isArray(value) ? [] : [{ path: at, of: 'name' as const }]), ...placesIn(inner, at)];
    }),
  ];
}

/** A copy of a value in which `text` is the value or the name at a place. */
function withText(
  value: unknown,
  [first, ...rest]: (string | number)[],
  of: 'name' | 'value',
  text: string,
): unknown {
  if (first === undefined) return text;
  const entries = Object.entries(value as object).map(([name, inner]): [string, unknown] => {
    if (name !== String(first)) return [name, inner];
    return of === 'name' && rest.length === 0 ? [text, inner] : [name, withText(inner, rest, of, text)];
  });
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

const WHOLE: unknown = {
  ...(parse(keyFileOf(['ada', 'steer', 'a key'], ['node', 'executor', 'another key'])) as object),
  models: { Rehearsal: { owner: 'ada', developers: ['ada'], users: ['ada'] } },
};

test('an error about a key file has a place and no key, wherever the key is', () => {
  fc.assert(
    fc.property(
      fc.uuid(),
      fc.constantFrom(...placesIn(WHOLE)),
      fc.constantFrom('', ' ', '\n  - [', '\t{', '"'),
      (key, { path, of }, tail) => {
        const text = stringify(withText(WHOLE, path, of, key)) + tail;
        let error: unknown;
        try {
          parseKeyFile(text, 'keys.yaml');
        } catch (thrown) {
          error = thrown;
        }
        // some places may have any name, and a key is a name like others
        if (error === undefined) return;
        expect(error).toMatchObject({
          code: 'KEYS_INVALID',
          place: { file: 'keys.yaml', line: expect.any(Number) },
        });
        expect(inspect(error)).not.toContain(key);
      },
    ),
    { numRuns: 300 },
  );
});

test('an invalid name and an unknown key lead to errors without the text of the command, which may be a key', async () => {
  const file = join(folder, 'errors.yaml');
  const key = await addKey(file, 'ada');
  for (const act of [
    () => addKey(file, ` ${key}`),
    () => revokeKeys(file, key),
    () => revokeKeys(file, 'ada', key),
  ]) {
    const error: unknown = await act().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: expect.stringMatching(/^(USAGE|UNKNOWN_KEY)$/) });
    expect(inspect(error)).not.toContain(key);
  }
  writeFileSync(file, `ada steer ${key}\n`);
  expect(() => listKeys(file)).toThrow(expect.objectContaining({ code: 'KEYS_INVALID' }));
  expect(() => listKeys(file)).not.toThrow(key);
});

test('a service makes a key of a user only if its key file has none, whatever keys of executors are in it', async () => {
  const file = join(folder, 'ensured.yaml');
  await addKey(file, 'node', 'executor');
  const ensured = () => ensureUserKey(file, () => Promise.resolve());
  const key = await ensured();
  expect(listKeys(file).map(({ id }) => id)).toContain(idOf(hashOf(key!)));
  expect(await ensured()).toBeUndefined();
  expect(listKeys(file)).toHaveLength(2);
});
