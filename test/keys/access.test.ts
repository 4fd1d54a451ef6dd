import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { Foray } from '../../src/client/index.ts';
import { revokeKeys } from '../../src/keys/edit.ts';
import { hashOf } from '../../src/keys/hash.ts';
import type { KeyRole } from '../../src/keys/roles.ts';
import { type Server, startServer } from '../../src/server/app.ts';
import { KeysOfFile, type Role } from '../../src/server/keys.ts';
import { type RunningService, startService } from '../../src/service/service.ts';
import { ask as send } from '../server/support.ts';
import { clientOf, reach, requestRun, simulation, writeModel } from '../service/support.ts';
import { report } from '../support/seeds.ts';
import { withoutServers } from '../support/without-servers.ts';

/**
 * Who may use each operation of both servers, with a key in each state. The operations are those of the OpenAPI documents
 * that the servers send, so an operation without a rule here fails the test.
 */

/** The least number of checks. */
const LEAST = 490;

/** What a caller may do: the operation itself answers; or the status of the refusal. */
type Outcome = 'through' | 401 | 403 | 404;

/** Who may use an operation of the model service, besides that a key of a user is needed. */
type ServiceRule =
  /** Every user. */
  | 'users'
  /** Users of the model. For others, the model does not exist. */
  | 'of the model'
  /** The owner and the developers of the model. For users without any permission, the model does not exist. */
  | 'changes the model'
  /** The owner and the developers of the model. */
  | 'pushes';

const serviceRules: Record<string, ServiceRule> = {
  listModels: 'users',
  getModel: 'of the model',
  getModelByName: 'of the model',
  getVersion: 'of the model',
  getVersionByNumber: 'of the model',
  getVersionCode: 'of the model',
  getAllowedValues: 'of the model',
  listVersions: 'of the model',
  listExperiments: 'of the model',
  requestRun: 'of the model',
  stopRun: 'of the model',
  findRun: 'of the model',
  getProgress: 'of the model',
  getRunLog: 'of the model',
  getRunResults: 'of the model',
  getResults: 'of the model',
  startAnimation: 'of the model',
  pruneVersions: 'changes the model',
  pushModel: 'pushes',
  pushFile: 'pushes',
  getOutputFileUrl: 'users',
  checkFile: 'users',
  uploadFile: 'users',
  listExecutors: 'users',
};

/** Who may use an operation of foray's own server. */
const serverRules: Record<string, 'anyone' | Role> = {
  health: 'anyone',
  openApi: 'read',
  listModels: 'read',
  getModel: 'read',
  pushModel: 'develop',
  pushFile: 'develop',
  plan: 'read',
  listCampaigns: 'read',
  createCampaign: 'steer',
  putCampaign: 'steer',
  getCampaign: 'read',
  deleteCampaign: 'steer',
  getDefinition: 'read',
  putDefinition: 'steer',
  listRuns: 'read',
  getPoint: 'read',
  listFailures: 'read',
  listFlights: 'read',
  getStory: 'read',
  analyze: 'read',
  listColumns: 'read',
  resultsCsv: 'read',
  resultsJsonl: 'read',
  resultsParquet: 'read',
  getReport: 'read',
  listFigures: 'read',
  getFigure: 'read',
  events: 'read',
  pause: 'steer',
  resume: 'steer',
  stop: 'steer',
  cancel: 'steer',
  retry: 'steer',
  setConcurrency: 'steer',
  compare: 'read',
};

/** Users of the key file, with the role of their key. Only the service has models. */
const users: Record<string, KeyRole> = {
  owner: 'steer',
  developer: 'develop',
  user: 'steer',
  stranger: 'steer',
  reader: 'read',
  executor: 'executor',
  'revoked-steer': 'steer',
  'revoked-read': 'read',
  'removed-steer': 'steer',
};
const keyOf = (user: string): string => `${user}-0123456789`;
const keyFile = (names: string[], models: object): string =>
  stringify({
    users: Object.fromEntries(
      names.map((name) => [name, { keys: [{ sha256: hashOf(keyOf(name)), role: users[name] }] }]),
    ),
    models,
  });

interface Operation {
  name: string;
  method: string;
  path: string;
  role?: string;
}
const checked = new Set<string>();
const folder = mkdtempSync(join(tmpdir(), 'foray-access-'));
const settings = withoutServers(`sqlite:${join(folder, 'store.db')}`);
const keyFiles = { service: join(folder, 'service.yaml'), server: join(folder, 'server.yaml') };
let foray: Foray;
let server: Server;
let service: RunningService;
/** The parts of addresses at the service, by the name of their parameter. */
let segments: Record<string, string> = {};
let file = '';
/** Cookies of log-ins by user. */
const cookies = new Map<string, string>();

const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
async function logIn(user: string): Promise<void> {
  const answer = await send(`${server.url}/login`, {
    method: 'POST',
    headers: form,
    body: `key=${keyOf(user)}`,
  });
  cookies.set(user, String(answer.headers['set-cookie']).split(';', 1)[0]!);
}

