import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import type { Endpoint } from '../../src/api/endpoints.ts';
import { allEndpoints } from '../../src/api/extensions.ts';
import type { Model } from '../../src/api/resources.ts';
import { addKey, listKeys } from '../../src/keys/edit.ts';
import { EPIDEMIC, KEY, outputsOf, startTestService, temporaryFolder } from './support.ts';

const routes = Object.entries(allEndpoints as Record<string, Endpoint>).flatMap(([name, endpoint]) =>
  [endpoint, ...(endpoint.older ? [endpoint.older] : [])].map(({ method, path }) => ({ name, method, path })),
);

describe('keys', () => {
  test('a key is accepted alone and after "Bearer"', async () => {
    const service = await startTestService();
    for (const Authorization of [KEY, `Bearer ${KEY}`]) {
      expect((await service.get('/models', { Authorization })).status).toBe(200);
    }
  });

  test('a preflight and the health check need no key', async () => {
    const { running } = await startTestService();
    for (const { path: route } of routes) {
      const response = await fetch(running.url + route.replaceAll(/:\w+/g, 'x'), {
        method: 'OPTIONS',
        headers: {
          Origin: 'https://example.org',
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'authorization,content-type',
        },
      });
      expect(response.status).toBe(200);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-allow-headers')).toBe('Authorization, Content-Type, Range');
    }
    const health = await fetch(new URL('/health', running.url));
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({
      status: 'ok',
      problems: [],
      service: expect.stringMatching(/^[\da-f-]{36}$/),
    });
  });

  test('the service makes a key at its first start if it has no key, and only the owner of the key file can read the file', async () => {
    const first = await startTestService({ apiKey: undefined });
    const key = first.running.newKey!;
    expect(key).toMatch(/^[0-9a-f]{8}-/);
    await first.close();
    const second = await startTestService({ dataDir: first.dataDir, apiKey: undefined });
    expect(second.running.newKey).toBeUndefined();
    expect((await second.get('/models', { Authorization: key })).status).toBe(200);
    expect(statSync(path.join(first.dataDir, 'keys.yaml')).mode & 0o777).toBe(0o600);
  });

  test('a start that fails makes no key, so the next start makes and shows it', async () => {
    const { running: other } = await startTestService();
    const dataDir = temporaryFolder();
    const options = { dataDir, apiKey: undefined };
    await expect(startTestService({ ...options, port: other.port })).rejects.toMatchObject({
      code: 'PORT_IN_USE',
    });
    const next = await startTestService(options);
    expect((await next.get('/models', { Authorization: next.running.newKey! })).status).toBe(200);
  });

  test('the service makes a key at its first start even if the key file already has a key of an executor', async () => {
    const dataDir = temporaryFolder();
    await addKey(path.join(dataDir, 'keys.yaml'), 'node1', 'executor');
    const { running } = await startTestService({ dataDir, apiKey: undefined });
    expect(running.newKey).toMatch(/^[0-9a-f]{8}-/);
    expect(listKeys(path.join(dataDir, 'keys.yaml')).map(({ name }) => name)).toEqual(['node1', 'local']);
  });

  test('a key that the options give is valid only while the service runs with it, and stored keys stay valid', async () => {
    const first = await startTestService({ apiKey: undefined });
    const kept = first.running.newKey!;
    await first.close();
    const second = await startTestService({ dataDir: first.dataDir });
    expect((await second.get('/models', { Authorization: kept })).status).toBe(200);
    expect((await second.get('/models', { Authorization: KEY })).status).toBe(200);
    await second.close();
    const third = await startTestService({ dataDir: first.dataDir, apiKey: undefined });
    expect((await third.get('/models', { Authorization: kept })).status).toBe(200);
    expect((await third.get('/models', { Authorization: KEY })).status).toBe(401);
  });

  test('the database and the log of the service never contain a key or a signature', async () => {
    const lines: string[] = [];
    const log = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(chunk.toString());
        done();
      },
    });
    const service = await startTestService({ modelDirs: [EPIDEMIC], log });
    const outputs = await outputsOf(service, await service.latest('Epidemic'));
    const { hash } = JSON.parse(outputs.get('Trajectory')!) as { hash: string };
    const { body: url } = await service.get<string>(`/output-file?hash=${hash}&filename=t.csv`);
    await (await fetch(url)).text();
    const signature = new URL(url).searchParams.get('signature')!;
    await service.get<Model[]>('/models', { Authorization: 'a-wrong-key' });

    expect(lines.join('')).toContain('/files/');
    for (const secret of [KEY, signature, 'a-wrong-key']) {
      expect(lines.join('')).not.toContain(secret);
      for (const file of readdirSync(service.dataDir).filter((name) => name.startsWith('service.'))) {
        expect(readFileSync(path.join(service.dataDir, file)).includes(secret)).toBe(false);
      }
    }
  });
});
