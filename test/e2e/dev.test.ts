import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type { Foray, Submitted } from '../../src/client/index.ts';
import { builtWorkflowBundle } from '../support/built-workflow-bundle.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { clientOf, type Dev, foray, ROOT, startDev } from '../support/cli.ts';
import { contentsIn } from '../support/contents.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { until } from '../support/until.ts';
import '../support/quiet-runtime.ts';

/** The campaign of the demo on a smaller grid: 11 × 4 points around the published values. */
const FLU = readFileSync(join(ROOT, 'examples/boarding-school-flu/campaign.yaml'), 'utf8')
  .replace('{ from: 1.2, to: 2.2, step: 0.025 }', '{ from: 1.55, to: 1.8, step: 0.025 }')
  .replace('{ from: 0.30, to: 0.60, step: 0.01 }', '[0.42, 0.43, 0.44, 0.45]')
  .replace('./observed.csv', join(ROOT, 'examples/boarding-school-flu/observed.csv'));

const TRACED = `
campaign: traced
model: {name: Rehearsal}
inputs: {Seconds: 0.01}
design: {grid: {Value: [1, 2, 3]}}
`;

let receiver: OtlpReceiver;
let dev: Dev;
let client: Foray;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  dev = await startDev({ env: receiver.env });
  writeFileSync(join(dev.folder, 'flu.yaml'), FLU);
  client = await clientOf(dev);
});
afterAll(async () => {
  await client.close();
  await dev.stop();
  receiver.close();
});

const run = (...args: string[]) => foray(dev.folder, args);

/** Submits a campaign of Rehearsal. `body` is the rest of its definition. */
async function submit(id: string, body: string): Promise<void> {
  const text = `campaign: ${id}\nmodel: {name: Rehearsal}\n${body}`;
  await client.submit({ text, file: `${id}.yaml` }, { id });
}

/** The header and the lines of the CSV results. No cell of these campaigns has a line break. */
async function csv(id: string): Promise<{ header: string; lines: string[] }> {
  const file = join(dev.folder, `${id}.csv`);
  expect((await run('results', id, '-o', file)).code).toBe(0);
  const [header, ...lines] = readFileSync(file, 'utf8').trimEnd().split(/\r?\n/);
  return { header: header!, lines };
}

// these tests come first, so that no other campaign has spans
describe('a campaign with traces', () => {
  test('has one trace, which leads from the submit over the workflow, a tick and its request to the execution of each run', async () => {
    writeFileSync(join(dev.folder, 'traced.yaml'), TRACED);
    const args = ['submit', 'traced.yaml', '--id', 'traced', '--watch'];
    const { code, stderr } = await foray(dev.folder, args, { env: receiver.env });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const path = [
      'foray-service: execute run',
      'foray-service: POST /api/open/8.5.0/versions/:versionId/runs',
      'foray-worker: POST /versions/:versionId/runs',
      'foray-worker: RunActivity:advance',
      'foray-worker: StartActivity:advance',
      'foray-worker: RunWorkflow:campaign',
      'foray-submit: StartWorkflow:campaign',
      'foray-submit: submit',
    ];
    const pathsOfRuns = (): string[][] =>
      receiver.spans
        .filter(({ name }) => name === 'execute run')
        .map((span) => receiver.pathOf(span).map(({ service, name }) => `${service}: ${name}`));
    await until('the spans of three runs and of the workflow are here', () => {
      const paths = pathsOfRuns();
      return paths.length >= 3 && paths.every((each) => each.length >= path.length);
    });
    expect(pathsOfRuns()).toEqual([path, path, path]);
    const { traceId } = receiver.spans.find(({ name }) => name === 'submit')!;
    const executed = receiver.spans.filter(({ name }) => name === 'execute run');
    expect(new Set(executed.map((span) => span.traceId))).toEqual(new Set([traceId]));
  });

  test('replays without them, so somebody may switch them off', async () => {
    const connection = await Connection.connect({ address: dev.temporal });
    try {
      const history = await new Client({ connection }).workflow.getHandle('traced').fetchHistory();
      expect(JSON.stringify(history)).toContain('_tracer-data');
      await Worker.runReplayHistory({ workflowBundle: builtWorkflowBundle() }, history, 'traced');
      // the spans of the last step go nowhere
      const sinks = { exporter: { export: { fn: () => {} } } };
      const workflowBundle = builtWorkflowBundle('traced');
      await Worker.runReplayHistory({ workflowBundle, sinks }, history, 'traced');
    } finally {
      await connection.close();
    }
  });
});

