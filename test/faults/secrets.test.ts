import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { seeded } from '../support/durations.ts';
import { CloudClient } from '../../src/cloud/index.ts';
import { Foray, type Settings } from '../../src/client/index.ts';
import type { Addresses } from '../../src/dev/home.ts';
import { type Dev, foray, startDev } from '../support/cli.ts';
import {
  type Asked,
  type Fault,
  type FaultyService,
  isRunRequest,
  pass,
  startFaultyService,
} from '../support/faulty-service.ts';
import { contentsIn } from '../support/contents.ts';
import { report, seeds } from '../support/seeds.ts';
import { leaksIn, spellings } from '../support/spellings.ts';
import { until } from '../support/until.ts';
import { startWorkerProcess, type WorkerProcess } from '../support/worker.ts';
import { rehearsal } from '../support/world.ts';

/**
 * The API key and the signature of a pre-signed address never appear in a history, a log, a store or on a screen,
 * whatever faults the service and the network have.
 */

let dev: Dev;
let front: FaultyService;
const workers: WorkerProcess[] = [];
const figure = { secrets: 0, files: 0, bytes: 0, histories: 0, faults: 0 };

afterAll(() => {
  report(
    `secrets: none of ${figure.secrets} secrets, in ${spellings('a').size} spellings, is in ${figure.files} files, ` +
      `logs and outputs (${(figure.bytes / 1e6).toFixed(1)} MB) and ${figure.histories} exported histories; ${figure.faults} ` +
      `answers had a secret or were lost`,
  );
});

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A random text, which occurs nowhere else. It has characters that encodings treat specially. */
function canary(random: () => number, others: string): string {
  const any = (characters: string): string => characters[Math.floor(random() * characters.length)]!;
  return Array.from({ length: 48 }, (_, at) => (at % 6 === 5 ? any(others) : any(LETTERS))).join('');
}

/**
 * A plan with at most `count` faults. A faulty answer repeats secrets, or is lost. The first request of a run gets a
 * faulty answer: a failed run with secrets in its reason.
 */
function indiscretions(
  random: () => number,
  key: string,
  address: string,
  count: number,
): (asked: Asked) => Fault {
  let left = count;
  /** The body of the request for the run that fails. A client that lost the answer asks again. */
  let failing: string | undefined;
  const pick = <T>(items: T[]): T => items[Math.floor(random() * items.length)]!;
  const said = (): string =>
    pick([
      `The key ${key} is not good enough.`,
      `Authorization: Bearer ${key}; ${address}`,
      `No such page: ${address}`,
      `key=${encodeURIComponent(key)} was refused; see "${address}".`,
    ]);
  return (asked) => {
    if (isRunRequest(asked)) failing ??= asked.bodyHash;
    const isReason = isRunRequest(asked) && asked.bodyHash === failing;
    if (!isReason) {
      if (left === 0 || random() < 0.5) return pass();
      left -= 1;
    }
    figure.faults += 1;
    const body = JSON.stringify({ message: said() });
    const run = { id: 'r', inputs: [], modelVersionId: 'v', outputs: null, status: 'FAILED' };
    const told = random() < 0.5 ? said() : JSON.stringify({ title: said(), progress: 0 });
    const failed: Fault = { kind: 'answer', status: 200, body: JSON.stringify({ ...run, message: told }) };
    if (isReason) return failed;
    return pick<Fault>([
      { kind: 'lose' },
      { kind: 'answer', status: pick([400, 401, 403, 404, 409, 429, 500, 502, 503]), body },
      { kind: 'answer', status: pick([200, 500]), body: `<html><title>${said()}</title></html>` },
      failed,
    ]);
  };
}

test.each(seeds(2, 200))('the scan finds a secret in each encoding, seed %i', (seed) => {
  const random = seeded(seed);
  const secret = canary(random, '+/=&%#-_~ ');
  for (const [name, text] of spellings(secret)) {
    const before = Array.from({ length: Math.floor(random() * 5) }, () => canary(random, '+/')).join('');
    expect(leaksIn(`${before}${text}${canary(random, '+/')}`, secret)).toContain(name);
  }
  for (const before of ['', 'a', 'ab', 'abc']) {
    expect(leaksIn(Buffer.from(`${before}${secret}c`).toString('base64'), secret)).not.toEqual([]);
    expect(leaksIn(Buffer.from(`${before}${secret}`).toString('base64url'), secret)).not.toEqual([]);
  }
  expect(leaksIn(canary(random, '+/'), secret)).toEqual([]);
});

