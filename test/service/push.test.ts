import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import type { Pushed, PushRequest } from '../../src/api/extensions.ts';
import { ErrorBody } from '../../src/api/resources.ts';
import { hashOf } from '../../src/keys/hash.ts';
import { foray } from '../support/cli.ts';
import { writeCommandModel } from './command-model.ts';
import {
  KEY,
  outputsOf,
  reach,
  requestRun,
  startTestService,
  temporaryFolder,
  type TestService,
  versionsOf,
} from './support.ts';

/**
 * Writes a model that is a module. It has a data file in its folder, and code in the folder beside its folder. Its runs
 * with the input Wait wait until a file named `gate` exists in the folder.
 */
function writeModule(folder: string, factor: number): void {
  const gate = path.join(folder, 'gate');
  mkdirSync(path.join(folder, 'scale', 'data'), { recursive: true });
  mkdirSync(path.join(folder, 'lib'), { recursive: true });
  writeFileSync(path.join(folder, 'scale', 'data', 'factor.txt'), String(factor));
  writeFileSync(path.join(folder, 'lib', 'twice.ts'), 'export const twice = (n: number): number => 2 * n;');
  writeFileSync(
    path.join(folder, 'scale', 'model.ts'),
    `import { existsSync, readFileSync } from 'node:fs';
     import { setTimeout as pause } from 'node:timers/promises';
     import { Mrg32k3a } from 'foray/kernel';
     import { defineModel } from 'foray/model';
     import { twice } from '../lib/twice.ts';
     const factor = Number(readFileSync(new URL('data/factor.txt', import.meta.url), 'utf8'));
     export default defineModel({
       name: 'Scale', description: '', published: true,
       inputs: [
         { name: '{RANDOM_SEED}', type: 'LONG', default: 1 },
         { name: 'N', type: 'DOUBLE', default: 1 },
         { name: 'Wait', type: 'BOOLEAN', default: false },
       ],
       outputs: [{ name: 'Out', type: 'DOUBLE' }, { name: 'Drawn', type: 'DOUBLE' }],
       async run({ inputs, seed }) {
         while (inputs.Wait && !existsSync(${JSON.stringify(gate)})) await pause(10);
         return { Out: twice(inputs.N) * factor, Drawn: new Mrg32k3a(seed).next() };
       },
     });`,
  );
}

function pushTo({ running }: TestService, folder: string, ...flags: string[]) {
  const env = { FORAY_SERVICE_URL: running.url, FORAY_API_KEY: KEY };
  return foray(path.dirname(folder), ['models', 'push', folder, ...flags], { env });
}

test('a pushed model runs like a model in a folder; a push of changes makes a version, and earlier versions still run', async () => {
  const [folder, dataDir] = [temporaryFolder(), temporaryFolder()];
  writeModule(folder, 10);
  writeCommandModel(folder, 'Echo', 'say({ outputs: { Out: inputs.N } });');
  let service = await startTestService({ modelDirs: [], dataDir });
  const first = await pushTo(service, folder);
  expect([first.code, first.stderr]).toEqual([0, '']);
  expect(first.stdout.split('\n').sort()).toEqual([
    '',
    'Echo, version 1: 2 of 2 files uploaded',
    'Scale, version 1: 3 of 3 files uploaded',
  ]);
  const alone = await startTestService({ modelDirs: [folder] });
  const one = await service.latest('Scale');
  expect(await outputsOf(service, one, { N: 2 })).toEqual(
    await outputsOf(alone, await alone.latest('Scale'), { N: 2 }),
  );
  expect(await outputsOf(service, await service.latest('Echo'), { N: 5 })).toEqual(new Map([['Out', '5']]));

  const { body: slow } = await requestRun(service, one, { Wait: true, N: 3 });
  await reach(service, slow, 'RUNNING');
  writeModule(folder, 100);
  const second = await pushTo(service, folder, '--json');
  expect(JSON.parse(second.stdout)).toEqual(
    expect.arrayContaining([
      { name: 'Scale', version: 2, isNew: true, uploaded: 1, files: 3 },
      { name: 'Echo', version: 1, isNew: false, uploaded: 0, files: 2 },
    ]),
  );
  writeFileSync(path.join(folder, 'gate'), '');
  await reach(service, slow, 'COMPLETED');
  const two = await service.latest('Scale');
  expect((await outputsOf(service, one, { Wait: true, N: 3 })).get('Out')).toBe('60');
  expect((await outputsOf(service, one, { N: 4 })).get('Out')).toBe('80');
  expect((await outputsOf(service, two, { N: 4 })).get('Out')).toBe('800');

  await service.close();
  service = await startTestService({ modelDirs: [], dataDir });
  expect((await outputsOf(service, two, { N: 5 })).get('Out')).toBe('1000');
  // the newest version of a model without a folder is never pruned
  const { body: model } = await service.post<{ id: string }>('/models/name/', 'Scale');
  const { body } = await service.post(`/models/${model.id}/prune`, { before: '2100-01-01T00:00:00Z' });
  expect(body).toMatchObject({ pruned: [1] });
  expect((await versionsOf(service, 'Scale')).map(({ state }) => state)).toEqual(['retired', 'kept']);
});

