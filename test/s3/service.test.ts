import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ContentFiles } from '../../src/service/files/content.ts';
import { filesIn } from '../../src/service/files/open.ts';
import { readS3Address, takeS3Credentials } from '../../src/service/files/s3-address.ts';
import { moveService } from '../../src/service/move/move.ts';
import { startService } from '../../src/service/service.ts';
import { writeCommandModel } from '../service/command-model.ts';
import { hashOf } from '../service/signed-suite.ts';
import {
  clientOf,
  healthOf,
  KEY,
  onCleanup,
  outputsOf,
  reach,
  requestRun,
  startTestService,
  stateOf,
  temporaryFolder,
  type TestService,
  until,
  upload,
} from '../service/support.ts';
import { MAIN } from '../support/program.ts';
import { S3_KEY, type S3Server, startS3 } from '../support/s3.ts';

/** Tests a service whose files are in an S3-compatible store. */

let server: S3Server;
let models: string;

beforeAll(async () => {
  server = await startS3();
});
afterAll(() => server.remove());
beforeEach(() => {
  models = temporaryFolder();
  writeCommandModel(
    models,
    'Files',
    `writeFileSync('out.txt', 'of ' + inputs.N + ': ' + (inputs.File ? readFileSync(inputs.File, 'utf8') : ''));
     writeFileSync('environment.txt', JSON.stringify(process.env));
     say({ outputs: { Out: inputs.N, Text: 'out.txt', Environment: 'environment.txt' } });`,
    ['Out: DOUBLE', 'Text: OUTPUT_FILE', 'Environment: OUTPUT_FILE'],
  );
});

const start = (): Promise<TestService> => startTestService({ modelDirs: [models], s3: server.place });

/** The content of an output file, as a client gets it. */
async function contentOf(service: Pick<TestService, 'get'>, output: string): Promise<string> {
  const { hash, localPath } = JSON.parse(output) as { hash: string; localPath: string };
  const query = new URLSearchParams({ hash, filename: localPath }).toString();
  const { body: address } = await service.get<string>(`/output-file?${query}`);
  expect(new URL(address).origin).toBe(server.endpoint);
  const content = await (await fetch(address)).text();
  expect(hashOf(content)).toBe(hash);
  return content;
}

test('files of clients and runs are in the bucket, and every service with this bucket can use them; missing and damaged files are refused as without a bucket', async () => {
  const [one, two] = [await start(), await start()];
  const { status, body: File } = await upload(one, 'content');
  expect([status, File]).toEqual([200, hashOf('content')]);
  expect((await two.get(`/files/${File}`)).status).toBe(404);
  const version = await two.latest('Files');
  const outputs = await outputsOf(two, version, { N: 3, File });
  expect(await contentOf(one, outputs.get('Text')!)).toBe('of 3: content');
  expect(server.files()).toContain(File);

  const refused = await requestRun(two, version, { N: 1, File: hashOf('nowhere') });
  expect([refused.status, refused.body]).toEqual([400, expect.objectContaining({ code: 'INVALID_VALUE' })]);
  const missing = await two.get(`/output-file?hash=${hashOf('nowhere')}&filename=a`);
  expect([missing.status, missing.body]).toEqual([404, expect.objectContaining({ code: 'UNKNOWN_FILE' })]);

  // a model never gets a file that is damaged in the bucket
  const { body: damaged } = await upload(one, 'undamaged');
  writeFileSync(server.pathOf(damaged), 'damaged!!');
  const { body: run } = await requestRun(two, version, { N: 5, File: damaged });
  await until(
    async () => (await healthOf(two.running.url)).status === 'degraded' || undefined,
    'a degraded status',
  );
  expect(['FRESH', 'RUNNING']).toContain((await stateOf(two, run)).status);
  // an upload replaces the damaged file
  await upload(one, 'undamaged');
  await reach(two, run, 'COMPLETED');
});

test('a service does not start without the bucket of its earlier files, or with a bucket that lacks them', async () => {
  const dataDir = temporaryFolder();
  const service = await startTestService({ dataDir });
  const { body: File } = await upload(service, 'of an earlier time');
  await service.close();
  const { place } = server;
  await expect(startTestService({ dataDir, s3: place })).rejects.toMatchObject({
    code: 'STORE_UNUSABLE',
    message: `The data folder ${dataDir} has files that the bucket does not have.`,
  });
  await moveService({ dataDir, s3: place });
  // a start that fails does not use the bucket yet
  const other = await startTestService({});
  const port = Number(new URL(other.running.url).port);
  await expect(startTestService({ dataDir, s3: place, port })).rejects.toMatchObject({ code: 'PORT_IN_USE' });
  await other.close();
  await (await startTestService({ dataDir })).close();
  const moved = await startTestService({ dataDir, s3: place });
  expect((await moved.get<boolean>(`/check-file?hash=${File}`)).body).toBe(true);
  await moved.close();
  await expect(startTestService({ dataDir })).rejects.toMatchObject({
    code: 'STORE_UNUSABLE',
    message: `The service keeps its files in the bucket ${place.bucket.url}.`,
    hint: 'Start "foray service" with this bucket (--files).',
  });
});

