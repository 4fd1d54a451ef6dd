import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import type { ContentStore } from '../../src/service/files/content-store.ts';
import fc from '../support/fast-check.ts';

export interface SignedPlace {
  content: ContentStore;
  /** The address of the service. */
  root: string;
  /** How far the signing clock is ahead, in milliseconds. */
  clock: { ahead: number };
  /** Another place of the same kind. It signs its addresses with another secret. */
  stranger: { content: ContentStore; root: string };
}

export const hashOf = (content: Uint8Array | string): string =>
  createHash('sha256').update(content).digest('base64url');

/** Stores a content. Returns its hash. */
export function store(content: ContentStore, body: Uint8Array | string): Promise<string> {
  return content.store(Readable.from([Buffer.from(body)]), 1_000_000);
}

export async function statusOf(address: string, init?: RequestInit): Promise<number> {
  const response = await fetch(address, init);
  await response.arrayBuffer();
  return response.status;
}

/** Tests the pre-signed addresses of a kind of file store. */
export function signedSuite(place: () => Promise<SignedPlace>): void {
  const stored = async (body: Uint8Array | string, filename = 'a.bin') => {
    const here = await place();
    const hash = await store(here.content, body);
    expect(hash).toBe(hashOf(body));
    return { ...here, hash, address: await here.content.address({ hash, filename }, here.root) };
  };

  describe('pre-signed addresses', () => {
    test('give the content unchanged and without a key, even if it was stored again', async () => {
      const body = randomBytes(300_000);
      const { content, hash, address } = await stored(body);
      expect(await store(content, body)).toBe(hash);
      expect([await content.has(hash), await content.isWhole(hash)]).toEqual([true, true]);
      const response = await fetch(address);
      expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
      expect(response.headers.get('content-type')).toBe('application/octet-stream');
      expect(Buffer.concat(await (await content.read(hash)).toArray()).equals(body)).toBe(true);
      expect(await store(content, '')).toBe(hashOf(''));
    });

    test('are valid for 300 seconds, and only for one file, name, method and service', async () => {
      const { content, hash, address, clock, stranger, root } = await stored('one');
      const other = await stored('two');
      await store(stranger.content, 'one');
      const foreign = await stranger.content.address({ hash, filename: 'a.bin' }, stranger.root);
      const here = new URL(address);
      const refused = [
        address.replace(hash, other.hash),
        address.replace('a.bin', 'b.bin'),
        address.replace(/([Ee]xpires=)(\d)/, (_, name: string, digit: string) => name + ((+digit % 9) + 1)),
        address.replace(
          /([Ss]ignature=)(.)/,
          (_, name: string, first: string) => name + (first === 'a' ? 'b' : 'a'),
        ),
        address.split('?')[0]!,
        new URL(foreign.replace(new URL(foreign).origin, here.origin)).toString(),
      ];
      for (const one of refused) {
        expect(one).not.toBe(address);
        expect([400, 403]).toContain(await statusOf(one));
      }
      expect([403, 404, 405]).toContain(await statusOf(address, { method: 'PUT', body: 'one' }));
      expect(await statusOf(address)).toBe(200);
      clock.ahead = -290_000;
      const old = await content.address({ hash, filename: 'a.bin' }, root);
      clock.ahead = -301_000;
      const expired = await content.address({ hash, filename: 'a.bin' }, root);
      clock.ahead = 0;
      expect([await statusOf(old), await statusOf(expired)]).toEqual([200, 403]);
    });

    test('give exactly the bytes of any range', async () => {
      const body = randomBytes(100);
      const { address } = await stored(body);
      await fc.assert(
        fc.asyncProperty(fc.nat(99), fc.nat(120), async (first, length) => {
          const response = await fetch(address, { headers: { Range: `bytes=${first}-${first + length}` } });
          const wanted = body.subarray(first, first + length + 1);
          expect(response.status).toBe(206);
          expect(Buffer.from(await response.arrayBuffer()).equals(wanted)).toBe(true);
          expect(response.headers.get('content-range')).toBe(
            `bytes ${first}-${first + wanted.length - 1}/100`,
          );
        }),
        { numRuns: 30 },
      );
      expect(await statusOf(address, { headers: { Range: 'bytes=100-' } })).toBe(416);
    });

    test('give a download the requested name, even if the name has special characters', async () => {
      for (const name of ['a b.csv', '"x"; y=(1)*.csv', 'Größe+100%.csv', "it's & so #1?.txt"]) {
        const { address } = await stored('named', name);
        const response = await fetch(address);
        const header = response.headers.get('content-disposition')!;
        expect([response.status, decodeURIComponent(header.split("UTF-8''")[1]!)]).toEqual([200, name]);
        expect(header.split("UTF-8''")[1]).toMatch(/^[\w.%~!#$&+^`|-]+$/);
      }
    });

    test('are refused for a missing file, and a text that is not a hash has no file', async () => {
      const { content, root } = await place();
      for (const hash of ['', '../../service.db', hashOf('a').slice(1)]) {
        expect(await content.has(hash)).toBe(false);
      }
      const absent = hashOf(randomBytes(8));
      const unknown = { code: 'UNKNOWN_FILE' };
      await expect(content.address({ hash: absent, filename: '' }, root)).rejects.toMatchObject(unknown);
      await expect(content.read(absent)).rejects.toMatchObject(unknown);
    });
  });
}