beforeAll(async () => {
  writeModel(
    join(folder, 'models'),
    'secret',
    `export default {
      name: 'Secret', description: '', inputs: [{ name: 'x', type: 'DOUBLE', default: 1 }],
      outputs: [{ name: 'y', type: 'DOUBLE' }], run: ({ inputs }) => ({ y: inputs.x }),
    };`,
  );
  const rights = { Secret: { owner: 'owner', developers: ['developer'], users: ['user'] } };
  const all = Object.keys(users);
  writeFileSync(keyFiles.service, keyFile(all, rights), { mode: 0o600 });
  writeFileSync(keyFiles.server, keyFile(all, {}), { mode: 0o600 });
  mkdirSync(join(folder, 'data'));
  service = await startService({
    dataDir: join(folder, 'data'),
    modelDirs: [join(folder, 'models')],
    executors: 1,
    apiKey: undefined,
    keyFile: keyFiles.service,
  });
  foray = await Foray.open(settings);
  server = await startServer({ foray, settings, keys: new KeysOfFile(keyFiles.server, () => undefined) });

  const as = { Authorization: keyOf('owner') };
  const client = clientOf(service.url);
  const owner = {
    get: <T>(at: string) => client.get<T>(at, as),
    post: <T>(at: string, body: unknown) => client.post<T>(at, body, as),
  };
  const { body: model } = await owner.post<{ id: string; modelVersions: string[] }>(
    '/models/name/',
    'Secret',
  );
  const versionId = model.modelVersions[0]!;
  const { body: run } = await requestRun(owner, versionId);
  await reach(owner, run, 'COMPLETED');
  segments = { modelId: model.id, versionId, runId: run.id, number: '1' };
  const uploaded = await fetch(`${service.url}/upload-file`, { method: 'POST', headers: as, body: 'x' });
  file = (await uploaded.json()) as string;

  for (const user of ['user', 'developer', 'reader', 'revoked-steer', 'removed-steer', 'stranger'])
    await logIn(user);
  await send(`${server.url}/logout`, {
    method: 'POST',
    headers: { ...form, cookie: cookies.get('stranger')! },
  });
  const left = all.filter((name) => name !== 'removed-steer');
  writeFileSync(keyFiles.service, keyFile(left, rights));
  writeFileSync(keyFiles.server, keyFile(left, {}));
  for (const path of Object.values(keyFiles))
    for (const user of ['revoked-steer', 'revoked-read']) await revokeKeys(path, user);
});
afterAll(async () => {
  await service.close();
  await server.close();
  await foray.close();
  rmSync(folder, { recursive: true });
  report(`access: ${checked.size} different checks`);
});

/** The operations of an OpenAPI document. */
async function operationsAt(url: string, headers: Record<string, string> = {}): Promise<Operation[]> {
  const document = (await (await fetch(url, { headers })).json()) as {
    paths: Record<string, Record<string, { operationId: string; 'x-role'?: string }>>;
  };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: name, 'x-role': role }]) => ({
      name,
      path,
      method: method.toUpperCase(),
      ...(role !== undefined && { role }),
    })),
  );
}

/** Checks an outcome, and counts the check. Returns what is wrong, if anything is. */
function verdict(what: string, expected: Outcome, status: number): string[] {
  checked.add(what);
  const isRight = expected === 'through' ? ![401, 403, 404, 405].includes(status) : status === expected;
  return isRight ? [] : [`${what}: ${status} instead of ${expected}`];
}

/** Who asks the service: the header Authorization, and for users of the model the name. */
const serviceCallers: Record<string, { authorization?: string; user?: string }> = {
  'no key': {},
  'an empty key': { authorization: '' },
  'the word Bearer alone': { authorization: 'Bearer' },
  'an unknown key': { authorization: 'unknown-0123456789' },
  'the hash of a key': { authorization: hashOf(keyOf('owner')) },
  'a key with one character more': { authorization: `${keyOf('owner')}0` },
  'a key that was revoked': { authorization: keyOf('revoked-steer') },
  'a key that was removed from the file': { authorization: `Bearer ${keyOf('removed-steer')}` },
  'a key that may only read campaigns': { authorization: keyOf('reader') },
  'a key of an executor': { authorization: `Bearer ${keyOf('executor')}` },
  'the owner': { authorization: keyOf('owner'), user: 'owner' },
  'a developer': { authorization: `Bearer ${keyOf('developer')}`, user: 'developer' },
  'a user': { authorization: keyOf('user'), user: 'user' },
  'a stranger': { authorization: keyOf('stranger'), user: 'stranger' },
};

function serviceOutcome(rule: ServiceRule, user: string | undefined): Outcome {
  if (user === undefined) return 401;
  if (rule === 'users' || user === 'owner' || user === 'developer') return 'through';
  if (rule === 'of the model') return user === 'user' ? 'through' : 404;
  if (rule === 'pushes') return 403;
  return user === 'user' ? 403 : 404;
}

