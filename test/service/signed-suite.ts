import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { ContentStore } from '../../src/service/files/content-store.ts';
import fc from '../support/fast-check.ts';

export interface SignedPlace {
  content: ContentStore;
  /** The address of the service. */
  root: string;
  /** What the clock that signs is ahead of the time, in milliseconds. */
  clock: { ahead: number };
  /** Another place of the same kind, which did not sign these addresses. */
  stranger: { content: ContentStore; root: string };
}

export const hashOf = (content: Uint8Array | string): string =>
  createHash('sha256').update(content).digest('base64url');

/** Uploads to a pre-signed address. */
export async function put(
  { content, root }: Pick<SignedPlace, 'content' | 'root'>,
  hash: string,
  body: Uint8Array | string,
): Promise<number> {
  const { url, headers } = await content.uploadAddress(hash, root);
  const response = await fetch(url, { method: 'PUT', headers, body });
  await response.arrayBuffer();
  return response.status;
}

/** What holds for pre-signed addresses, wherever files are kept. */
export function signedSuite(place: () => Promise<SignedPlace>): void {
  const stored = async (body: Uint8Array | string, filename = 'a.bin') => {
    const here = await place();
    const hash = hashOf(body);
    expect(await put(here, hash, body)).toBe(200);
    return { ...here, hash, address: await here.content.address({ hash, filename }, here.root) };
  };
  const statusOf = async (address: string, init?: RequestInit): Promise<number> => {
    const response = await fetch(address, init);
    await response.arrayBuffer();
    return response.status;
  };

  describe('pre-signed addresses', () => {
    test('content comes up without a key, again too, and down as it was', async () => {
      const body = randomBytes(300_000);
      const { content, hash, address, ...here } = await stored(body);
      expect(await put({ content, ...here }, hash, body)).toBe(200);
      expect([await content.has(hash), await content.isWhole(hash)]).toEqual([true, true]);
      const response = await fetch(address);
      expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
      expect(response.headers.get('content-type')).toBe('application/octet-stream');
      expect(Buffer.concat(await (await content.read(hash)).toArray()).equals(body)).toBe(true);
      expect(await put({ content, ...here }, hashOf(''), '')).toBe(200);
    });

    test('other content is refused, and neither stored nor put over what is there', async () => {
      const { content, hash, address, ...here } = await stored('right');
      for (const wanted of [hash, hashOf('new')]) {
        const status = await put({ content, ...here }, wanted, 'wrong');
        expect([400, 422]).toContain(status);
      }
      const { url, headers } = await content.uploadAddress(hashOf('new'), here.root);
      // without what binds an address to its content, or with another binding
      const [name] = Object.keys(headers);
      if (name !== undefined) {
        const other = { [name]: createHash('sha256').update('wrong').digest('base64') };
        for (const changed of [{}, other]) {
          expect(await statusOf(url, { method: 'PUT', headers: changed, body: 'wrong' })).toBe(403);
        }
      }
      expect(await content.has(hashOf('new'))).toBe(false);
      expect(await content.has(hashOf('wrong'))).toBe(false);
      expect(await (await fetch(address)).text()).toBe('right');
    });

    test('they hold for 300 seconds, for one file, name, method and place', async () => {
      const { content, hash, address, clock, stranger, root } = await stored('one');
      const upload = await content.uploadAddress(hash, root);
      const other = await stored('two');
      await put(stranger, hash, 'one');
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
        upload.url,
      ];
      for (const one of refused) {
        expect(one).not.toBe(address);
        expect([400, 403]).toContain(await statusOf(one));
      }
      expect(await statusOf(address, { method: 'PUT', headers: upload.headers, body: 'one' })).toBe(403);
      expect(await statusOf(address)).toBe(200);
      clock.ahead = -290_000;
      const old = await content.address({ hash, filename: 'a.bin' }, root);
      const oldUpload = await content.uploadAddress(hash, root);
      clock.ahead = -301_000;
      const expired = await content.address({ hash, filename: 'a.bin' }, root);
      const expiredUpload = await content.uploadAddress(hash, root);
      clock.ahead = 0;
      const uploaded = ({ url, headers }: typeof upload) =>
        statusOf(url, { method: 'PUT', headers, body: 'one' });
      expect([await statusOf(old), await uploaded(oldUpload)]).toEqual([200, 200]);
      expect([await statusOf(expired), await uploaded(expiredUpload)]).toEqual([403, 403]);
    });

    test('any range of a file gives exactly its bytes', async () => {
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

    test('a download has the name that was asked for, whatever is in it', async () => {
      for (const name of ['a b.csv', '"x"; y=(1)*.csv', 'Größe+100%.csv', "it's & so #1?.txt"]) {
        const { address } = await stored('named', name);
        const response = await fetch(address);
        const header = response.headers.get('content-disposition')!;
        expect([response.status, decodeURIComponent(header.split("UTF-8''")[1]!)]).toEqual([200, name]);
        expect(header.split("UTF-8''")[1]).toMatch(/^[\w.%~!#$&+^`|-]+$/);
      }
    });

    test('there is none for a file that is not there, or for what is no hash', async () => {
      const { content, root } = await place();
      for (const hash of ['', '../../service.db', hashOf('a').slice(1)]) {
        await expect(content.uploadAddress(hash, root)).rejects.toMatchObject({ code: 'UNKNOWN_FILE' });
        expect(await content.has(hash)).toBe(false);
      }
      const absent = hashOf(randomBytes(8));
      const unknown = { code: 'UNKNOWN_FILE' };
      await expect(content.address({ hash: absent, filename: '' }, root)).rejects.toMatchObject(unknown);
      await expect(content.read(absent)).rejects.toMatchObject(unknown);
    });
  });
}
