import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { ErrorBody } from '../../src/api/resources.ts';
import { ContentFiles } from '../../src/service/files/content.ts';
import type { NamedFile } from '../../src/service/files/content-store.ts';
import { Presigner, type SignedQuery } from '../../src/service/files/presign.ts';
import { storeUpload } from '../../src/service/files/upload.ts';
import {
  EPIDEMIC,
  KEY,
  messageIn,
  onCleanup,
  outputsOf,
  reach,
  requestRun,
  startTestService,
  temporaryFolder,
  until,
  upload,
} from './support.ts';

const hashOf = (content: Uint8Array | string) => createHash('sha256').update(content).digest('base64url');

const unfinished = (dataDir: string) => readdirSync(path.join(dataDir, 'files', 'unfinished'));

describe('uploads and checks of files', () => {
  test('an upload stores a file under the SHA-256 of its bytes, in base64url without padding', async () => {
    const service = await startTestService();
    const content = randomBytes(300_000);
    const hash = hashOf(content);
    expect((await service.get(`/check-file/?hash=${hash}`)).body).toBe(false);
    expect(await upload(service, content)).toEqual({ status: 200, body: hash });
    expect((await service.get(`/check-file/?hash=${hash}`)).body).toBe(true);
    expect((await service.get(`/check-file?hash=${hash}`)).body).toBe(true);
    expect(await upload(service, content)).toEqual({ status: 200, body: hash });
    expect((await upload(service, '')).body).toBe(hashOf(''));
    expect(unfinished(service.dataDir)).toEqual([]);
  });

  test('a check finds no file for a path, for another text or for an unknown hash', async () => {
    const service = await startTestService();
    for (const hash of ['..%2F..%2Fservice.db', 'x', 'A'.repeat(43)]) {
      expect((await service.get(`/check-file?hash=${hash}`)).body).toBe(false);
    }
    for (const query of ['', '?hash=', '?hash=x&hash=y']) {
      expect((await service.get(`/check-file${query}`)).body).toMatchObject({
        status: 400,
        code: 'INVALID_QUERY',
        message: 'The query parameter hash is missing, empty or repeated.',
      });
    }
  });

  test('the service keeps nothing of an interrupted upload', async () => {
    const service = await startTestService();
    const request = http.request(`${service.running.url}/upload-file`, {
      method: 'POST',
      headers: { Authorization: KEY, 'Content-Length': 1_000_000 },
    });
    request.on('error', () => {});
    request.write(randomBytes(200_000));
    await until(() => unfinished(service.dataDir).length || undefined, 'the start of the upload');
    request.destroy();
    await until(
      () => unfinished(service.dataDir).length === 0 || undefined,
      'the removal of the unfinished file',
    );
  });

  test('the service refuses a file above the limit, and keeps nothing of the file', async () => {
    const folder = temporaryFolder();
    const files = new ContentFiles(path.join(folder, 'files'));
    files.prepare();
    const body = () => Readable.from([Buffer.alloc(6), Buffer.alloc(5)]);
    await expect(storeUpload(files, body(), 10)).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(unfinished(folder)).toEqual([]);
    expect(files.has(await storeUpload(files, body(), 11))).toBe(true);
  });

  test('the service refuses an upload at once if the announced size is above the limit', async () => {
    const { running } = await startTestService({ limits: { upload: 1_000 } });
    const request = http.request(`${running.url}/upload-file`, {
      method: 'POST',
      headers: { Authorization: KEY, 'Content-Length': 1_001 },
    });
    request.on('error', () => {});
    const arrived = once(request, 'response') as Promise<[http.IncomingMessage]>;
    request.write('the first bytes');
    const [response] = await arrived;
    expect(response.statusCode).toBe(413);
    request.destroy();
  });
});

describe('a file that is damaged on the disk', () => {
  test('is never served: downloads are refused with its hash, checks do not find it, and another upload repairs it', async () => {
    const service = await startTestService();
    const content = randomBytes(100_000);
    const hash = hashOf(content);
    await upload(service, content);
    const { body: url } = await service.get<string>(`/output-file?hash=${hash}&filename=a`);
    await service.close();
    const stored = path.join(service.dataDir, 'files', hash.slice(0, 2), hash);
    const flipped = Buffer.from(content);
    flipped[50_000]! ^= 1;
    for (const damaged of [flipped, content.subarray(0, 60_000), Buffer.alloc(0)]) {
      writeFileSync(stored, damaged);
      const restarted = await startTestService({ dataDir: service.dataDir });
      const signed = new URL(url);
      signed.port = String(restarted.running.port);
      const refused = ErrorBody.parse(await (await fetch(signed)).json());
      expect(refused).toMatchObject({
        status: 410,
        code: 'FILE_DAMAGED',
        message: expect.stringContaining(hash),
      });
      expect((await restarted.get(`/check-file?hash=${hash}`)).body).toBe(false);
      expect((await restarted.get(`/output-file?hash=${hash}&filename=a`)).status).toBe(410);

      expect((await upload(restarted, content)).body).toBe(hash);
      expect(hashOf(Buffer.from(await (await fetch(signed)).arrayBuffer()))).toBe(hash);
      // the same holds if the damage happens while the service runs; a coarse clock of the disk might give it the time of
      // the upload
      writeFileSync(stored, damaged);
      const later = Date.now() / 1000 + 60;
      utimesSync(stored, later, later);
      expect((await fetch(signed)).status).toBe(410);
      await restarted.close();
    }
  });

  test('causes the failure of a run that reads the file, and the reason names the file', async () => {
    const service = await startTestService({ modelDirs: [EPIDEMIC] });
    const { body: hash } = (await upload(service, 'day,cases\n0,1\n')) as { body: string };
    writeFileSync(path.join(service.dataDir, 'files', hash.slice(0, 2), hash), 'day,cases\n0,2\n');
    const { body: run } = await requestRun(service, await service.latest('Epidemic'), {
      'Observed cases': hash,
    });
    expect(messageIn(await reach(service, run, 'FAILED')).title).toContain(`${hash} is damaged`);
  });
});

