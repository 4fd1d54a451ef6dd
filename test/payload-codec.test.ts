import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { dataConverter } from '../src/payload-codec.ts';
import { foray } from './support/cli.ts';
import { testFolder } from './support/test-folder.ts';

const folder = testFolder();
const keys = join(folder, 'keys');
beforeAll(() => {
  addKey('first');
  process.env.FORAY_PAYLOAD_KEYS = keys;
});
afterAll(() => void delete process.env.FORAY_PAYLOAD_KEYS);

function addKey(id: string): void {
  appendFileSync(keys, `${id} ${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
}

describe('FORAY_PAYLOAD_CODEC', () => {
  function write(name: string, text: string): string {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  }
  const codec = '{ encode: async (all) => all, decode: async (all) => all }';

  test('names a module that exports a codec or a list of them, by default or as codecs', async () => {
    const counts = [
      `export default ${codec};`,
      `export default [${codec}, ${codec}];`,
      `export const codecs = [${codec}, ${codec}, ${codec}];`,
    ].map(
      async (text, index) => (await dataConverter(write(`good-${index}.mjs`, text))).payloadCodecs?.length,
    );
    expect(await Promise.all(counts)).toEqual([1, 2, 3]);
    expect(await dataConverter(undefined)).toEqual({});
  });

  test.each([
    ['missing.mjs', undefined, 'cannot be loaded: Cannot find module'],
    ['empty.mjs', '', 'exports no payload codec'],
    ['none.mjs', 'export default [];', 'exports no payload codec'],
    ['half.mjs', 'export default { encode() {} };', 'exports no payload codec'],
    ['wrong.mjs', 'export default {', 'cannot be loaded: '],
    ['throws.mjs', "throw new Error('the keys are missing');", 'cannot be loaded: the keys are missing.'],
    ['mixed.mjs', `export default [${codec}, {}];`, 'exports no payload codec'],
  ])('does not name %s: %s', async (name, text, why) => {
    const file = text === undefined ? join(folder, name) : write(name, text);
    await expect(dataConverter(file)).rejects.toMatchObject({
      code: 'CODEC_UNUSABLE',
      message: expect.stringContaining(why),
    });
  });

  test('may name a package beside the working directory', async () => {
    const own = join(folder, 'node_modules/own-codec');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'package.json'), '{"name": "own-codec", "exports": "./codec.mjs"}');
    writeFileSync(join(own, 'codec.mjs'), "throw new Error('the package was loaded');");
    const env = { FORAY_PAYLOAD_CODEC: 'own-codec', FORAY_STORE: 'sqlite::memory:', FORAY_API_KEY: 'none' };
    for (const command of ['list', 'worker']) {
      const { code, stderr } = await foray(folder, [command], { env });
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/^foray: .*own-codec.* cannot be loaded: the package was loaded\.\n$/),
      ]);
    }
  });
});