describe('the demo’s campaign on a smaller grid', () => {
  let header: string;
  let lines: string[];

  test('can be submitted, followed and read from the command line', async () => {
    const submitted = await run('submit', 'flu.yaml', '--id', 'flu', '--json');
    expect(submitted.code).toBe(0);
    const answer = JSON.parse(submitted.stdout) as Submitted;
    expect(answer).toMatchObject({ id: 'flu', workflowId: 'flu', isNew: true, points: 44 });
    expect(answer.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/flu\//);

    const watched = await run('watch', 'flu');
    expect(watched.code).toBe(0);
    expect(watched.stderr).toMatch(/\[100%\] completed: 44 of 44/);
    const { stdout } = await run('status', 'flu', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      id: 'flu',
      phase: 'completed',
      points: 44,
      runs: { total: 44, done: 44, new: 44, reused: 0, failed: 0, running: 0, queued: 0, waiting: 0 },
    });

    ({ header, lines } = await csv('flu'));
    expect(header).toMatch(/^point,replication,status,Contact rate,Recovery rate,Fit error,Peak infected,/);
    expect(lines).toHaveLength(44);
    const best = lines
      .map((line) => line.split(','))
      .reduce((least, cells) => (Number(cells[5]) < Number(least[5]) ? cells : least));
    expect(Math.abs(Number(best[3]) - 1.663)).toBeLessThanOrEqual(0.025);
    expect(Math.abs(Number(best[4]) - 0.44)).toBeLessThanOrEqual(0.01);
    expect(Number(best[5])).toBeCloseTo(17.2, 0);
  });

  test('reuses every run when it is submitted again, with equal results', async () => {
    const again = await run('submit', 'flu.yaml', '--id', 'flu-again', '--watch');
    expect(again.code).toBe(0);
    expect((await client.status('flu-again')).runs).toMatchObject({ done: 44, new: 0, reused: 44 });
    expect(await csv('flu-again')).toEqual({ header, lines });
  });

  test('keeps its id: `submit` with the same definition finds the campaign, and `submit` with another definition is an error', async () => {
    const same = await run('submit', 'flu.yaml', '--id', 'flu', '--json');
    expect(JSON.parse(same.stdout)).toMatchObject({ id: 'flu', isNew: false });
    writeFileSync(join(dev.folder, 'other.yaml'), FLU.replace('763', '764'));
    const other = await run('submit', 'other.yaml', '--id', 'flu');
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(
      /exists with another definition\. "foray apply flu FILE" .*changes this campaign/,
    );
  });
});

