import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { toTheEnd } from '../../support/campaigns.ts';
import { foray } from '../../support/cli.ts';
import { healthAt, WELL } from '../../support/health.ts';
import { ownPort } from '../../support/own-port.ts';
import { leaksIn } from '../../support/spellings.ts';
import { until } from '../../support/until.ts';
import { type Receiver, receiver } from '../../support/webhook.ts';
import { environmentOf, startWorkerProcess, type WorkerProcess } from '../../support/worker.ts';
import { KEY, startWorld, type World } from '../../support/world.ts';
import { SERVICE_SYSTEM } from '../../service/fixed.ts';

const SECRET = `whsec_${Buffer.from('a canary that nobody else may ever read').toString('base64')}`;

let world: World;
let hook: Receiver;
let worker: WorkerProcess;
let port: number;
let health: number;
beforeAll(async () => {
  world = await startWorld({ models: [SERVICE_SYSTEM] });
  port = await ownPort();
  health = await ownPort();
  hook = await receiver(SECRET, () => 500);
  await hook.start();
  const notices = join(world.folder, 'notices.yaml');
  const tells = ['sh', '-c', `echo ${SECRET}; echo ${SECRET} >&2; exit 3`];
  const content = {
    team: { url: hook.url, secret: SECRET },
    desk: { command: tells },
    away: { command: [`/nowhere/${SECRET}`] },
  };
  writeFileSync(notices, stringify(content), { mode: 0o600 });
  const options = { metrics: port, health, notices };
  worker = startWorkerProcess(
    world.settings,
    Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
  );
  await worker.ready;
});
afterAll(async () => {
  await worker.kill();
  await world.close();
  await hook.kill();
});

/** The metrics of the worker, and a function that sums one metric over all its labels. */
async function metricsOf(): Promise<{ text: string; sum: (name: string) => number }> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const sum = (name: string): number =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0);
  return { text, sum };
}

const text =
  'campaign: measured\nmodel: {name: Service System Demo}\ndesign: {grid: {Server capacity: [7, 8, 9]}}\nseed: 5\n';

test('a worker counts requested, completed and reused runs, has the metrics of the SDK, and reveals no key or name', async () => {
  for (const id of ['once', 'again']) {
    await world.foray.submit({ text, file: 'measured.yaml' }, { id });
    await toTheEnd(world, id);
  }
  const metrics = await metricsOf();
  expect(metrics.sum('foray_runs_completed_total')).toBe(3);
  expect(metrics.sum('foray_runs_reused_total')).toBe(3);
  expect(metrics.sum('foray_runs_requested_total')).toBeGreaterThanOrEqual(6);
  expect(metrics.sum('foray_runs_failed_total')).toBe(0);
  expect(metrics.sum('temporal_activity_execution_latency_seconds_count')).toBeGreaterThan(1);
  for (const secret of [KEY, world.settings.service.key, 'measured', 'Service System Demo'])
    expect(metrics.text).not.toContain(secret);
});

test('a worker is ready, and answers only GET requests for two paths', async () => {
  expect(await healthAt(health, '/health')).toEqual(WELL);
  expect(await healthAt(health, '/ready')).toEqual(WELL);
  const others = [
    fetch(`http://127.0.0.1:${health}/`),
    fetch(`http://127.0.0.1:${health}/ready`, { method: 'POST' }),
  ];
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([404, 405]);
});

test("notices leave no secret and no address in the worker's output", async () => {
  const notify = 'notify: [team, desk, away]\n';
  await world.foray.submit({ text: `${text}${notify}`, file: 'measured.yaml' }, { id: 'told' });
  await toTheEnd(world, 'told');
  await until('the worker tells of each failure', () =>
    ['team', 'desk', 'away'].every((name) => worker.said().includes(`The notice "${name}" `)),
  );
  for (const secret of [SECRET, SECRET.slice('whsec_'.length), 'canary-in-the-address', hook.url])
    expect(leaksIn(worker.said(), secret)).toEqual([]);
});

test('a worker counts failed activities, and is not ready while the model service is away', async () => {
  await world.foray.submit({ text: text.replace('7, 8, 9', '10'), file: 'measured.yaml' });
  await world.service.close();
  // the calls of notices fail too
  const failed = /^temporal_activity_execution_failed_total\{(?!.*activity_type="notify")/m;
  await until('an activity has failed', async () => failed.test((await metricsOf()).text));
  expect(await healthAt(health, '/ready')).toEqual({
    status: 503,
    healthy: false,
    failed: ['model service'],
  });
  expect(await healthAt(health, '/health')).toEqual(WELL);
});

test('foray worker refuses --metrics and --health with a port that is in use, or with a word', async () => {
  const env = environmentOf(world.settings);
  const { code, stderr } = await foray(world.folder, ['worker', '--metrics', String(port)], { env });
  expect([code, stderr]).toEqual([2, expect.stringContaining(`cannot be served at 127.0.0.1:${port}`)]);
  const taken = await foray(world.folder, ['worker', '--health', String(health)], { env });
  expect([taken.code, taken.stderr]).toEqual([
    2,
    expect.stringContaining(`Something else listens on 127.0.0.1:${health} already.`),
  ]);
  const wrong = await foray(world.folder, ['worker', '--metrics', 'here']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--metrics')]);
});
