import { describe, expect, test } from '@jest/globals';
import type { InputItem } from '../../src/api/resources.ts';
import { startService } from '../../src/service/service.ts';
import { horizonOf } from '../../src/service/models/system-inputs.ts';
import { executed, request, results, variation, doubles, experiment } from './experiments.ts';
import {
  messageIn,
  outputsOf,
  reach,
  requestRun,
  startTestService,
  stateOf,
  temporaryFolder,
  until,
  writeModel,
} from './support.ts';

const input = (name: string, type: string, value: string | number, units?: string) =>
  JSON.stringify({ name, type, default: value, ...(units && { units }) });

const CLOCK = [
  input('{STOP_MODE}', 'STRING', 'STOP_MODE_AT_TIME'),
  input('{START_TIME}', 'DOUBLE', 0, 'HOUR'),
  input('{STOP_TIME}', 'DOUBLE', 100, 'HOUR'),
  input('{START_DATE}', 'DATE_TIME', '2026-03-01T00:00'),
  input('{STOP_DATE}', 'DATE_TIME', '2026-03-31T00:00'),
];

/**
 * Starts a service with one model. `inputs` are its declared inputs as JSON, and `body` is the code of its function
 * `run`.
 */
async function startWith(inputs: string[], body: string, options = {}) {
  const folder = temporaryFolder();
  writeModel(
    folder,
    'told',
    `export default { name: 'Told', description: '', inputs: [${inputs.join(',')}],
      outputs: [{ name: 'Told', type: 'STRING' }], run(context) { ${body} } };`,
  );
  const service = await startTestService({ modelDirs: [folder], executors: 1, ...options });
  return { service, version: await service.latest('Told') };
}

const TELL = `return { Told: context.horizon.start + ' to ' + context.horizon.stop };`;

describe('start and stop', () => {
  test('give a model its time horizon in the units of the model', async () => {
    const { service, version } = await startWith(CLOCK, TELL);
    const told = async (inputs: Record<string, string | number>) =>
      JSON.parse((await outputsOf(service, version, inputs)).get('Told')!) as string;
    expect(await told({})).toBe('0 to 100');
    expect(await told({ '{START_TIME}': 10, '{STOP_TIME}': '10.0' })).toBe('10 to 10');
    expect(await told({ '{STOP_MODE}': ' stop_mode_never ' })).toBe('0 to Infinity');
    expect(await told({ '{STOP_MODE}': 'STOP_MODE_AT_DATE', '{START_TIME}': 5 })).toBe('5 to 725');
    // the dates have no time zone, so no hour is missing at the change to summer time
    expect(await told({ '{STOP_MODE}': 'STOP_MODE_AT_DATE', '{STOP_DATE}': '2026-03-01T01:30' })).toBe(
      '0 to 1.5',
    );
    const swept = await results(service, version, variation({ '{STOP_TIME}': doubles(10, 30, 10) }));
    expect(JSON.parse(swept[0]!.value)).toEqual(['0 to 10', '0 to 20', '0 to 30']);
  });

  test('are optional: a run of a model without these inputs has no end', async () => {
    const { service, version } = await startWith([], TELL);
    expect((await outputsOf(service, version)).get('Told')).toBe('"0 to Infinity"');
  });

  test('are refused with the name of the input if they are impossible', async () => {
    const { service, version } = await startWith(CLOCK, TELL);
    for (const [body, message] of [
      [
        experiment('SIMULATION', { '{STOP_MODE}': 'STOP_MODE_SOON' }),
        /"\{STOP_MODE\}".*none of STOP_MODE_AT_TIME/,
      ],
      [experiment('SIMULATION', { '{START_TIME}': 101 }), /"\{STOP_TIME\}" is 100, before the start at 101/],
      [
        experiment('SIMULATION', { '{STOP_MODE}': 'STOP_MODE_AT_DATE', '{STOP_DATE}': '2026-02-28T00:00' }),
        /"\{STOP_DATE\}" is 2026-02-28T00:00:00, before the start/,
      ],
      [variation({ '{START_TIME}': doubles(99, 101, 1) }), /"\{STOP_TIME\}"/],
    ] as const) {
      const { body: answer } = await request(service, version, body);
      expect(answer).toMatchObject({
        status: 400,
        code: 'INVALID_VALUE',
        message: expect.stringMatching(message),
      });
    }
    expect(executed(service.dataDir)).toEqual([]);
    const dateless = await startWith(CLOCK.slice(0, 3), TELL);
    const { body } = await requestRun(dateless.service, dateless.version, {
      '{STOP_MODE}': 'STOP_MODE_AT_DATE',
    });
    expect(body).toMatchObject({ status: 400, message: expect.stringContaining('"{START_DATE}"') });
  });

  test.each([
    ['MINUTE', 60 * 24],
    ['DAY', 1],
    ['WEEK', 1 / 7],
    ['YEAR', 1 / 365],
    [null, 86_400],
  ] as const)('may be dates, which become times in the unit %s', (units, length) => {
    const template = [{ name: '{STOP_TIME}', type: 'DOUBLE', units, value: '0' }] as InputItem[];
    const dates = { '{START_DATE}': '2024-02-28T00:00:00', '{STOP_DATE}': '2024-02-29T00:00:00' };
    const horizon = horizonOf(template, { '{STOP_MODE}': 'STOP_MODE_AT_DATE', ...dates });
    expect(horizon).toEqual({ start: 0, stop: length });
  });

  test('must have the right type and a valid default: the service refuses another model at the start', async () => {
    for (const [declared, message] of [
      [input('{STOP_TIME}', 'INTEGER', 5), /"\{STOP_TIME\}" must be of the type DOUBLE/],
      [input('{STOP_MODE}', 'STRING', 'SOON'), /the default of "\{STOP_MODE\}" is "SOON"/],
    ] as const) {
      const folder = temporaryFolder();
      writeModel(
        folder,
        'odd',
        `export default { name: 'Odd', description: '', inputs: [${declared}], outputs: [], run() { return {}; } };`,
      );
      const starting = startService({ dataDir: temporaryFolder(), modelDirs: [folder] });
      await expect(starting).rejects.toMatchObject({
        code: 'MODEL_INVALID',
        message: expect.stringMatching(message),
      });
    }
  });
});

