import { randomUUID } from 'node:crypto';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import type { Endpoint } from '../../src/api/endpoints.ts';
import { allEndpoints } from '../../src/api/extensions.ts';
import { ErrorBody, type Model, type Run } from '../../src/api/resources.ts';
import type { ForayError } from '../../src/errors.ts';
import { Access } from '../../src/service/access.ts';
import { addKey, revokeKeys } from '../../src/keys/edit.ts';
import { hashOf } from '../../src/keys/hash.ts';
import {
  KEY,
  reach,
  REHEARSAL,
  simulation,
  startTestService,
  temporaryFolder,
  type TestService,
  writeModel,
} from './support.ts';

const routes = Object.values(allEndpoints as Record<string, Endpoint>).flatMap((endpoint) =>
  [endpoint, ...(endpoint.older ? [endpoint.older] : [])].map(({ method, path }) => ({ method, path })),
);
/** Routes of a model or a version. Users need a permission for them. */
const guarded = routes.filter(({ path: route }) => /:(modelId|versionId)/.test(route));

/** The model `secret` belongs to ada. bob may develop it, carol may use it, and dave has no permission. */
const users = ['ada', 'bob', 'carol', 'dave'] as const;
type User = (typeof users)[number];

interface Protected {
  service: TestService;
  keyFile: string;
  keys: Record<User, string>;
  model: Model;
  version: string;
  /** A completed run that ada requested. */
  run: Run;
}

async function startProtected(): Promise<Protected> {
  const folder = temporaryFolder();
  const models = path.join(folder, 'models');
  writeModel(
    models,
    'secret',
    `export default {
      name: 'Secret', description: '', inputs: [{ name: 'x', type: 'DOUBLE', default: 1 }],
      outputs: [{ name: 'y', type: 'DOUBLE' }], run: ({ inputs }) => ({ y: inputs.x }),
    };`,
  );
  const keyFile = path.join(folder, 'keys.yaml');
  const secret = { owner: 'ada', developers: ['bob'], users: ['carol'] };
  const all = Object.fromEntries(users.map((user) => [user, {}]));
  writeFileSync(keyFile, stringify({ users: all, models: { secret } }));
  const keys = {} as Record<User, string>;
  // one after another, because a change waits only some seconds for another change
  for (const user of users) keys[user] = await addKey(keyFile, user);
  const service = await startTestService({
    modelDirs: [REHEARSAL, models],
    apiKey: undefined,
    keyFile,
  });
  const as = { Authorization: keys.ada };
  const { body: model } = await service.post<Model>('/models/name/', 'secret', as);
  const version = model.modelVersions[0]!;
  const { body: run } = await service.post<Run>(`/versions/${version}/runs`, simulation({}), as);
  const ada = {
    get: <T>(at: string) => service.get<T>(at, as),
    post: <T>(at: string, body: unknown) => service.post<T>(at, body, as),
  };
  await reach(ada, run, 'COMPLETED');
  return { service, keyFile, keys, model, version, run };
}

/**
 * Returns a request to a route. A user with the permission for the route gets no error, or only an error about the
 * content of the request.
 */
function request({ model, version, run }: Protected, { method, path: route }: (typeof routes)[number]) {
  const filled: Record<string, string> = {
    ':modelId': model.id,
    ':versionId': version,
    ':runId': run.id,
    ':number': '1',
    ':name': 'Secret',
  };
  const body = route.endsWith(':runId')
    ? '[]'
    : route.endsWith('/prune')
      ? '{"keep": 1}'
      : JSON.stringify({ ...simulation({}), outputs: '[]' });
  return {
    at: route.replaceAll(/:\w+/g, (segment) => filled[segment]!),
    init: { method, ...(method === 'POST' && { body: /name\/?/.test(route) ? '"Secret"' : body }) },
  };
}

async function ask(on: Protected, route: (typeof routes)[number], headers: Record<string, string>) {
  const { at, init } = request(on, route);
  const response = await fetch(`${on.service.running.url}${at}`, { ...init, headers });
  return { status: response.status, body: await response.json() };
}

