import { writeFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fastify from 'fastify';
import { ErrorBody } from '../../src/api/resources.ts';
import { ContentFiles } from '../../src/service/files/content.ts';
import { DiskStore } from '../../src/service/files/disk-store.ts';
import { Presigner } from '../../src/service/files/presign.ts';
import { sendFailure } from '../../src/service/http/failures.ts';
import { addSignedFiles } from '../../src/service/http/signed-files.ts';
import fc from '../support/fast-check.ts';
import { hashOf, signedSuite, store } from './signed-suite.ts';
import { onCleanup, temporaryFolder } from './support.ts';

const START = Date.parse('2026-11-20T10:00:00Z');

/** Serves pre-signed addresses of files on a disk over HTTP. A test can move the clock. */
async function startDisk(secret = 'secret') {
  const folder = temporaryFolder();
  const files = new ContentFiles(folder);
  files.prepare();
  const clock = { now: START };
  const presigner = new Presigner(secret, () => clock.now);
  const content = new DiskStore(files, presigner);
  const app = fastify({ routerOptions: { maxParamLength: 1_000 }, forceCloseConnections: true });
  app.setErrorHandler(sendFailure);
  addSignedFiles(app, content, presigner);
  const root = await app.listen({ host: '127.0.0.1', port: 0 });
  onCleanup(() => app.close());
  return { files, clock, content, root };
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

describe('downloads of a part from the service', () => {
  test('give exactly the requested bytes for any range', async () => {
    const disk = await startDisk();
    // each byte has another value, so that a part shows its position
    const body = Buffer.from(Array.from({ length: 100 }, (_, index) => index));
    await store(disk.content, body);
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

  test('give the whole file for several ranges, for another unit than bytes, and for an invalid range', async () => {
    const disk = await startDisk();
    await store(disk.content, 'content');
    const address = await disk.content.address({ hash: hashOf('content'), filename: 'a' }, disk.root);
    for (const Range of ['bytes=0-1,3-4', 'lines=0-1', 'bytes=1', 'bytes=a-b']) {
      const response = await fetch(address, { headers: { Range } });
      expect([Range, response.status, await response.text()]).toEqual([Range, 200, 'content']);
    }
  });

  test('refuse a part of a damaged file, even if this part is undamaged', async () => {
    const disk = await startDisk();
    await store(disk.content, 'content');
    const address = await disk.content.address({ hash: hashOf('content'), filename: 'a' }, disk.root);
    writeFileSync(disk.files.pathOf(hashOf('content')), 'contents');
    const response = await fetch(address, { headers: { Range: 'bytes=0-1' } });
    expect(await codeOf(response)).toEqual([410, 410, 'FILE_DAMAGED']);
  });
});