describe('a campaign from the command line', () => {
  test('can be controlled while it runs: set, pause, resume, stop, and retry of missing runs', async () => {
    await submit(
      'steered',
      'inputs: {Seconds: 2}\nconcurrency: 1\ndesign: {grid: {Value: {from: 1, to: 400, step: 1}}}',
    );
    expect(await run('set', 'steered', '--concurrency', '3')).toMatchObject({ code: 0 });
    // if the worker or Temporal is slow, the status comes from the store, which does not know the number
    await until('the limit is 3', async () => (await client.status('steered')).window === 3);
    // between two rounds no run is in flight, so one look may show none
    await until('the status lists a run in flight', async () => {
      const { stdout } = await run('status', 'steered', '--flights');
      return /^ {2}run \d+ (running for \d+ s|queued)$/m.test(stdout);
    });
    await run('pause', 'steered', '--reason', 'lunch');
    await until('the campaign is paused', async () => (await client.status('steered')).phase === 'paused');
    await run('resume', 'steered', '--reason', 'back');
    await until('the campaign continues and says why', async () => {
      const { phase, note } = await client.status('steered');
      return phase === 'running' && note.includes('resumed: back');
    });
    await run('stop', 'steered');
    expect(await run('watch', 'steered')).toMatchObject({ code: 1 });
    expect(await client.status('steered')).toMatchObject({ phase: 'cancelled' });
    expect((await run('retry', 'steered', '--missing')).stdout).toMatch(/^steered continues: 0 failed runs/);
    expect(await client.status('steered')).toMatchObject({ phase: 'running', runs: { total: 400 } });
    await client.cancel('steered');
    expect(await toTheEnd({ foray: client }, 'steered')).toMatchObject({ phase: 'cancelled' });
  });

  test('shows failures by cause, and retries failed runs', async () => {
    await submit('failing', 'inputs: {Seconds: 0, Fail: true}\ndesign: {grid: {Value: [1, 2, 3]}}');
    await toTheEnd({ foray: client }, 'failing');
    expect((await run('status', 'failing', '--failures')).stdout).toContain('3 × Rehearsal was told to fail');
    const retried = await run('retry', 'failing', '--failed', '--json');
    expect(JSON.parse(retried.stdout)).toMatchObject({ forgiven: 3, open: 3, wasClosed: true });
    expect(await toTheEnd({ foray: client }, 'failing')).toMatchObject({
      phase: 'completed',
      runs: { failed: 3 },
    });
  });

  test('is changed by apply after a confirmation', async () => {
    const grid = (body: string): void =>
      writeFileSync(join(dev.folder, 'changed.yaml'), `campaign: changed\nmodel: {name: Rehearsal}\n${body}`);
    await submit('changed', 'seed: 5\ninputs: {Seconds: 0}\ndesign: {grid: {Value: [1, 2, 3]}}');
    await toTheEnd({ foray: client }, 'changed');
    grid('seed: 5\ninputs: {Seconds: 0}\ndesign: {grid: {Value: [2, 3, 4, 5]}}\nreplications: 2');
    const asked = await run('apply', 'changed', 'changed.yaml');
    expect(asked).toMatchObject({ code: 2, stdout: '' });
    expect(asked.stderr).toContain('2 points added, 1 dropped, 2 kept; replications 1 → 2');
    expect(asked.stderr).toContain('Add --yes');
    const applied = await run('apply', 'changed', 'changed.yaml', '--yes');
    expect(applied.stdout).toBe('changed is changed and continues: 6 runs open.\n');
    await toTheEnd({ foray: client }, 'changed');
    const { lines } = await csv('changed');
    expect(lines.map((line) => line.split(',').slice(1, 4).join())).toEqual([
      ...[2, 3, 4, 5].flatMap((value) => [`1,done,${value}`, `2,done,${value}`]),
      '1,done,1',
    ]);
    grid('inputs: {Seconds: 0}\ndesign: {grid: {Value: [2]}}\nseed: 3');
    const refused = await run('apply', 'changed', 'changed.yaml', '--yes');
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the seed cannot change'),
    });
  });
});

describe('after a crash', () => {
  test('a campaign loses no run and repeats no run if its worker is killed with SIGKILL', async () => {
    // the runs are long enough that the worker still waits for some runs when it is killed
    await submit('killed', 'inputs: {Seconds: 0.1}\ndesign: {grid: {Value: {from: 1, to: 80, step: 1}}}');
    await until('some runs are done', async () => (await client.status('killed')).runs.done > 10);
    const worker = dev.pidOf('Worker');
    process.kill(worker, 'SIGKILL');
    await until('another worker works', () => dev.pidOf('Worker') !== worker);
    expect(await toTheEnd({ foray: client }, 'killed')).toMatchObject({ phase: 'completed' });
    const { lines } = await csv('killed');
    expect(new Set(lines.map((line) => line.split(',').slice(0, 2).join())).size).toBe(80);
    expect(lines).toHaveLength(80);
    const database = new DatabaseSync(join(dev.folder, '.foray/service/service.db'), { readOnly: true });
    const repeated = database.prepare('select count(*) as count from runs where executions > 1').get();
    database.close();
    expect(repeated).toEqual({ count: 0 });
  });

  test('a campaign loses no run if the model service is killed with SIGKILL', async () => {
    // the first run ends at once, and the other runs are not done when the service is killed
    await submit('service-killed', 'design: {grid: {Seconds: [0, 3, 3.1, 3.2, 3.3, 3.4]}}');
    await until('some runs are done', async () => (await client.status('service-killed')).runs.done > 0);
    const service = dev.pidOf('Model service');
    process.kill(service, 'SIGKILL');
    // the next test needs the service, too
    await until('another service works', () => dev.pidOf('Model service') !== service);
    expect(await toTheEnd({ foray: client }, 'service-killed')).toMatchObject({ phase: 'completed' });
    expect((await csv('service-killed')).lines).toHaveLength(6);
  });
});

