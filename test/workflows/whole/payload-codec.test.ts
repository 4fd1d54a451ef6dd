import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { Foray } from '../../../src/client/index.ts';
import { dataConverter } from '../../../src/payload-codec.ts';
import { toTheEnd } from '../../support/campaigns.ts';
import { cleanEnv, foray, ROOT } from '../../support/cli.ts';
import { until } from '../../support/until.ts';
import { environmentOf, startWorkerProcess } from '../../support/worker.ts';
import { rehearsal, startWorld, type World } from '../../support/world.ts';

const EXAMPLE = join(ROOT, 'examples/payload-codec');
const CODEC = join(EXAMPLE, 'codec.mjs');

let folder: string;
let keys: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'foray-codec-'));
  keys = join(folder, 'keys');
  addKey('first');
  process.env.FORAY_PAYLOAD_KEYS = keys;
});
afterAll(() => {
  delete process.env.FORAY_PAYLOAD_KEYS;
  rmSync(folder, { recursive: true });
});

function addKey(id: string): void {
  appendFileSync(keys, `${id} ${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
}

describe('examples/payload-codec', () => {
  let world: World;
  let plain: Client;
  beforeAll(async () => {
    world = await startWorld({ payloadCodec: CODEC });
    const connection = await Connection.connect(world.settings.temporal.connectionOptions);
    plain = new Client({ connection });
  });
  afterAll(async () => {
    await plain.connection.close();
    await world.close();
  });

  /** The payloads of a history as Temporal keeps them, except those of search attributes. */
  async function payloadsOf(id: string): Promise<Payload[]> {
    return payloadsIn((await plain.workflow.getHandle(id).fetchHistory()).events);
  }

  test('keeps no payload as plain text in the history, and a key can be replaced while a campaign runs', async () => {
    const env = { FORAY_PAYLOAD_KEYS: keys };
    const settings = { ...environmentOf(world.settings), ...env };
    const worker = startWorkerProcess(world.settings, [], env);
    const { text, file } = rehearsal({ count: 8, seconds: 1, more: 'concurrency: 2' });
    writeFileSync(join(folder, file), text);
    const submitted = await foray(folder, ['submit', file, '--id', 'secret'], { env: settings });
    expect([submitted.code, submitted.stderr]).toEqual([0, expect.stringContaining('secret')]);
    await world.foray.steer('secret', 'pause', 'an inspection of the pump');
    await until(
      'the campaign is paused',
      async () => (await world.foray.status('secret')).phase === 'paused',
    );
    addKey('second');
    await world.foray.steer('secret', 'resume');
    expect(await toTheEnd(world, 'secret')).toMatchObject({ phase: 'completed', runs: { new: 8 } });
    const { stdout } = await foray(folder, ['status', 'secret', '--json'], { env: settings });
    expect(JSON.parse(stdout)).toMatchObject({ phase: 'completed', runs: { total: 8, done: 8 } });
    await worker.kill();

    const payloads = await payloadsOf('secret');
    expect(new Set(payloads.map(({ metadata }) => textOf(metadata?.encoding)))).toEqual(
      new Set(['binary/encrypted']),
    );
    expect(new Set(payloads.map(({ metadata }) => textOf(metadata?.['encryption-key-id'])))).toEqual(
      new Set(['first', 'second']),
    );
    // what the payloads hold is found nowhere in the history, also not in texts beside the payloads
    const { events } = await plain.workflow.getHandle('secret').fetchHistory();
    const kept = JSON.stringify(events, (_, value: unknown) =>
      value instanceof Uint8Array ? textOf(value) : value,
    );
    const [own] = (await dataConverter(CODEC)).payloadCodecs!;
    const read = (await own!.decode(payloads)).map(({ data }) => textOf(data)).join('\n');
    for (const secret of [world.foray['store'].id, world.settings.service.url, 'an inspection of the pump']) {
      expect(read).toContain(secret);
      expect(kept).not.toContain(secret);
    }
  });

  test('a client without the codec says so, and a worker without it loses no run', async () => {
    const { temporal } = world.settings;
    const wrong = startWorkerProcess({
      ...world.settings,
      temporal: { ...temporal, payloadCodec: undefined },
    });
    await wrong.ready;
    await world.foray.submit(rehearsal({ count: 3, first: 101 }), { id: 'waits' });
    const other = await Foray.open({ ...world.settings, temporal: { ...temporal, payloadCodec: undefined } });
    try {
      expect((await other.status('waits')).blocked).toContain(
        'FORAY_PAYLOAD_CODEC names no codec that can read what Temporal keeps (Unknown encoding: binary/encrypted)',
      );
    } finally {
      await other.close();
    }
    await until('the wrong worker has failed', async () =>
      (await plain.workflow.getHandle('waits').fetchHistory()).events?.some(
        ({ workflowTaskFailedEventAttributes: failed }) => failed,
      ),
    );
    await wrong.kill();
    const before = world.executions().length;
    const right = startWorkerProcess(world.settings, [], { FORAY_PAYLOAD_KEYS: keys });
    expect(await toTheEnd(world, 'waits')).toMatchObject({ phase: 'completed', runs: { new: 3 } });
    expect(world.executions().slice(before)).toEqual([1, 1, 1]);
    await right.kill();
  });

  test("its server decrypts for Temporal's command line and for the Web UI, but not for other sites", async () => {
    const origin = 'http://127.0.0.1:8233';
    const server = spawn(process.execPath, [join(EXAMPLE, 'codec-server.mjs'), '0', origin], {
      env: { ...cleanEnv(), FORAY_PAYLOAD_KEYS: keys },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [line] = (await once(server.stdout, 'data')) as [Buffer];
      const [url] = /http:\S+/.exec(line.toString())!;
      const address = world.settings.temporal.connectionOptions.address!;
      const describe = [
        'workflow',
        'describe',
        '--address',
        address,
        '--workflow-id',
        'secret',
        '--output',
        'json',
      ];
      const described = async (...more: string[]): Promise<string> =>
        (await promisify(execFile)(process.env.FORAY_TEMPORAL_CLI!, [...describe, ...more])).stdout;
      const store = world.foray['store'].id;
      expect(await described('--codec-endpoint', url)).toContain(store);
      expect(await described()).not.toContain(store);

      const [payload] = await payloadsOf('secret');
      const body = JSON.stringify({ payloads: [toJson(payload!)] });
      const ask = (from: string, method: string) =>
        fetch(`${url}/decode`, { method, headers: { origin: from }, ...(method === 'POST' && { body }) });
      const allowed = await ask(origin, 'OPTIONS');
      expect(Object.fromEntries(allowed.headers)).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-headers': 'content-type,x-namespace',
      });
      expect((await ask(origin, 'POST')).status).toBe(200);
      expect((await ask('http://elsewhere.example', 'POST')).status).toBe(403);
    } finally {
      server.kill();
    }
  });
});

/** All payloads in a message of Temporal, at any depth, except those of search attributes. */
function payloadsIn(value: unknown): Payload[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  if ('metadata' in value && 'data' in value && value.data instanceof Uint8Array) return [value as Payload];
  return Object.entries(value).flatMap(([name, part]) =>
    name === 'searchAttributes' ? [] : payloadsIn(part),
  );
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString();
}

function toJson({ metadata, data }: Payload): unknown {
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  return {
    metadata: Object.fromEntries(
      Object.entries(metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)]),
    ),
    data: base64(data!),
  };
}
