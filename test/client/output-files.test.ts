import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { OutputFiles } from '../../src/client/output-files.ts';
import { type ForayError, isForayError } from '../../src/errors.ts';
import { ServiceAtHand } from '../../src/resolve/index.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { startServer, type TestServer } from '../cloud/support.ts';
import { temporaryFolder } from '../store/folder.ts';
import { campaign } from '../store/fixtures.ts';

let folder: ReturnType<typeof temporaryFolder>;
let store: Store;
let server: TestServer;
let files: OutputFiles;
const content = Buffer.from('day,infected\n');
const hash = createHash('sha256').update(content).digest('base64url');
const value = JSON.stringify({ hash, localPath: 'a.csv' });

beforeEach(async () => {
  folder = temporaryFolder();
  store = await openStore(`sqlite:${join(folder.path, 'store.db')}`);
  server = await startServer();
  serve(content);
  const flu = { ...campaign('flu'), service: server.url };
  await store.addCampaign({ campaign: flu, definition: '', digest: '' }, 1);
  files = new OutputFiles(store, server.client(), flu, new ServiceAtHand(server.client(), server.url));
});
afterEach(async () => {
  await store.close();
  folder.remove();
});

function serve(bytes: Uint8Array): void {
  const address = JSON.stringify(`${new URL(server.url).origin}/files/x?signature=secret`);
  server.answer((response, { url }) => {
    if (!url.startsWith('/files/')) return response.end(address);
    return response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  });
}

const at = (name: string): string => join(folder.path, 'out', name);

async function refusal(call: Promise<unknown>): Promise<ForayError> {
  const error: unknown = await call.then(
    () => new Error('the file was not refused'),
    (thrown: unknown) => thrown,
  );
  if (isForayError(error)) return error;
  throw error;
}

describe('a kept file', () => {
  test('comes from the store, without a request to the service', async () => {
    await store.keepFile('flu', 'md5', { sha256: hash, content }, 1);
    const kept = { hash: 'md5', localPath: 'b.csv' };
    expect(Buffer.from(await files.read(kept)).equals(content)).toBe(true);
    expect(await files.save(kept, at('a/b.csv'))).toBe('written');
    expect(readFileSync(at('a/b.csv')).equals(content)).toBe(true);
    expect(await files.save(kept, at('a/b.csv'))).toBe('there');
    expect(server.asked).toEqual([]);
  });
});

