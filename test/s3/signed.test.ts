import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ContentFiles } from '../../src/service/files/content.ts';
import { FileCache } from '../../src/service/files/file-cache.ts';
import { S3Store } from '../../src/service/files/s3-store.ts';
import { Problems } from '../../src/service/problems.ts';
import { hashOf, signedSuite, statusOf, store } from '../service/signed-suite.ts';
import { temporaryFolder } from '../service/support.ts';
import { type S3Server, startS3 } from '../support/s3.ts';

/** Tests the pre-signed addresses of an S3-compatible store. */

let server: S3Server;
let other: S3Server;

beforeAll(async () => {
  [server, other] = await Promise.all([startS3(), startS3('another-s3cret')]);
});
afterAll(async () => {
  await server.remove();
  await other.remove();
});

function storeIn({ place }: S3Server, clock: { ahead: number }): S3Store {
  const cache = new FileCache(new ContentFiles(temporaryFolder()));
  cache.prepare();
  const now = () => Date.now() + clock.ahead;
  return new S3Store({ ...place, cache, now, problems: new Problems(now, () => {}) });
}

signedSuite(() => {
  const clock = { ahead: 0 };
  const place = { content: storeIn(server, clock), root: '', clock };
  return Promise.resolve({ ...place, stranger: { content: storeIn(other, clock), root: '' } });
});

describe('addresses of uploads', () => {
  const clock = { ahead: 0 };
  const put = async (content: S3Store, hash: string, body: Uint8Array | string, changed?: object) => {
    const { url, headers } = await content.uploadAddress(hash);
    return statusOf(url, { method: 'PUT', headers: { ...(changed ?? headers) }, body });
  };

  test('accept content without a key, also repeatedly, and empty content', async () => {
    const content = storeIn(server, clock);
    for (const body of [randomBytes(300_000), '']) {
      const hash = hashOf(body);
      expect([await put(content, hash, body), await put(content, hash, body)]).toEqual([200, 200]);
      expect(Buffer.concat(await (await content.read(hash)).toArray()).equals(Buffer.from(body))).toBe(true);
    }
  });

  test('refuse other content, and neither store it nor replace the stored content', async () => {
    const content = storeIn(server, clock);
    const hash = await store(content, 'right');
    for (const wanted of [hash, hashOf('new')]) expect(await put(content, wanted, 'wrong')).toBe(400);
    // the first request lacks the header that binds an address to its content, and the second one has another hash
    const other = { 'x-amz-checksum-sha256': createHash('sha256').update('wrong').digest('base64') };
    for (const changed of [{}, other]) expect(await put(content, hashOf('new'), 'wrong', changed)).toBe(403);
    expect([await content.has(hashOf('new')), await content.has(hashOf('wrong'))]).toEqual([false, false]);
    expect((await (await content.read(hash)).toArray()).join('')).toBe('right');
  });

  test('are valid for 300 seconds and only for uploads; a name that is not a hash gets no address', async () => {
    const content = storeIn(server, clock);
    const hash = await store(content, 'one');
    expect(await statusOf((await content.uploadAddress(hash)).url)).toBe(403);
    clock.ahead = -290_000;
    expect(await put(content, hash, 'one')).toBe(200);
    clock.ahead = -301_000;
    expect(await put(content, hash, 'one')).toBe(403);
    clock.ahead = 0;
    for (const wrong of ['', '../../service.db', hash.slice(1)])
      await expect(content.uploadAddress(wrong)).rejects.toMatchObject({ code: 'UNKNOWN_FILE' });
  });
});