describe('pre-signed addresses', () => {
  test('give an output file with its name, and need no key', async () => {
    const service = await startTestService({ modelDirs: [EPIDEMIC] });
    const outputs = await outputsOf(service, await service.latest('Epidemic'));
    const { hash, localPath } = JSON.parse(outputs.get('Trajectory')!) as Record<string, string>;
    const { body: url } = await service.get<string>(`/output-file/?hash=${hash}&filename=${localPath}`);
    const response = await fetch(url, { headers: { Origin: 'https://example.org' } });
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(hashOf(text)).toBe(hash);
    expect(text).toMatch(/^day,susceptible,infected,recovered\n0,762,1,0\n/);
    expect(response.headers.get('content-disposition')).toContain('trajectory.csv');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const readable = response.headers.get('access-control-expose-headers')!.toLowerCase().split(', ');
    for (const name of ['accept-ranges', 'content-disposition', 'content-range'])
      expect(readable).toContain(name);
  });

  test('are refused after any change', async () => {
    const service = await startTestService();
    await upload(service, 'one');
    await upload(service, 'two');
    const { body } = await service.get<string>(`/output-file?hash=${hashOf('one')}&filename=a.csv`);
    const changed = [
      (url: URL) => (url.pathname = url.pathname.replace(hashOf('one'), hashOf('two'))),
      (url: URL) => url.searchParams.set('filename', 'b.csv'),
      (url: URL) => url.searchParams.set('expires', String(Number(url.searchParams.get('expires')) + 1)),
      (url: URL) => url.searchParams.set('signature', hashOf('guess')),
      (url: URL) => url.searchParams.set('signature', ''),
    ].map((change) => {
      const url = new URL(body);
      change(url);
      return url;
    });
    // further parameters have no meaning
    for (const same of [body, `${body}&x=1`]) expect((await fetch(same)).status).toBe(200);
    for (const url of changed) {
      const error = ErrorBody.parse(await (await fetch(url)).json());
      expect([url.search, error.status, error.code]).toEqual([url.search, 403, 'URL_REFUSED']);
      expect(JSON.stringify(error)).not.toContain(new URL(body).searchParams.get('signature'));
    }
    const bare = new URL(body);
    bare.search = '';
    expect((await fetch(bare)).status).toBe(400);
  });

  test('are refused exactly if a part has changed or more than 300 seconds have passed', () => {
    const start = Date.parse('2026-11-20T10:00:00Z');
    const isOpen = (file: NamedFile, query: SignedQuery, secret: string, now: number): boolean => {
      try {
        new Presigner(secret, () => now).verify(file.hash, query);
        return true;
      } catch (error) {
        expect(error).toMatchObject({ code: 'URL_REFUSED' });
        return false;
      }
    };
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(
        fc.record({ hash: text, filename: text, secret: text, other: text }),
        fc.constantFrom('hash', 'filename', 'expires', 'signature', 'secret'),
        fc.integer({ min: 0, max: 600_000 }),
        ({ hash, filename, secret, other }, part, later) => {
          const query = new Presigner(secret, () => start).sign({ hash, filename });
          expect(isOpen({ hash, filename }, query, secret, start + later)).toBe(later <= 300_000);
          const altered = { hash, secret, ...query };
          fc.pre(altered[part] !== other);
          altered[part] = other;
          expect(isOpen({ hash: altered.hash, filename }, altered, altered.secret, start)).toBe(false);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('are valid for 299 seconds but not for 301, also after a restart', async () => {
    let now = Date.parse('2026-11-20T10:00:00Z');
    const service = await startTestService({ now: () => now });
    await upload(service, 'content');
    const { body } = await service.get<string>(`/output-file?hash=${hashOf('content')}&filename=a`);
    now += 299_000;
    expect((await fetch(body)).status).toBe(200);
    await service.close();
    const restarted = await startTestService({ dataDir: service.dataDir, now: () => now });
    const moved = new URL(body);
    moved.port = String(restarted.running.port);
    expect((await fetch(moved)).status).toBe(200);
    now += 2_000;
    const expired = await fetch(moved);
    expect([expired.status, await expired.json()]).toMatchObject([403, { code: 'URL_REFUSED' }]);
  });

  test('stay valid if the clock changes', async () => {
    const service = await startTestService();
    await upload(service, 'content');
    const { body } = await service.get<string>(`/output-file?hash=${hashOf('content')}&filename=a`);
    const real = Date.now.bind(Date);
    onCleanup(() => void (Date.now = real));
    for (const minutes of [10, -10]) {
      Date.now = () => real() + minutes * 60_000;
      expect([minutes, (await fetch(body)).status]).toEqual([minutes, 200]);
    }
  });

  test('accept a preflight request without a key', async () => {
    const service = await startTestService();
    await upload(service, 'content');
    const { body } = await service.get<string>(`/output-file?hash=${hashOf('content')}&filename=a`);
    const response = await fetch(body, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://example.org',
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'authorization',
      },
    });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(response.headers.get('access-control-allow-headers')).toBe('Authorization, Content-Type, Range');
  });

  test('are not given for a missing file', async () => {
    const service = await startTestService();
    const answer = await service.get(`/output-file?hash=${hashOf('nothing')}&filename=a`);
    expect(answer.body).toMatchObject({ status: 404, code: 'UNKNOWN_FILE' });
    expect((await service.get('/output-file?hash=x')).body).toMatchObject({ status: 400 });
  });
});
