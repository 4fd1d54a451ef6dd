import { expect, test } from '@jest/globals';
import type { ErrorBody } from '../../src/api/resources.ts';
import { startService } from '../../src/service/service.ts';
import { RemoteSession, startAnimation } from './animations.ts';
import {
  SERVICE_SYSTEM,
  startTestService,
  temporaryFolder,
  type TestService,
  writeModel,
} from './support.ts';

/**
 * Sends requests to an animated run with the same addresses and bodies as the official client of interface 8.5.0.
 * Unpacks the answers in the same way as that client.
 */
class OfficialClient {
  readonly #session: RemoteSession;

  constructor(session: RemoteSession) {
    this.#session = session;
  }

  command(cmd: string, parameters: string) {
    return this.#ask(`/command?cmd=${cmd}&parameters=${parameters}`);
  }

  setValue(path: string, value: unknown) {
    return this.#ask(
      `/set-value?pathtofield=${path}`,
      typeof value === 'string' ? value : JSON.stringify(value),
    );
  }

  getValue(path: string) {
    return this.#unpacked(this.#ask(`/get-value?pathtofield=${path}`, undefined, 'GET'));
  }

  callFunction(path: string, args: unknown[]) {
    const body = JSON.stringify(args.map((arg) => JSON.stringify(arg)));
    return this.#unpacked(this.#ask(`/call-function?pathtofunction=${path}`, body));
  }

  async #ask(what: string, body?: string, method = 'POST'): Promise<unknown> {
    const response = await fetch(`${this.#session.address}${what}`, { method, ...(body && { body }) });
    const answer = await response.json();
    if (response.status !== 200) throw answer as Error;
    return answer;
  }

  async #unpacked(answer: Promise<unknown>): Promise<unknown> {
    return JSON.parse(JSON.parse((await answer) as string) as string) as unknown;
  }
}

async function start(service: TestService, model: string, inputs: Parameters<typeof startAnimation>[2] = {}) {
  const { body } = await startAnimation(service, await service.latest(model), inputs);
  const session = new RemoteSession(service, body);
  return { session, client: new OfficialClient(session) };
}

/** The status, code and message with which the service refuses a request. */
async function refusal(asked: Promise<unknown>): Promise<[number, string, string]> {
  const { status, code, message } = (await asked.then(
    () => ({ status: 200 }),
    (error: unknown) => error,
  )) as ErrorBody;
  return [status, code, message];
}

const viewBox = async (session: RemoteSession) => /viewBox="([^"]*)"/.exec((await session.frame()).svg)![1];

test('a client can read values, change values and call functions of the model Service System Demo during an animation', async () => {
  const service = await startTestService({ modelDirs: [SERVICE_SYSTEM] });
  const { session, client } = await start(service, 'Service System Demo', {
    '{STOP_TIME}': 1e6,
    'Arrival rate': 0,
    'Server capacity': 3,
  });
  expect(await client.command('navigateto', 'servers')).toBeNull();
  expect(await viewBox(session)).toBe('376 16 256 270');
  expect(await client.command('setpresentable', 'experiment.root')).toBeNull();
  expect(await viewBox(session)).toBe('0 0 960 540');

  // with these values, no customer arrives by itself, and no service ends
  expect(await client.setValue('experiment.root.Mean service time', 1e9)).toBeNull();
  expect(await client.getValue('experiment.root.mean service time')).toBe(1e9);
  expect(await client.getValue('Customers waiting')).toBe(0);
  expect(await client.callFunction('experiment.root.Customers arrive', [5])).toBe(2);
  expect(await client.getValue('root.Customers waiting')).toBe(2);
  expect(await client.getValue('Busy servers')).toBe(3);

  for (const [asked, expected] of [
    [
      client.command('navigateto', 'Kitchen'),
      [400, 'INVALID_QUERY', /no view area "Kitchen".*"Line", "Servers"/],
    ],
    [client.command('setpresentable', 'experiment.root.desk'), [400, 'INVALID_QUERY', /experiment\.root/]],
    [
      client.command('explode', ''),
      [400, 'INVALID_QUERY', /pause, run, setspeed, navigateto, setpresentable/],
    ],
    [
      client.getValue('experiment.root.Temperature'),
      [400, 'INVALID_QUERY', /no value .*"Customers waiting"/],
    ],
    [client.setValue('Customers waiting', 5), [400, 'INVALID_QUERY', /can be read, but not set/]],
    [
      client.setValue('Mean service time', 'long'),
      [400, 'INVALID_VALUE', /"Mean service time".*not a number/],
    ],
    [
      client.setValue('Mean service time', -1),
      [422, 'COMMAND_REFUSED', /Mean service time is -1: it must be positive/],
    ],
    [client.callFunction('Close', []), [400, 'INVALID_QUERY', /no function "Close".*"Customers arrive"/]],
    [
      client.callFunction('Customers arrive', []),
      [400, 'INVALID_BODY', /0 arguments; it takes 1 \(Customers\)/],
    ],
    [client.callFunction('Customers arrive', ['x']), [422, 'COMMAND_REFUSED', /"x".*whole number/]],
  ] as const) {
    const [status, code, message] = await refusal(asked);
    expect([status, code, message]).toEqual([expected[0], expected[1], expect.stringMatching(expected[2])]);
  }
  for (const body of ['{', '{}', '[1]', '["{"]'])
    expect((await session.post('/call-function?pathtofunction=Customers arrive', body)).code).toBe(
      'INVALID_BODY',
    );
  expect((await session.post('/get-value', '')).code).toBe('INVALID_QUERY');

  // the refused values have not stopped the run
  expect(await session.state()).toBe('RUNNING');
  expect(await client.getValue('Mean service time')).toBe(1e9);
  await session.ask('/stop');
  expect(await client.command('navigateto', 'Line')).toBeNull();
  for (const asked of [client.getValue('Busy servers'), client.callFunction('Customers arrive', [1])])
    expect((await refusal(asked)).slice(0, 2)).toEqual([409, 'ANIMATION_ENDED']);
});

