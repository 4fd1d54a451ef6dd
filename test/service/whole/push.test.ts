import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, request as requestTo } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { foray } from '../../support/cli.ts';
import { writeCommandModel } from '../command-model.ts';
import {
  KEY,
  onCleanup,
  startTestService,
  temporaryFolder,
  type TestService,
  versionsOf,
} from '../support.ts';

function pushTo({ running }: TestService, folder: string, ...flags: string[]) {
  const env = { FORAY_SERVICE_URL: running.url, FORAY_API_KEY: KEY };
  return foray(path.dirname(folder), ['models', 'push', folder, ...flags], { env });
}

test('a push fails and asks for the address of one replica if its files reach another service three times', async () => {
  const folder = temporaryFolder();
  writeCommandModel(folder, 'Scale', 'say({ outputs: { Out: inputs.N } });');
  const [service, other] = [
    await startTestService({ modelDirs: [] }),
    await startTestService({ modelDirs: [] }),
  ];
  // the files of this many rounds reach the other service
  let lost = Infinity;
  let rounds = 0;
  const proxy = createServer((request, response) => {
    const isFile = request.url!.includes('/push/file');
    if (!isFile) rounds += 1;
    const { origin } = new URL((isFile && rounds <= lost ? other : service).running.url);
    const { method, headers } = request;
    const passed = requestTo(`${origin}${request.url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
  });
  onCleanup(() => void proxy.close());
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(service.running.url);
  url.port = String((proxy.address() as AddressInfo).port);
  const env = { FORAY_SERVICE_URL: url.href, FORAY_API_KEY: KEY };
  const { code, stderr } = await foray(folder, ['models', 'push', folder], { env });
  expect([code, stderr]).toEqual([2, expect.stringContaining('push to the address of one replica')]);
  [lost, rounds] = [2, 0];
  expect((await foray(folder, ['models', 'push', folder], { env })).stdout).toContain('Scale, version 1');
});

test('many pushes of one user at once all land', async () => {
  const root = temporaryFolder();
  const service = await startTestService({ modelDirs: [] });
  const names = ['Ada', 'Bob'];
  for (const name of names) {
    writeCommandModel(path.join(root, name), name, 'say({ outputs: { Out: inputs.N } });');
    writeFileSync(path.join(root, name, name, 'shared.txt'), 'the same content in all models');
    writeFileSync(path.join(root, name, name, 'own.txt'), name);
  }
  const both = await Promise.all([...names, ...names].map((name) => pushTo(service, path.join(root, name))));
  expect(both.map(({ code, stderr }) => [code, stderr])).toEqual(both.map(() => [0, '']));
  for (const name of names)
    expect((await versionsOf(service, name)).map(({ version }) => version)).toEqual([1]);
});