describe('every route', () => {
  test('refuses requests without a key, with a wrong key and with a revoked key', async () => {
    const on = await startProtected();
    await revokeKeys(on.keyFile, 'bob');
    const refused = [
      {},
      ...['wrong', 'Bearer wrong', 'Bearer', on.keys.bob, KEY].map((Authorization) => ({ Authorization })),
    ];
    for (const route of routes) {
      for (const headers of refused) {
        const { status, body } = await ask(on, route, headers);
        expect([route, headers, status, ErrorBody.parse(body).code]).toEqual([
          route,
          headers,
          401,
          'KEY_REFUSED',
        ]);
      }
    }
  });

  test('of a model or a version answers a user without permission as if the model did not exist', async () => {
    const on = await startProtected();
    expect(guarded).toHaveLength(17);
    for (const route of [...guarded, ...routes.filter(({ path: route }) => route.includes('/name'))]) {
      const { status, body } = await ask(on, route, { Authorization: on.keys.dave });
      expect([route, status, ErrorBody.parse(body).code]).toEqual([
        route,
        404,
        route.path.startsWith('/models') ? 'UNKNOWN_MODEL' : 'UNKNOWN_VERSION',
      ]);
      if (route.path.includes('/name')) continue;
      // an unknown id gives the same message
      const unknown = randomUUID();
      const elsewhere = { ...on, model: { ...on.model, id: unknown }, version: unknown };
      const nobody = ErrorBody.parse((await ask(elsewhere, route, { Authorization: on.keys.ada })).body);
      const asked = route.path.startsWith('/models') ? on.model.id : on.version;
      expect(ErrorBody.parse(body).message).toBe(nobody.message.replace(unknown, asked));
    }
  });

  test('of a model or a version accepts the owner, developers and users of the model, but users may not prune versions', async () => {
    const on = await startProtected();
    for (const user of ['ada', 'bob', 'carol'] as const) {
      for (const route of guarded) {
        const { status } = await ask(on, route, { Authorization: on.keys[user] });
        const isRefused = user === 'carol' && route.path.endsWith('/prune');
        // the model has no animation, so the request for an animation fails for another reason
        const isFine =
          status === (isRefused ? 403 : 200) ||
          (route.path.endsWith('/animation') && ![401, 404].includes(status));
        expect([user, route, status, isFine]).toEqual([user, route, status, true]);
      }
    }
  });
});

describe('models', () => {
  test('are listed for users who may use them; published models are listed for all users', async () => {
    const on = await startProtected();
    for (const user of users) {
      const { body } = await on.service.get<Model[]>('/models', { Authorization: on.keys[user] });
      const names = body.map(({ name }) => name);
      expect([user, names.includes('Secret')]).toEqual([user, user !== 'dave']);
      expect(names).toContain('Rehearsal');
    }
  });

  test('belong to the local user if the key file does not name them', async () => {
    const folder = temporaryFolder();
    writeModel(
      folder,
      'own',
      "export default { name: 'Own', description: '', inputs: [], outputs: [], run: () => ({}) };",
    );
    const service = await startTestService({ modelDirs: [folder] });
    expect((await service.get<Model[]>('/models')).body.map(({ name }) => name)).toEqual(['Own']);
    const ada = await addKey(path.join(service.dataDir, 'keys.yaml'), 'ada');
    expect((await service.get<Model[]>('/models', { Authorization: ada })).body).toEqual([]);
  });

  test('have the permissions of a changed key file from the next request on', async () => {
    const on = await startProtected();
    const text = readFileSync(on.keyFile, 'utf8');
    const get = (user: User) => on.service.get(`/models/${on.model.id}`, { Authorization: on.keys[user] });
    writeFileSync(on.keyFile, text.replace('- carol', '- dave'));
    expect([(await get('carol')).status, (await get('dave')).status]).toEqual([404, 200]);
  });
});

describe('a user', () => {
  test('may have several keys, of which one can be revoked; all users of a version share its runs', async () => {
    const on = await startProtected();
    const second = await addKey(on.keyFile, 'carol');
    for (const Authorization of [on.keys.carol, second, on.keys.bob]) {
      const { body } = await on.service.post<Run>(`/versions/${on.version}/runs`, simulation({}), {
        Authorization,
      });
      expect(body.id).toBe(on.run.id);
    }
    expect(await revokeKeys(on.keyFile, 'carol', hashOf(on.keys.carol).slice(0, 8))).toBe(1);
    const { status } = await on.service.get('/models', { Authorization: on.keys.carol });
    expect([status, (await on.service.get('/models', { Authorization: second })).status]).toEqual([401, 200]);
  });
});

