import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { startService } from '../../src/service/service.ts';
import { writeCommandModel } from './command-model.ts';
import { KEY, outputsOf, reach, requestRun, startTestService, temporaryFolder, until } from './support.ts';

const ANYWHERE = { host: '127.0.0.1', port: 0 };

/** The values of metrics. The keys are names with labels, as the page shows them. */
async function metricsAt(url: string): Promise<Map<string, number>> {
  const response = await fetch(url);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split('\n').filter((line) => line && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

test('the service has metrics of its queue, slots, runs, repeated runs and requests, and no label names a key, user, model or run', async () => {
  const models = temporaryFolder();
  const gate = path.join(temporaryFolder(), 'gate');
  writeCommandModel(
    models,
    'Secretive',
    `const { existsSync } = await import('node:fs');
     if (inputs.N === 5) process.exit(3);
     while (inputs.N > 5 && !existsSync(${JSON.stringify(gate)})) await new Promise((resolve) => setTimeout(resolve, 10));
     say({ outputs: { Out: inputs.N } });`,
  );
  const options = { modelDirs: [models], executors: 1, metrics: ANYWHERE };
  const service = await startTestService(options);
  const version = await service.latest('Secretive');
  await outputsOf(service, version, { N: 1 });
  await outputsOf(service, version, { N: 2 });
  const { body: bad } = await requestRun(service, version, { N: 5 });
  await reach(service, bad, 'FAILED');
  const { body: running } = await requestRun(service, version, { N: 6 });
  const { body: waiting } = await requestRun(service, version, { N: 7 });
  await reach(service, running, 'RUNNING');
  await fetch(`${service.running.url}/no/such/${KEY}`);
  await fetch(new URL(`/${KEY}`, service.running.url));
  const url = service.running.metricsUrl!;
  const metrics = await metricsAt(url);
  expect(Object.fromEntries(metrics)).toMatchObject({
    foray_runs_queued: 1,
    foray_runs_running: 1,
    foray_slots: 1,
    foray_runs_claimed_total: 4,
    foray_runs_lost_total: 0,
    'foray_runs_ended_total{end="completed"}': 2,
    'foray_runs_ended_total{end="failed"}': 1,
    'foray_runs_ended_total{end="stopped"}': 0,
    foray_executions_repeated_total: 0,
    'foray_problems{code="NO_EXECUTOR"}': 0,
  });
  expect(metrics.get('foray_reports_total')).toBe(3);
  expect(metrics.get('foray_claims_total')).toBeGreaterThanOrEqual(4);
  expect(metrics.has('foray_lanes')).toBe(false);
  const root = new URL(service.running.url).pathname;
  const requests = (labels: string) => metrics.get(`foray_http_request_duration_seconds_count{${labels}}`);
  expect(requests(`method="POST",route="${root}/versions/:versionId/runs",status="200"`)).toBe(5);
  expect(requests('method="",route="none",status="404"')).toBeGreaterThanOrEqual(1);
  const text = [...metrics.keys()].join('\n');
  for (const secret of [KEY, 'Secretive', version, running.id, 'local']) expect(text).not.toContain(secret);
  for (const other of ['/', '/health', '/metrics/x']) {
    expect((await fetch(new URL(other, url))).status).toBe(404);
  }
  expect((await fetch(url, { method: 'POST' })).status).toBe(405);

  // interrupted runs start again after a restart
  await service.close();
  await expect(fetch(url)).rejects.toThrow();
  const after = await startTestService({ ...options, dataDir: service.dataDir });
  writeFileSync(gate, '');
  await reach(after, waiting, 'COMPLETED');
  expect(Object.fromEntries(await metricsAt(after.running.metricsUrl!))).toMatchObject({
    foray_executions_repeated_total: 1,
    'foray_runs_ended_total{end="completed"}': 2,
    foray_runs_queued: 0,
  });
});

test('metrics are off by default, and the service does not start if the port of its metrics is in use', async () => {
  const service = await startTestService({ metrics: ANYWHERE });
  const plain = await startTestService();
  expect(plain.running.metricsUrl).toBeUndefined();
  expect((await fetch(new URL('/metrics', plain.running.url))).status).toBe(404);
  const dataDir = path.join(temporaryFolder(), 'data');
  mkdirSync(dataDir);
  const metrics = { host: '127.0.0.1', port: Number(new URL(service.running.metricsUrl!).port) };
  const taken = startService({ modelDirs: [], dataDir, metrics });
  await expect(taken).rejects.toMatchObject({
    code: 'PORT_IN_USE',
    hint: expect.stringContaining('--metrics'),
  });
  // the service that did not start releases its data folder
  await until(async () => {
    const again = await startService({ modelDirs: [], dataDir }).catch(() => undefined);
    await again?.close();
    return again;
  }, 'a start with the same data folder');
});
