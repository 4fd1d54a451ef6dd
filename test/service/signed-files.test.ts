import { randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fastify from 'fastify';
import { ErrorBody } from '../../src/api/resources.ts';
import { ContentFiles } from '../../src/service/files/content.ts';
import { DiskStore } from '../../src/service/files/disk-store.ts';
import { Presigner } from '../../src/service/files/presign.ts';
import { sendFailure } from '../../src/service/http/failures.ts';
import { addSignedFiles } from '../../src/service/http/signed-files.ts';
import fc from '../support/fast-check.ts';
import { hashOf, signedSuite } from './signed-suite.ts';
import { onCleanup, temporaryFolder, until } from './support.ts';

const LIMIT = 1_000_000;
const START = Date.parse('2026-11-20T10:00:00Z');

/** The pre-signed addresses of a disk, over HTTP and with a clock of its own. */
async function startDisk(secret = 'secret') {
  const folder = temporaryFolder();
  const files = new ContentFiles(folder);
  files.prepare();
  const clock = { now: START };
  const presigner = new Presigner(secret, () => clock.now);
  const content = new DiskStore(files, presigner);
  const app = fastify({ routerOptions: { maxParamLength: 1_000 }, forceCloseConnections: true });
  app.setErrorHandler(sendFailure);
  await addSignedFiles(app, content, presigner, LIMIT);
  const root = await app.listen({ host: '127.0.0.1', port: 0 });
  onCleanup(() => app.close());
  const put = async (hash: string, body: Uint8Array | string) => {
    const { url, headers } = await content.uploadAddress(hash, root);
    return fetch(url, { method: 'PUT', headers, body });
  };
  const unfinished = () => readdirSync(path.join(folder, 'unfinished'));
  return { files, clock, content, root, put, unfinished };
}

async function codeOf(response: Response): Promise<unknown[]> {
  const { status, code } = ErrorBody.parse(await response.json());
  return [response.status, status, code];
}

signedSuite(async () => {
  const [disk, stranger] = [await startDisk(), await startDisk('another secret')];
  const clock = {
    set ahead(ms: number) {
      disk.clock.now = START + ms;
    },
  };
  return { ...disk, clock, stranger };
});

describe('uploads to the service', () => {
  test('other content is refused, and neither stored nor put over what is there', async () => {
    const disk = await startDisk();
    await disk.put(hashOf('right'), 'right');
    expect(await codeOf(await disk.put(hashOf('right'), 'wrong'))).toEqual([422, 422, 'CONTENT_DIFFERS']);
    expect(await codeOf(await disk.put(hashOf('new'), 'wrong'))).toEqual([422, 422, 'CONTENT_DIFFERS']);
    const stored = [hashOf('right'), hashOf('new'), hashOf('wrong')];
    expect(stored.map((hash) => disk.files.has(hash))).toEqual([true, false, false]);
    expect(Buffer.from(disk.files.read(hashOf('right'))).toString()).toBe('right');
    expect(disk.unfinished()).toEqual([]);
  });

  test('too much is refused', async () => {
    const disk = await startDisk();
    const body = randomBytes(LIMIT + 1);
    expect(await codeOf(await disk.put(hashOf(body), body))).toEqual([413, 413, 'TOO_LARGE']);
    expect(disk.files.has(hashOf(body))).toBe(false);
  });

  test('an upload that breaks off leaves nothing', async () => {
    const disk = await startDisk();
    const body = randomBytes(300_000);
    const { url } = await disk.content.uploadAddress(hashOf(body), disk.root);
    const request = http.request(url, { method: 'PUT', headers: { 'Content-Length': body.length } });
    request.on('error', () => {});
    request.write(body.subarray(0, 200_000));
    await until(() => disk.unfinished().length || undefined, 'the upload to begin');
    request.destroy();
    await until(() => disk.unfinished().length === 0 || undefined, 'the upload to be given up');
    expect(disk.files.has(hashOf(body))).toBe(false);
  });

  test('an address holds for 300 seconds, for its own content, service and method', async () => {
    const disk = await startDisk();
    const other = await startDisk('another secret');
    const { url } = await disk.content.uploadAddress(hashOf('one'), disk.root);
    const put = (address: string, body = 'one') => fetch(address, { method: 'PUT', body });
    await disk.put(hashOf('two'), 'two');
    const download = await disk.content.address({ hash: hashOf('two'), filename: '' }, disk.root);
    const refused = [
      put(url.replace(hashOf('one'), hashOf('two')), 'two'),
      put(url.replace(/expires=\d/, 'expires=9')),
      put(url.replace(disk.root, other.root)),
      put(download, 'two'),
      fetch(`${url}&filename=`),
    ];
    for (const response of refused) expect(await codeOf(await response)).toEqual([403, 403, 'URL_REFUSED']);
    expect(disk.files.has(hashOf('one'))).toBe(false);
    disk.clock.now += 300_001;
    expect(await codeOf(await put(url))).toEqual([403, 403, 'URL_REFUSED']);
    disk.clock.now -= 1;
    expect((await put(url)).status).toBe(200);
  });
});

describe('downloads of a part from the service', () => {
  test('any range gives exactly the bytes of the file that it names', async () => {
    const disk = await startDisk();
    // each byte once, so that a part shows its place
    const body = Buffer.from(Array.from({ length: 100 }, (_, index) => index));
    await disk.put(hashOf(body), body);
    const address = await disk.content.address({ hash: hashOf(body), filename: 'a' }, disk.root);
    const place = fc.option(fc.nat(120), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(place, place, async (from, to) => {
        const response = await fetch(address, { headers: { Range: `bytes=${from ?? ''}-${to ?? ''}` } });
        const bytes = Buffer.from(await response.arrayBuffer());
        const isRange = from === undefined ? to !== undefined : to === undefined || from <= to;
        if (!isRange) return expect([response.status, bytes.equals(body)]).toEqual([200, true]);
        const wanted =
          from === undefined
            ? body.subarray(Math.max(0, 100 - to!))
            : body.subarray(from, to === undefined ? 100 : to + 1);
        if (wanted.length === 0) {
          return expect([response.status, response.headers.get('content-range')]).toEqual([
            416,
            'bytes */100',
          ]);
        }
        const start = body.indexOf(wanted);
        expect([response.status, bytes.equals(wanted)]).toEqual([206, true]);
        expect(response.headers.get('content-range')).toBe(`bytes ${start}-${start + wanted.length - 1}/100`);
      }),
      { numRuns: 100 },
    );
  });

  test('several ranges and other units give the whole file', async () => {
    const disk = await startDisk();
    await disk.put(hashOf('content'), 'content');
    const address = await disk.content.address({ hash: hashOf('content'), filename: 'a' }, disk.root);
    for (const Range of ['bytes=0-1,3-4', 'lines=0-1', 'bytes=1', 'bytes=a-b']) {
      const response = await fetch(address, { headers: { Range } });
      expect([Range, response.status, await response.text()]).toEqual([Range, 200, 'content']);
    }
  });

  test('a part of a damaged file is refused, also when the part itself is right', async () => {
    const disk = await startDisk();
    await disk.put(hashOf('content'), 'content');
    const address = await disk.content.address({ hash: hashOf('content'), filename: 'a' }, disk.root);
    writeFileSync(disk.files.pathOf(hashOf('content')), 'contents');
    const response = await fetch(address, { headers: { Range: 'bytes=0-1' } });
    expect(await codeOf(response)).toEqual([410, 410, 'FILE_DAMAGED']);
  });
});