describe('a file that is not kept', () => {
  test('comes from the service, for a reference as text or as an object', async () => {
    for (const given of [value, { hash, localPath: 'a.csv' }])
      expect(Buffer.from(await files.read(given)).equals(content)).toBe(true);
    expect(await files.save(value, at('a.csv'))).toBe('written');
    expect(readFileSync(at('a.csv')).equals(content)).toBe(true);
  });

  test('is fetched again if the local file differs, or cannot be compared', async () => {
    await files.save(value, at('a.csv'));
    const before = server.asked.length;
    expect(await files.save(value, at('a.csv'))).toBe('there');
    expect(server.asked).toHaveLength(before);
    writeFileSync(at('a.csv'), 'another');
    expect(await files.save(value, at('a.csv'))).toBe('written');
    expect(readFileSync(at('a.csv')).equals(content)).toBe(true);
    // this hash does not have the form of a SHA-256, so the local file cannot be compared
    const md5 = { hash: 'md5', localPath: 'a.csv' };
    for (let time = 0; time < 2; time += 1) expect(await files.save(md5, at('a.csv'))).toBe('written');
    expect(readdirSync(join(folder.path, 'out'))).toEqual(['a.csv']);
  });

  test('is complete even if the first transfer is cut off', async () => {
    let isFirst = true;
    server.answer((response, { url }) => {
      if (!url.startsWith('/files/'))
        return response.end(JSON.stringify(`${new URL(server.url).origin}/files/x`));
      response.writeHead(200, { 'content-length': content.length });
      if (!isFirst) return response.end(content);
      isFirst = false;
      return response.write('longer than '.slice(0, 12), () => response.destroy());
    });
    expect(await files.save(value, at('a.csv'))).toBe('written');
    expect(readFileSync(at('a.csv')).equals(content)).toBe(true);
  });

  test.each<[number, RegExp]>([
    [404, /^The model service does not have the file\.$/],
    [410, /^The model service refuses the file\.$/],
  ])('is an error after status %d, and no partial file stays', async (status, says) => {
    server.say(status, '');
    const error = await refusal(files.save(value, at('a.csv')));
    expect(error.code).toBe('FILE_UNAVAILABLE');
    expect(error.message).toMatch(says);
    expect(readdirSync(join(folder.path, 'out'))).toEqual([]);
    expect((await refusal(files.read(value))).code).toBe('FILE_UNAVAILABLE');
  });

  test('is requested only from the service where the campaign ran', async () => {
    const elsewhere = new OutputFiles(
      store,
      server.client(),
      { ...campaign('flu'), service: 'http://a/' },
      new ServiceAtHand(server.client(), server.url),
    );
    const { code, message, hint } = await refusal(elsewhere.read(value));
    expect([code, message]).toEqual([
      'FILE_UNAVAILABLE',
      'The file is at http://a/, where the campaign ran.',
    ]);
    expect(hint).toMatch(/--service-url/);
    expect(server.asked).toEqual([]);
  });

  test('is requested again after the service could not tell whether the campaign is its own', async () => {
    const service = crypto.randomUUID();
    const moved = { ...campaign('flu'), service: 'http://old/', serviceId: service };
    const here = new ServiceAtHand(server.client(), server.url);
    const asking = new OutputFiles(store, server.client(), moved, here);
    server.say(503, '');
    expect((await refusal(asking.read(value))).code).toBe('SERVICE_FAILED');
    const address = JSON.stringify(`${new URL(server.url).origin}/files/x`);
    server.answer((response, { url }) => {
      if (url.startsWith('/files/')) return response.end(content);
      return response.end(
        url === '/health' ? JSON.stringify({ status: 'ok', problems: [], service }) : address,
      );
    });
    expect(Buffer.from(await asking.read(value)).equals(content)).toBe(true);
  });

  test('is not requested any more after the service has failed several times', async () => {
    const silent = await startServer();
    silent.say(500, '');
    const here = new ServiceAtHand(silent.client(), 'here');
    const asking = new OutputFiles(store, silent.client(), { ...campaign('flu'), service: 'here' }, here);
    for (let file = 0; file < 3; file += 1)
      expect((await refusal(asking.read(value))).code).toBe('SERVICE_FAILED');
    const asked = silent.asked.length;
    for (let file = 0; file < 5; file += 1)
      expect((await refusal(asking.save(value, at('a.csv')))).code).toBe('SERVICE_FAILED');
    expect(silent.asked).toHaveLength(asked);
    expect(readdirSync(join(folder.path, 'out'))).toEqual([]);
  });
});

test.each(['', 'null', '{}', '"a.csv"'])(
  'a value that is not a reference to a file is an error: %j',
  async (text) => {
    const error = await refusal(files.read(text));
    expect([error.code, error.message]).toEqual([
      'FILE_UNAVAILABLE',
      'The value is not a reference to a file.',
    ]);
  },
);

test('a path that cannot be written is an error', async () => {
  mkdirSync(at('folder'), { recursive: true });
  writeFileSync(at('file'), '');
  for (const path of [at('folder'), at('file/a.csv')])
    expect((await refusal(files.save({ hash: 'md5', localPath: '' }, path))).code).toBe('OUTPUT_UNWRITABLE');
  expect(existsSync(at('folder'))).toBe(true);
  expect(readdirSync(join(folder.path, 'out')).toSorted()).toEqual(['file', 'folder']);
});