test('a push reports the place of a mistake in a model, and then pushes no model', async () => {
  const folder = temporaryFolder();
  writeCommandModel(folder, 'Echo', 'say({ outputs: { Out: inputs.N } });');
  writeCommandModel(folder, 'Wrong', '');
  writeFileSync(path.join(folder, 'Wrong', 'model.yaml'), 'name: Wrong\ncommand: node sim.mjs\ninputs: 5\n');
  const service = await startTestService({ modelDirs: [] });
  const pushed = await pushTo(service, folder);
  expect([pushed.code, pushed.stderr]).toEqual([
    2,
    expect.stringContaining('model.yaml:1:1: "description" is missing'),
  ]);
  expect((await service.get('/models')).body).toEqual([]);
  const { code, stderr } = await pushTo(service, path.join(folder, 'nothing'));
  expect([code, stderr]).toEqual([2, expect.stringContaining('nothing')]);
});

test('a push needs the permission for the model and the upload of all its files; the service refuses an invalid push', async () => {
  const [folder, dataDir] = [temporaryFolder(), temporaryFolder()];
  writeCommandModel(folder, 'Shown', 'say({ outputs: { Out: inputs.N } });');
  const users = { ada: 'key-of-ada', bob: 'key-of-bob' };
  const keyFile = path.join(dataDir, 'keys.yaml');
  const keys = Object.entries(users).map(([user, key]) => `  ${user}: {keys: [{sha256: ${hashOf(key)}}]}`);
  writeFileSync(keyFile, `users:\n${keys.join('\n')}\n`);
  const service = await startTestService({ modelDirs: [folder], dataDir });
  const send = async <T>(pathname: string, body: string, key: string) => {
    const response = await fetch(service.running.url + pathname, {
      method: 'POST',
      headers: { Authorization: key },
      body,
    });
    return { status: response.status, body: (await response.json()) as T };
  };
  const contents: Record<string, string> = {
    'Secret/model.yaml':
      'name: Secret\ndescription: ""\ncommand: node sim.mjs\ninputs: []\noutputs: [{name: Out, type: DOUBLE}]\n',
    'Secret/sim.mjs': readFileSync(path.join(folder, 'Shown', 'sim.mjs'), 'utf8'),
  };
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const request = (changes: Partial<PushRequest> = {}): string =>
    JSON.stringify({
      folders: ['Secret'],
      entry: 'Secret/model.yaml',
      files: Object.entries(contents).map(([place, text]) => ({
        path: place,
        mode: 0o644,
        sha256: sha256(text),
      })),
      ...changes,
    });
  const pushFiles = async (key: string) => {
    for (const text of Object.values(contents))
      expect(await send('/push/file', text, key)).toEqual({ status: 200, body: sha256(text) });
  };

  // only the local user may push a new model, so bob may not even upload files for it
  expect((await send('/push/model', request(), users.bob)).status).toBe(403);
  expect((await send('/push/file', 'x', users.bob)).status).toBe(403);
  expect((await send('/push/model', request(), 'nobody')).status).toBe(401);
  const asked = await send<Pushed>('/push/model', request(), KEY);
  // a model of the same user has the other file
  const missing = [sha256(contents['Secret/model.yaml']!)];
  expect(asked.body).toEqual({ missing, pushed: null });
  await pushFiles(KEY);
  expect((await send<Pushed>('/push/model', request(), KEY)).body).toEqual({
    missing: [],
    pushed: { name: 'Secret', version: 1, isNew: true },
  });
  writeFileSync(keyFile, `users:\n${keys.join('\n')}\nmodels: {Secret: {owner: ada}, Shown: {owner: bob}}\n`);
  expect((await send<Pushed>('/push/model', request(), users.ada)).body).toMatchObject({
    pushed: { version: 1, isNew: false },
  });
  // a permission for one model gives no access to the files of another model
  expect((await send<Pushed>('/push/model', request(), users.bob)).body).toEqual({ missing, pushed: null });

  const named = (place: string) => [{ path: place, mode: 0o644, sha256: sha256('') }];
  for (const [changes, code] of [
    [{ entry: '../model.yaml' }, 'INVALID_BODY'],
    [{ entry: 'Secret/sim.mjs' }, 'INVALID_BODY'],
    [{ folders: ['..'], entry: '../model.yaml', files: named('../model.yaml') }, 'INVALID_BODY'],
    [{ files: named('Secret/../../model.yaml') }, 'INVALID_BODY'],
    [{ files: named('/etc/passwd') }, 'INVALID_BODY'],
    [{ files: [...named('Secret/model.yaml'), ...named('Secret/model.yaml/x')] }, 'INVALID_BODY'],
    [{ files: [...named('Secret/model.yaml'), ...named('Secret/model.yaml')] }, 'INVALID_BODY'],
  ] as const) {
    const { body } = await send('/push/model', request(changes as Partial<PushRequest>), users.ada);
    expect([changes, ErrorBody.parse(body).code]).toEqual([changes, code]);
  }
  // the files say the name of the model, so a push of other files under it is a push of another model
  const declared = contents['Secret/model.yaml']!;
  for (const [name, user, status, code] of [
    ['Another', users.ada, 403, 'NOT_PERMITTED'],
    ['Shown', users.ada, 403, 'NOT_PERMITTED'],
    ['Shown', users.bob, 409, 'MODEL_IN_FOLDER'],
  ] as const) {
    contents['Secret/model.yaml'] = declared.replace('name: Secret', `name: ${name}`);
    await pushFiles(user);
    const { body } = await send('/push/model', request(), user);
    expect([name, ErrorBody.parse(body)]).toEqual([name, expect.objectContaining({ status, code })]);
  }
  contents['Secret/model.yaml'] =
    'name: Secret\ndescription: A\ncommand: node sim.mjs\noutputs: []\ninputs: [{name: __proto__, type: DOUBLE, default: 1}]\n';
  await pushFiles(users.ada);
  const unusable = await send('/push/model', request(), users.ada);
  expect(ErrorBody.parse(unusable.body).message).toContain('an input "__proto__"');
  contents['Secret/model.yaml'] = 'name: Secret\ninputs: 5\n';
  await pushFiles(users.ada);
  const broken = await send('/push/model', request(), users.ada);
  expect(ErrorBody.parse(broken.body)).toMatchObject({
    code: 'MODEL_REFUSED',
    place: { file: 'model.yaml', line: 1, column: 1 },
  });
  expect(ErrorBody.parse(broken.body).message).not.toContain(dataDir);
});