describe('after any fault', () => {
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.kill();
    await front.close();
    await dev.stop();
  });

  test.each(seeds(1, 8))('no secret is in any log, output, history or other file, seed %i', async (seed) => {
    const random = seeded(seed);
    const key = canary(random, '+/=&%#-_~');
    const wrongKey = canary(random, '+/=&%#-_~');
    const signature = canary(random, '-_');
    const address = `http://127.0.0.1:1/files/h?filename=a.csv&expires=1&signature=${signature}`;
    const screens: string[] = [];

    const folder = mkdtempSync(join(tmpdir(), 'foray-dev-'));
    mkdirSync(join(folder, '.foray'));
    writeFileSync(join(folder, '.foray/key'), `${key}\n`, { mode: 0o600 });
    dev = await startDev({ folder });
    const addresses = JSON.parse(readFileSync(join(folder, '.foray/addresses.json'), 'utf8')) as Addresses;
    expect(addresses.service.key).toBe(key);
    front = await startFaultyService(addresses.service);
    const run = async (args: string[], env: NodeJS.ProcessEnv = {}, input = ''): Promise<number | null> => {
      const { code, stdout, stderr } = await foray(folder, args, { env, input });
      screens.push(stdout, stderr);
      return code;
    };
    const settingsOf = (taskQueue: string, url: string, its: string): Settings => {
      return {
        service: { url, key: its },
        store: `sqlite:${join(folder, '.foray/store.db')}`,
        taskQueue,
        temporal: { connectionOptions: { address: addresses.temporal.address }, namespace: 'default' },
        owner: 'somebody',
        webUi: '',
      };
    };
    const envOf = ({ taskQueue, service }: Settings): NodeJS.ProcessEnv => {
      return { FORAY_TASK_QUEUE: taskQueue, FORAY_SERVICE_URL: service.url };
    };

    // first without faults: a campaign keeps its files, and a file is fetched from its pre-signed address
    const flu =
      'campaign: flu\nmodel: {name: Epidemic}\ndesign: {grid: {Contact rate: [1.6, 1.7]}}\noutputs: {files: keep}';
    expect(await run(['submit', '-', '--id', 'flu', '--watch'], {}, flu)).toBe(0);
    expect(await run(['results', 'flu', '--all', '--files', 'files'])).toBe(0);
    const cloud = new CloudClient({ url: addresses.service.url, key });
    const signed = await cloud.getOutputFileUrl(await cloud.uploadFile(Buffer.from('content')), 'a.csv');
    expect((await fetch(signed)).status).toBe(200);
    expect((await fetch(`${signed}x`)).status).not.toBe(200);

    // then with a service that reveals secrets and a network that loses answers
    const { text } = rehearsal({ count: 30, seconds: 0, more: 'concurrency: 20' });
    const faulty = settingsOf('faulty', front.url, key);
    expect(await run(['submit', '-', '--id', 'faulty'], envOf(faulty), text)).toBe(0);
    front.plan = indiscretions(random, key, address, 25);
    workers.push(startWorkerProcess(faulty));
    await run(['watch', 'faulty'], envOf(faulty));
    expect(await run(['results', 'faulty', '--all', '--format', 'csv'], envOf(faulty))).toBe(0);
    // the failed run shows that the campaign got the answer with secrets in the reason
    expect(screens.at(-2)).toMatch(/failed/);
    front.plan = indiscretions(random, key, address, 15);
    const through = new CloudClient({ url: front.url, key });
    for (let call = 0; call < 10; call += 1) {
      await through.getOutputFileUrl('hash', 'a.csv').catch((error: Error) => {
        screens.push(inspect(error, { depth: 10, showHidden: true }), error.stack!);
      });
    }
    for (const args of [['models'], ['models', 'Rehearsal'], ['submit', '-', '--id', 'refused']]) {
      await run(args, { ...envOf(faulty), FORAY_DEBUG: '1' }, text);
    }

    // finally with a wrong key, which may be the key of another service
    await workers[0]!.kill();
    const wrong = settingsOf('wrong', addresses.service.url, wrongKey);
    workers.push(startWorkerProcess(wrong));
    expect(
      await run(['submit', '-', '--id', 'wrong'], envOf(wrong), text.replace('Seconds: 0', 'Seconds: 1')),
    ).toBe(0);
    const client = await Foray.open(wrong);
    await until('the campaign says that the service refuses the key', async () =>
      /401/.test(JSON.stringify(await client.status('wrong'))),
    );
    await client.close();
    await run(['status', 'wrong', '--json'], envOf(wrong));
    expect(screens.at(-2)).toMatch(/401/);
    await run(['models', '--api-key', wrongKey]);

    const histories = await exported(addresses.temporal.address, ['flu', 'faulty', 'wrong']);
    screens.push(...histories, dev.said(), ...workers.map((one) => one.said()));
    const files = contentsIn(join(folder, '.foray'));
    // these two files must have the key
    for (const file of ['key', 'addresses.json']) files.delete(file);
    expect([...files.keys()]).toEqual(
      expect.arrayContaining([
        'store.db',
        'store.db-wal',
        'temporal.db',
        'logs/worker.log',
        'service/service.db',
      ]),
    );

    const contents = [
      ...files,
      ...screens.map((screen, at) => [`screen ${at}: ${screen.slice(0, 80)}`, screen] as const),
    ];
    const secrets = { key, wrongKey, signature, signed: new URL(signed).searchParams.get('signature')! };
    for (const [what, secret] of Object.entries(secrets)) {
      const leaks = contents.flatMap(([where, content]) =>
        leaksIn(content, secret).map((spelling) => ({ what, where, spelling })),
      );
      expect(leaks).toEqual([]);
      figure.secrets += 1;
    }
    figure.files += contents.length;
    figure.bytes += contents.reduce((sum, [, content]) => sum + content.length, 0);
    figure.histories += histories.length;
  });
});

/** The histories and descriptions of workflows, as Temporal's command line and Web UI export them. */
async function exported(address: string, ids: string[]): Promise<string[]> {
  const texts: string[] = [];
  for (const id of ids) {
    for (const command of ['show', 'describe']) {
      const args = ['workflow', command, '--workflow-id', id, '--address', address, '--output', 'json'];
      const { stdout } = await promisify(execFile)(process.env.FORAY_TEMPORAL_CLI!, args, {
        maxBuffer: 1 << 28,
      });
      expect(stdout).toContain(command === 'show' ? 'EVENT_TYPE_WORKFLOW_EXECUTION_STARTED' : id);
      texts.push(stdout);
    }
  }
  return texts;
}