test('a service does not start with another bucket until this bucket has the files', async () => {
  const dataDir = temporaryFolder();
  const service = await startTestService({ dataDir, modelDirs: [models], s3: server.place });
  await outputsOf(service, await service.latest('Files'), { N: 1 });
  await service.close();
  const other = await startS3();
  onCleanup(() => other.remove());
  const elsewhere = () => startTestService({ dataDir, modelDirs: [models], s3: other.place });
  await expect(elsewhere()).rejects.toMatchObject({
    code: 'STORE_UNUSABLE',
    message: `The bucket ${other.place.bucket.url} does not have the files of the bucket ${server.place.bucket.url}.`,
  });
  for (const hash of server.files()) copyFileSync(server.pathOf(hash), other.pathOf(hash));
  // the copies may contain files of failed runs, which were never in a bucket
  const copies = new ContentFiles(filesIn(dataDir, server.place, undefined));
  copies.prepare();
  for (let n = 0; n < 30; n += 1) copies.write(Buffer.from(String(n)));
  await (await elsewhere()).close();
});

test('during an outage of the bucket, runs wait, uploads get 503, and the service reports the outage; then all runs complete', async () => {
  const service = await start();
  const version = await service.latest('Files');
  const { body: File } = await upload(service, 'before');
  const other = await start();
  await server.kill();
  onCleanup(() => server.start());
  const { body: run } = await requestRun(service, version, { N: 1 });
  await until(
    async () => (await healthOf(service.running.url)).status === 'degraded' || undefined,
    'a degraded status',
  );
  const { problems } = await healthOf(service.running.url);
  expect(problems.map(({ code }) => code)).toContain('FILES_STUCK');
  const refused = await fetch(`${service.running.url}/upload-file`, {
    method: 'POST',
    headers: { Authorization: KEY },
    body: 'meanwhile',
  });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await refused.json()).toMatchObject({ code: 'UNAVAILABLE' });
  expect((await stateOf(service, run)).status).toBe('RUNNING');

  await server.start();
  await reach(service, run, 'COMPLETED');
  // the other service must fetch the input from the bucket
  const waiting = (await requestRun(other, await other.latest('Files'), { N: 2, File })).body;
  await reach(other, waiting, 'COMPLETED');
  await until(
    async () => (await healthOf(service.running.url)).status === 'ok' || undefined,
    'a healthy status',
  );
});

test('a service that is stopped during an outage of the bucket executes the run again after its next start', async () => {
  const dataDir = temporaryFolder();
  const service = await startTestService({ modelDirs: [models], s3: server.place, dataDir });
  const version = await service.latest('Files');
  await server.kill();
  onCleanup(() => server.start());
  const { body: run } = await requestRun(service, version, { N: 4 });
  await until(
    async () => (await healthOf(service.running.url)).status === 'degraded' || undefined,
    'a degraded status',
  );
  await service.close();
  await server.start();
  const next = await startTestService({ modelDirs: [models], s3: server.place, dataDir });
  await reach(next, run, 'COMPLETED');
  const outputs = await outputsOf(next, version, { N: 4 });
  expect(await contentOf(next, outputs.get('Text')!)).toBe('of 4: ');
});

test.each([
  [45_000, /^The clock of this machine is [3-6]\d seconds ahead of/],
  [-3_600_000, /RequestTimeTooSkewed|^The clock of this machine is \d{4} seconds behind/],
])("a clock that differs by %i ms from the bucket's clock is reported at the start", async (ahead, said) => {
  const told: string[] = [];
  const now = () => Date.now() + ahead;
  const onProblem = (line: string) => void told.push(line);
  const started = startTestService({ modelDirs: [models], s3: server.place, now, onProblem });
  told.push(await started.then(({ running }) => running.url, String));
  expect(told[0]).toMatch(said);
});