/** A request to the service that would succeed for the owner. */
function serviceRequest({ name, method, path }: Operation): { at: string; body?: string } {
  const at = path.replaceAll(/\{(\w+)\}/g, (_, segment: string) => segments[segment]!);
  const pushed = { folders: ['secret'], entry: 'model.js', files: [PUSHED] };
  const special: Record<string, { query?: string; body?: unknown }> = {
    getModelByName: { body: 'Secret' },
    getOutputFileUrl: { query: `?hash=${file}&filename=f` },
    checkFile: { query: `?hash=${file}` },
    getRunResults: { body: [] },
    pruneVersions: { body: { keep: 1 } },
    pushModel: { body: pushed },
  };
  const { query = '', body = { ...simulation({}), outputs: [] } } = special[name] ?? {};
  return { at: at + query, ...(method === 'POST' && { body: JSON.stringify(body) }) };
}
const PUSHED = { path: 'secret/model.js', mode: 0o644, sha256: hashOf('x') };

test('each operation of the model service is open to exactly the callers that its rule names', async () => {
  const operations = await operationsAt(`${service.url}/openapi.json`);
  expect(operations.map(({ name }) => name).toSorted()).toEqual(Object.keys(serviceRules).toSorted());
  const wrong: string[] = [];
  for (const operation of operations) {
    const { at, body } = serviceRequest(operation);
    for (const [who, { authorization, user }] of Object.entries(serviceCallers)) {
      const { status } = await send(service.url + at, {
        method: operation.method,
        headers: authorization === undefined ? {} : { authorization },
        ...(body !== undefined && { body }),
      });
      const outcome = serviceOutcome(serviceRules[operation.name]!, user);
      wrong.push(...verdict(`service, ${operation.name}, ${who}`, outcome, status));
    }
  }
  expect(wrong).toEqual([]);
});

/** Who asks foray's own server, and the role of the key or of the log-in. */
const serverCallers: Record<string, { headers: () => Record<string, string>; role?: Role }> = {
  'no key': { headers: () => ({}) },
  'an empty key': { headers: () => ({ authorization: '' }) },
  'an unknown key': { headers: () => bearer('unknown') },
  'a key without the word Bearer': { headers: () => ({ authorization: keyOf('user') }) },
  'the hash of a key': { headers: () => ({ authorization: `Bearer ${hashOf(keyOf('user'))}` }) },
  'a key that was revoked': { headers: () => bearer('revoked-steer') },
  'a reading key that was revoked': { headers: () => bearer('revoked-read') },
  'a key that was removed from the file': { headers: () => bearer('removed-steer') },
  'a key of an executor': { headers: () => bearer('executor') },
  'a log-in whose key was revoked': { headers: () => loggedIn('revoked-steer') },
  'a log-in whose key was removed': { headers: () => loggedIn('removed-steer') },
  'a log-in that was ended': { headers: () => loggedIn('stranger') },
  'a valid log-in, with a wrong key': { headers: () => ({ ...loggedIn('user'), ...bearer('unknown') }) },
  'a reader': { headers: () => bearer('reader'), role: 'read' },
  'a logged-in reader': { headers: () => loggedIn('reader'), role: 'read' },
  'a user': { headers: () => bearer('user'), role: 'steer' },
  'a logged-in user': { headers: () => loggedIn('user'), role: 'steer' },
  'a developer': { headers: () => bearer('developer'), role: 'develop' },
  'a logged-in developer': { headers: () => loggedIn('developer'), role: 'develop' },
};
function bearer(user: string): Record<string, string> {
  return { authorization: `Bearer ${keyOf(user)}` };
}
function loggedIn(user: string): Record<string, string> {
  return { cookie: cookies.get(user)!, 'sec-fetch-site': 'same-origin' };
}

function serverOutcome(rule: 'anyone' | Role, role: Role | undefined): Outcome {
  if (rule === 'anyone') return 'through';
  if (role === undefined) return 401;
  const order: Role[] = ['read', 'steer', 'develop'];
  return order.indexOf(role) < order.indexOf(rule) ? 403 : 'through';
}

test("each operation of foray's own server is open to exactly the callers that its rule names", async () => {
  const operations = await operationsAt(`${server.url}/api/v1/openapi.json`, bearer('reader'));
  expect(Object.fromEntries(operations.map(({ name, role }) => [name, role]))).toEqual(serverRules);
  const wrong: string[] = [];
  for (const { name, method, path } of operations) {
    const at = `${server.url}/api/v1${path.replaceAll(/\{\w+\}/g, 'x')}?a=x&b=x`;
    await Promise.all(
      Object.entries(serverCallers).map(async ([who, { headers, role }]) => {
        // a change without a key and from no page is refused for this reason
        const { status } = await send(at, { method, headers: { 'sec-fetch-site': 'none', ...headers() } });
        const outcome = serverOutcome(serverRules[name]!, role);
        // the campaign "x" does not exist
        const found = status === 404 && outcome === 'through' ? 200 : status;
        wrong.push(...verdict(`server, ${name}, ${who}`, outcome, found));
      }),
    );
  }
  expect(wrong).toEqual([]);
});

test(`there are at least ${LEAST} different checks`, () => {
  expect(checked.size).toBeGreaterThanOrEqual(LEAST);
});
