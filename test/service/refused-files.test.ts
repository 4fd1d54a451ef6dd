import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { ContentFiles } from '../../src/service/files/content.ts';
import { FetchedFiles } from '../../src/service/files/fetched-files.ts';
import { FileCache } from '../../src/service/files/file-cache.ts';
import { S3Store } from '../../src/service/files/s3-store.ts';
import { Problems } from '../../src/service/problems.ts';
import { writeCommandModel } from './command-model.ts';
import { onCleanup, reach, requestRun, startTestService, stateOf, temporaryFolder } from './support.ts';

/** A bucket that keeps what it gets, until it is told to refuse each larger file or to lose what it has. */
async function startBucket() {
  const kept = new Map<string, Buffer>();
  const state = {
    refuses: false,
    code: 'EntityTooLarge',
    refused: 0,
    answer: undefined as Buffer | undefined,
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const body = Buffer.concat((await request.toArray()) as Buffer[]);
    const name = request.url!.split('?')[0]!;
    if (request.method === 'PUT') {
      if (state.refuses && body.length > 0) {
        state.refused += 1;
        return response.writeHead(400).end(`<Error><Code>${state.code}</Code></Error>`);
      }
      kept.set(name, body);
      return response.end();
    }
    const found = state.answer ?? kept.get(name);
    return found ? response.end(found) : response.writeHead(404).end();
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/runs`;
  const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
  return { state, kept, server, place: { bucket: { url, region: 'us-east-1' }, credentials } };
}

test('a run whose output the bucket refuses for good fails with the reason of the bucket', async () => {
  const { state, place } = await startBucket();
  const models = temporaryFolder();
  writeCommandModel(
    models,
    'Large',
    "writeFileSync('out.txt', 'large'); say({ outputs: { Out: 'out.txt' } });",
    ['Out: OUTPUT_FILE'],
  );
  const service = await startTestService({ modelDirs: [models], s3: place });
  const version = await service.latest('Large');
  state.refuses = true;
  const { body: run } = await requestRun(service, version, {});
  await reach(service, run, 'FAILED');
  expect((await stateOf(service, run)).message).toMatch(
    /"the file \S+ could not be stored in 10 attempts: .*EntityTooLarge/,
  );
  expect(state.refused).toBe(10);
});

test('a file that the bucket does not have, refuses, or has damaged counts as lasting; a bucket that is away, or refuses its keys, does not', async () => {
  const { state, kept, place, server } = await startBucket();
  const cache = new FileCache(new ContentFiles(temporaryFolder()), 1e6);
  cache.prepare();
  const store = new S3Store({
    ...place,
    cache,
    problems: new Problems(Date.now, () => undefined),
    now: Date.now,
  });
  const local = path.join(temporaryFolder(), 'file');
  writeFileSync(local, 'content');
  const source = new ContentFiles(temporaryFolder());
  source.prepare();
  const hash = source.write(readFileSync(local));
  await store.upload(hash, local);
  const fetched = new FetchedFiles(cache.files, (name, file) => store.fetch(name, file));
  state.answer = Buffer.from('damaged');
  await expect(fetched.ensure([hash])).rejects.toMatchObject({
    isLasting: true,
    message: `the file ${hash} cannot be fetched: it arrived damaged`,
  });
  state.answer = undefined;
  // wrong keys are no fault of the file
  state.refuses = true;
  await expect(store.upload('f'.repeat(64), local)).rejects.toMatchObject({ code: 'FILE_REFUSED' });
  for (state.code of ['SignatureDoesNotMatch', 'AccessDenied', 'NoSuchBucket', 'RequestTimeout'])
    await expect(store.upload('f'.repeat(64), local)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await fetched.ensure([hash]);
  expect(cache.files.has(hash)).toBe(true);
  kept.clear();
  const other = source.write(Buffer.from('other'));
  await expect(fetched.ensure([other])).rejects.toMatchObject({ isLasting: true });
  server.close();
  server.closeAllConnections();
  await expect(fetched.ensure([other])).rejects.toMatchObject({ isLasting: false });
});