describe('foray service --files', () => {
  const addressOf = (bucket: string, endpoint = server.endpoint) => `s3://${bucket}?endpoint=${endpoint}`;
  const serve = (files: string, env: Record<string, string> = keyIn(S3_KEY)) => {
    const dataDir = temporaryFolder();
    const flags = ['--port', '0', '--data', dataDir, '--models', models, '--files', files, '--api-key', KEY];
    const child = spawn(process.execPath, [MAIN, 'service', ...flags], {
      env: { PATH: process.env.PATH, HOME: dataDir, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onCleanup(() => void child.kill('SIGKILL'));
    return { child, dataDir, errors: text(child.stderr) };
  };

  test('does not reveal the key of the bucket', async () => {
    const { child, dataDir, errors } = serve(addressOf('runs'));
    const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    const url = /http\S+/.exec(line)![0];
    const client = clientOf(url);
    const outputs = await outputsOf(client, await client.latest('Files'), { N: 6 });
    const environment = await contentOf(client, outputs.get('Environment')!);
    await server.kill();
    onCleanup(() => server.start());
    expect((await client.get(`/output-file?hash=${hashOf('')}&filename=a`)).status).toBe(503);
    await server.start();
    child.kill('SIGTERM');
    const said = line + (await errors);
    expect(said).toContain(server.endpoint);
    const database = ['service.db', 'service.db-wal'].map((name) => readIfThere(path.join(dataDir, name)));
    for (const place of [said, environment, ...database]) {
      for (const secret of Object.values(S3_KEY)) expect(place).not.toContain(secret);
    }
    expect(JSON.parse(environment)).not.toHaveProperty('AWS_SECRET_ACCESS_KEY');
  });

  test('says what is missing if there is no key', async () => {
    const { child, errors } = serve(addressOf('runs'), {});
    expect(await once(child, 'exit')).toEqual([2, null]);
    expect(await errors).toMatch(/^foray: --files needs the key .* Set AWS_\S+ and AWS_\S+\.\n$/);
  });
});

test.each<[string, Record<string, string>, string, RegExp]>([
  ['a bucket that does not exist', { bucket: 'nowhere' }, 'FILES_UNUSABLE', /NoSuchBucket\. Make the bucket/],
  ['another secret', { secretAccessKey: 'Wr0ng' }, 'FILES_UNUSABLE', /SignatureDoesNotMatch\. Correct AWS_/],
  ['another key', { accessKeyId: 'nobody' }, 'FILES_UNUSABLE', /refuses .* Correct AWS_/],
  ['no server', { endpoint: 'http://127.0.0.1:1' }, 'FILES_UNREACHABLE', /ECONNREFUSED.*\. Start it/],
])('%s is an error at the start', async (_what, wrong, code, said) => {
  const { endpoint = server.endpoint, bucket = 'runs', ...key } = { ...S3_KEY, ...wrong };
  const s3 = { bucket: { url: `${endpoint}/${bucket}`, region: 'us-east-1' }, credentials: key };
  const refused = await startService({ dataDir: temporaryFolder(), modelDirs: [], s3 }).catch(
    (error: unknown) => error,
  );
  const { message, hint, ...others } = refused as { code: string; message: string; hint: string };
  expect(others.code).toBe(code);
  expect(`${message} ${hint}`).toMatch(said);
  expect(`${message} ${hint}`).not.toMatch(/Wr0ng|S3-s3cret/);
});

test.each([
  'https://bucket',
  's3://bucket/folder',
  's3://user:Hidden@bucket',
  's3://bucket?endpoint=ftp://host',
  's3://bucket?endpoint=https://user:Hidden@host',
  's3://bucket?secret=Hidden',
  's3://Bucket_?region=a',
  'bucket',
])('the address %s is refused, and the error contains no secret from the address', (address) => {
  let said = '';
  try {
    readS3Address(address);
  } catch (error) {
    const { code, message, hint } = error as { code: string; message: string; hint: string };
    expect(code).toBe('USAGE');
    said = message + hint;
  }
  expect(said).toContain('s3://BUCKET');
  expect(said).not.toContain('Hidden');
});

test('an address names a bucket in path style; foray removes the key from the environment', () => {
  expect(readS3Address('s3://runs?region=eu-west-1')).toEqual({
    url: 'https://s3.eu-west-1.amazonaws.com/runs',
    region: 'eu-west-1',
  });
  expect(readS3Address('s3://runs?endpoint=http://host:7070/store/')).toEqual({
    url: 'http://host:7070/store/runs',
    region: 'us-east-1',
  });
  const env = { ...keyIn(S3_KEY), OTHER: 'stays' };
  expect(takeS3Credentials(env)).toEqual(S3_KEY);
  expect(env).toEqual({ OTHER: 'stays' });
});

function keyIn({ accessKeyId, secretAccessKey }: typeof S3_KEY): Record<string, string> {
  return { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