describe('the key file', () => {
  function errorOf(content: string): ForayError {
    const file = path.join(temporaryFolder(), 'keys.yaml');
    writeFileSync(file, content);
    const models = () => ['Rehearsal'];
    try {
      new Access({ file, required: true, localKey: undefined, models, onFault() {} });
    } catch (error) {
      expect(error).toMatchObject({ code: 'KEYS_INVALID' });
      return error as ForayError;
    }
    throw new Error(`the key file was not refused: ${content}`);
  }

  const refused = (content: string): string =>
    errorOf(content)
      .toLine()
      .replace(/^.*(?=keys\.yaml)/, '');

  test('that has a mistake is refused; the error gives the place of the mistake', () => {
    const hash = hashOf('a key');
    expect(refused('users: [')).toMatch(/^keys\.yaml:1:\d+: .*neither YAML nor JSON/);
    expect(refused('users:\n  ada:\n    keys:\n      - sha256: the-key\n')).toMatch(
      /^keys\.yaml:4:17: .*the SHA-256 of a key is expected/,
    );
    expect(refused('users: {}\nuser: {}')).toMatch(/^keys\.yaml:2:1: .*this name is unknown/);
    expect(refused('users: {"a b": {}}')).toMatch(/^keys\.yaml:1:9: .*a name has letters/);
    expect(
      refused(`users:\n  ada: { keys: [{ sha256: ${hash} }] }\n  bob: { keys: [{ sha256: ${hash} }] }`),
    ).toMatch(/^keys\.yaml:3:\d+: .*appears twice/);
    expect(refused('users: {ada: {}}\nmodels:\n  Rehearsal:\n    users: [ada, bbo]')).toMatch(
      /^keys\.yaml:4:18: The key file has no user of this name/,
    );
    expect(refused('models:\n  Rehersal: {}')).toMatch(/^keys\.yaml:2:3: The service has no model/);
    expect(refused('models: {Rehearsal: {}, " rehearsal": {}}')).toContain('appears twice');
    expect(refused('users: &a {ada: *b}')).toContain('key file');
  });

  test.each([
    'KEY: {}',
    'users: KEY',
    'users: {KEY: 1}',
    'users: {KEY: {keys: [1]}}',
    'users: {"KEY ": {}}',
    'users: {ada: KEY}',
    'users: {ada: {KEY: 1}}',
    'users: {ada: {keys: [KEY]}}',
    'users: {ada: {keys: [{KEY: 1}]}}',
    'users: {ada: {keys: [{sha256: KEY}]}}',
    '{"users": {"ada": {"keys": [{"sha256": "KEY"}]}}}',
    'users: {KEY: {}, KEY: {}}',
    'users: [KEY',
    'models: {KEY: {}}',
    'models: {Rehearsal: {owner: KEY}}',
    'models: {Rehearsal: {users: [KEY]}}',
  ])('with a key at the wrong place is refused, and the error does not contain the key: %s', (text) => {
    const key = randomUUID();
    expect(inspect(errorOf(text.replaceAll('KEY', key)))).not.toContain(key);
  });

  test('must exist if the options name it', async () => {
    const keyFile = path.join(temporaryFolder(), 'keys.yaml');
    const starting = startTestService({ keyFile, apiKey: undefined });
    await expect(starting).rejects.toMatchObject({
      code: 'KEYS_INVALID',
      message: expect.stringContaining(keyFile),
    });
  });

  test('that becomes invalid gives access only to the keys that are still in it, with their earlier permissions', async () => {
    const on = await startProtected();
    const status = async (who: 'ada' | 'bob') =>
      (await on.service.get('/models', { Authorization: on.keys[who] })).status;
    const text = readFileSync(on.keyFile, 'utf8');
    writeFileSync(on.keyFile, `${text}\nnonsense: [\n`);
    expect([await status('ada'), await status('bob')]).toEqual([200, 200]);
    writeFileSync(on.keyFile, `${text.replaceAll(hashOf(on.keys.bob), '')}\nnonsense: [\n`);
    expect([await status('ada'), await status('bob')]).toEqual([200, 401]);
    writeFileSync(on.keyFile, 'users: {}');
    expect(await status('ada')).toBe(401);
  });

  test('keeps comments, order and permissions when a key is added', async () => {
    const keyFile = path.join(temporaryFolder(), 'keys.yaml');
    writeFileSync(keyFile, '# ours\nusers:\n  zoe: {} # away\nmodels: {}\n');
    chmodSync(keyFile, 0o640);
    await addKey(keyFile, 'ada');
    expect(readFileSync(keyFile, 'utf8')).toMatch(/^# ours\nusers:\n {2}zoe: \{\} # away\n {2}ada:\n/);
    expect(statSync(keyFile).mode & 0o777).toBe(0o640);
  });
});