describe('bad input', () => {
  const cases: [what: string, from: string, to: string, message: RegExp][] = [
    [
      'an unknown input',
      'Contact rate:',
      'Contact rat:',
      /bad\.yaml:\d+:\d+: .*"Contact rat".*Did you mean "Contact rate"\?/,
    ],
    [
      'a file that is not there',
      'observed.csv',
      'observd.csv',
      /bad\.yaml:\d+:\d+: .*observd\.csv.*is not there/,
    ],
  ];
  test.each(cases)(
    'foray submit refuses %s with exit code 2, starts nothing, and shows the place, the mistake, the line and a mark',
    async (_, from, to, message) => {
      writeFileSync(join(dev.folder, 'bad.yaml'), FLU.replace(from, to));
      const { code, stdout, stderr } = await run('submit', 'bad.yaml', '--id', 'bad');
      expect(code).toBe(2);
      expect(stdout).toBe('');
      const [first, line, mark, ...rest] = stderr.trimEnd().split('\n');
      expect(first).toMatch(message);
      const [, number, column] = /^bad\.yaml:(\d+):(\d+): /.exec(first!)!;
      const shown = `  ${number} | `;
      expect(line).toBe(`${shown}${FLU.replace(from, to).split('\n')[Number(number) - 1]}`);
      expect(mark).toBe(`${' '.repeat(shown.length + Number(column) - 1)}^`);
      expect(rest).toEqual([]);
      await expect(client.status('bad')).rejects.toMatchObject({ code: 'UNKNOWN_CAMPAIGN' });
    },
  );

  test('an error in a definition on standard input also names the place', async () => {
    const { code, stderr } = await foray(dev.folder, ['submit', '-'], { input: 'campaign: x\n' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/<stdin>:1:1: "model" is missing/);
  });

  test('the error for a wrong key has exit code 2, and the error for a missing service or Temporal has exit code 3 and names the address', async () => {
    const wrongKey = await foray(dev.folder, ['models', '--api-key', 'wrong']);
    expect([wrongKey.code, wrongKey.stderr]).toEqual([2, expect.stringMatching(/401.*--api-key/)]);
    const noService = await run('submit', 'flu.yaml', '--service-url', 'http://127.0.0.1:9/api/open/8.5.0');
    expect([noService.code, noService.stderr]).toEqual([
      3,
      expect.stringMatching(/127\.0\.0\.1:9 cannot be reached/),
    ]);
    const noTemporal = await foray(dev.folder, ['submit', 'flu.yaml'], {
      env: { TEMPORAL_ADDRESS: '127.0.0.1:9' },
    });
    expect([noTemporal.code, noTemporal.stderr]).toEqual([
      3,
      expect.stringMatching(/Temporal server at 127\.0\.0\.1:9/),
    ]);
  });
});

describe('the home folder', () => {
  test('hides the key from other users', () => {
    for (const file of ['addresses.json', 'key']) {
      expect(statSync(join(dev.folder, '.foray', file)).mode & 0o777).toBe(0o600);
    }
  });

  test('has the key only in its two own files, and in no history, log or store, neither as text nor in base64', () => {
    const home = join(dev.folder, '.foray');
    const key = readFileSync(join(home, 'key'), 'utf8').trim();
    const spellings = [0, 1, 2].map((shift) => {
      // in base64, a text has another form at each offset, and its ends depend on the neighbouring characters
      const coded = Buffer.from(`${' '.repeat(shift)}${key}`).toString('base64');
      return coded.slice(4, -4);
    });
    const contents = contentsIn(home);
    for (const file of ['key', 'addresses.json']) contents.delete(file);
    expect([...contents.keys()]).toEqual(
      expect.arrayContaining(['store.db', 'temporal.db', 'logs/worker.log']),
    );
    for (const [file, content] of contents) {
      const found = [key, ...spellings].filter((spelling) => content.includes(spelling));
      expect({ file, found }).toEqual({ file, found: [] });
    }
    expect(dev.said()).not.toContain(key);
  });

  test('allows only one foray dev', async () => {
    const second = await run('dev');
    expect([second.code, second.stderr]).toEqual([2, expect.stringMatching(/already runs in/)]);
  });
});