describe('limits of a run', () => {
  const HOARD = `
    const kept = [];
    if (context.inputs.How === 'heap') for (;;) kept.push(new Array(1000).fill(kept.length));
    if (context.inputs.How === 'buffers') for (;;) kept.push(Buffer.alloc(1_000_000, 1));
    return { Told: 'modest' };`;
  const MEMORY = [input('{MAX_MEMORY_MB}', 'INTEGER', 64), input('How', 'STRING', 'modest')];

  test.each(['heap', 'buffers'])(
    'memory: a run that exceeds the limit in its %s fails with this reason',
    async (How) => {
      const { service, version } = await startWith(MEMORY, HOARD);
      const { body: run } = await requestRun(service, version, { How });
      const { title } = messageIn(await reach(service, run, 'FAILED'));
      expect(title).toBe('it needed more memory than it may take: 64 MB');
      // the service still executes runs, with this limit and with other limits
      expect((await outputsOf(service, version)).get('Told')).toBe('"modest"');
      expect((await outputsOf(service, version, { '{MAX_MEMORY_MB}': 100 })).get('Told')).toBe('"modest"');
      expect((await outputsOf(service, version, { '{MAX_MEMORY_MB}': 16 })).get('Told')).toBe('"modest"');
    },
  );

  test('memory: a limit below 16 MB is refused', async () => {
    const { service, version } = await startWith(MEMORY, HOARD);
    const { body } = await requestRun(service, version, { '{MAX_MEMORY_MB}': 15 });
    expect(body).toMatchObject({ status: 400, message: expect.stringMatching(/MAX_MEMORY_MB.*at least 16/) });
  });

  test('time: a run that exceeds the limit fails with this reason', async () => {
    const { service, version } = await startWith(
      [input('Block', 'BOOLEAN', 'false')],
      // it blocks its thread like a loop without an end, but costs no CPU time
      `if (context.inputs.Block) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
       return { Told: 'quick' };`,
      { runTimeout: 4 },
    );
    const { body: run } = await requestRun(service, version, { Block: true });
    const { title } = messageIn(await reach(service, run, 'FAILED'));
    expect(title).toBe('it ran longer than the time limit of the service: 4 s');
    // the time limit includes the start of a process, so on a slow machine a quick run may also exceed it
    await until(async () => {
      const { body: quick } = await requestRun(service, version);
      const end = await until(async () => {
        const { status } = await stateOf(service, quick);
        return status === 'COMPLETED' || status === 'FAILED' ? status : undefined;
      }, 'a quick run to end');
      return end === 'COMPLETED' || undefined;
    }, 'a quick run to be COMPLETED');
    expect((await outputsOf(service, version)).get('Told')).toBe('"quick"');
  });
});