/** A model with settable values of four types, and with failing functions. */
const KINDS = `
  const kept = { S: 'a', L: 1n, D: '2026-01-01T00:00:00', B: false };
  const value = (name) => ({ get: () => kept[name], set: (given) => { kept[name] = given; } });
  export default {
    name: 'Kinds', description: '', inputs: [], outputs: [], run: () => ({}),
    animation: {
      width: 10, height: 10, units: 'HOUR',
      values: [
        { name: 'S', type: 'STRING', settable: true }, { name: 'L', type: 'LONG', settable: true },
        { name: 'D', type: 'DATE_TIME', settable: true }, { name: 'B', type: 'BOOLEAN', settable: true },
        { name: 'Odd', type: 'INTEGER' }, { name: 'Set', type: 'DATA_SET' },
      ],
      functions: [
        { name: 'echo', parameters: ['a', 'b'] }, { name: 'nothing' }, { name: 'later' },
        { name: 'throws' }, { name: 'big' }, { name: 'hangs' },
      ],
      start: () => ({
        end: 1e6, advance() {}, draw: () => '<g/>', outputs: () => ({}),
        values: {
          ...Object.fromEntries(Object.keys(kept).map((name) => [name, value(name)])),
          Odd: { get: () => 'odd' }, Set: { get: () => ({ dataX: [1], dataY: [Infinity] }) },
        },
        functions: {
          echo: (a, b) => [b, a], nothing() {}, later: async () => 'later',
          throws() { throw new Error('not now'); }, big: () => 'x'.repeat(5e6), hangs() { for (;;); },
        },
      }),
    },
  };`;

test('values keep the precision of their type, and a failing function does not end the run', async () => {
  const folder = temporaryFolder();
  writeModel(folder, 'kinds', KINDS);
  const service = await startTestService({ modelDirs: [folder] });
  const { session, client } = await start(service, 'Kinds');
  for (const [name, given] of [
    ['S', ''],
    ['S', 'null'],
    ['S', '{"name":"Вася"}'],
    ['B', true],
    ['D', '2026-03-01T10:00:00'],
  ] as const) {
    await client.setValue(name, given);
    expect(await client.getValue(name)).toBe(given);
  }
  await client.setValue('L', '9007199254740993');
  const { body } = await session.raw('/get-value?pathtofield=L');
  expect(JSON.parse(JSON.parse(body) as string)).toBe('9007199254740993');
  expect(await client.getValue('Set')).toEqual({ dataX: [1], dataY: ['Infinity'] });
  expect(await refusal(client.getValue('Odd'))).toEqual([
    422,
    'COMMAND_REFUSED',
    expect.stringContaining('INTEGER'),
  ]);

  expect(await client.callFunction('echo', [2.42, { a: [10, null] }])).toEqual([{ a: [10, null] }, 2.42]);
  expect(await client.callFunction('nothing', [])).toBeNull();
  expect(await client.callFunction('later', [])).toBe('later');
  for (const [name, reason] of [
    ['throws', 'not now'],
    ['big', '5000002 characters'],
  ] as const)
    expect(await refusal(client.callFunction(name, []))).toEqual([
      422,
      'COMMAND_REFUSED',
      expect.stringContaining(reason),
    ]);
  expect(await session.state()).toBe('RUNNING');

  // when the run is stopped, the service answers the call of a function that hangs
  const hanging = refusal(client.callFunction('hangs', []));
  await session.ask('/stop');
  expect((await hanging)[1]).toBe('ANIMATION_ENDED');
});

test('the service refuses a wrong declaration of an animation, and a scene that does not fit its declaration', async () => {
  const drawn = (declared: string) => `export default {
    name: 'Drawn', description: '', inputs: [], outputs: [], run: () => ({}),
    animation: { width: 9, height: 9, units: 'DAY', ${declared},
      start: () => ({ end: 1, advance() {}, draw: () => '', outputs: () => ({}), values: { A: { get: () => 1 } } }) },
  };`;
  for (const [declared, message] of [
    [`functions: [{ name: 'A' }, { name: ' a' }]`, /functions has "a" twice/],
    [
      `values: [{ name: 'A', type: 'DATA_SET', settable: true }]`,
      /"A" cannot be settable: its type is DATA_SET/,
    ],
    [`viewAreas: [{ name: 'A', x: 0, y: 0, width: 0, height: 9 }]`, /width/],
  ] as const) {
    const folder = temporaryFolder();
    writeModel(folder, 'drawn', drawn(declared));
    await expect(startService({ dataDir: temporaryFolder(), modelDirs: [folder] })).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: expect.stringMatching(message),
    });
  }
  for (const [declared, reason] of [
    [`values: [{ name: 'B', type: 'DOUBLE' }]`, 'the scene has no value "B"'],
    [`values: [{ name: 'A', type: 'DOUBLE', settable: true }]`, 'has no function "set"'],
    [`functions: [{ name: 'f' }]`, 'the scene has no function "f"'],
  ] as const) {
    const folder = temporaryFolder();
    writeModel(folder, 'drawn', drawn(declared));
    const service = await startTestService({ modelDirs: [folder] });
    const { body } = await startAnimation(service, await service.latest('Drawn'));
    expect(body).toMatchObject({ code: 'ANIMATION_FAILED', message: expect.stringContaining(reason) });
  }
});
