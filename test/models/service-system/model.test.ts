import { describe, expect, test } from '@jest/globals';
import type { Experiment, Model, Version } from '../../../src/api/resources.ts';
import { results } from '../../service/experiments.ts';
import {
  messageIn,
  outputsOf,
  reach,
  requestRun,
  SERVICE_SYSTEM,
  sharedService,
} from '../../service/support.ts';
import { outputsOf as outputsHere } from './support.ts';

const shared = sharedService({ modelDirs: [SERVICE_SYSTEM] });

describe('the model Service System Demo', () => {
  test('gives the same outputs with and without a service', async () => {
    const service = shared();
    const version = await service.latest('Service System Demo');
    const outputs = await outputsOf(service, version, { 'Server capacity': 9, '{STOP_TIME}': 300 });
    const here = outputsHere({ 'Server capacity': 9, '{STOP_TIME}': 300 });
    for (const [name, value] of Object.entries(here)) expect(outputs.get(name)).toBe(JSON.stringify(value));
  });

  test('has a stored parameter variation that shows the effect of more servers', async () => {
    const service = shared();
    const version = await service.latest('Service System Demo');
    const { body } = await service.get<Experiment[]>(`/versions/${version}/experiments`);
    expect(body.map(({ name, type }) => [name, type])).toEqual([
      ['Baseline', 'SIMULATION'],
      ['Capacity variation', 'PARAMETER_VARIATION'],
    ]);
    const { inputs } = body[1]!;
    const outputs = await results(service, version, { experimentType: 'PARAMETER_VARIATION', inputs });
    const named = (name: string) =>
      JSON.parse(outputs.find((element) => element.outputs[0]?.name === name)!.value) as number[];
    const utilizations = named('Server utilization');
    expect(utilizations).toHaveLength(7);
    expect(utilizations).toEqual([...utilizations].sort((a, b) => b - a));
    const queues = named('Mean queue size');
    expect(queues).toEqual([...queues].sort((a, b) => b - a));
  });

  test('says what is wrong with its inputs', async () => {
    const service = shared();
    const version = await service.latest('Service System Demo');
    for (const [inputs, reason] of [
      [{ 'Server capacity': 0 }, 'Server capacity is 0: it must be at least 1'],
      [{ 'Arrival rate': -1 }, 'Arrival rate is -1: it must not be negative'],
      [{ 'Mean service time': 0 }, 'Mean service time is 0: it must be positive'],
      [{ 'Warm-up time': -1 }, 'Warm-up time is -1: it must not be negative'],
      [
        { '{START_TIME}': 5, '{STOP_TIME}': 105 },
        'Warm-up time is 100: it must be less than the time from the start of the run to its stop, which is 100',
      ],
    ] as const) {
      const { body: run } = await requestRun(service, version, inputs);
      expect(messageIn(await reach(service, run, 'FAILED')).title).toBe(reason);
    }
  });

  test('has the seven system inputs; a request with their defaults gets the same run, and equal dates and times give equal outputs', async () => {
    const service = shared();
    const version = await service.latest('Service System Demo');
    const { body: model } = await service.post<Model>('/models/name/', 'Service System Demo');
    const { body } = await service.get<Version>(`/models/${model.id}/versions/${version}`);
    const system = body.experimentTemplate.inputs.filter(({ name }) => name.startsWith('{'));
    expect(system.map(({ name, type, value }) => [name, type, value])).toEqual([
      ['{STOP_MODE}', 'STRING', 'STOP_MODE_AT_TIME'],
      ['{START_TIME}', 'DOUBLE', '0'],
      ['{STOP_TIME}', 'DOUBLE', '1000'],
      ['{START_DATE}', 'DATE_TIME', '2026-01-01T00:00:00'],
      ['{STOP_DATE}', 'DATE_TIME', '2026-01-01T16:40:00'],
      ['{MAX_MEMORY_MB}', 'INTEGER', '1024'],
      ['{RANDOM_SEED}', 'LONG', '1'],
    ]);
    const { body: bare } = await requestRun(service, version);
    const stated = Object.fromEntries(system.map(({ name, value }) => [name, value]));
    expect((await requestRun(service, version, stated)).body.id).toBe(bare.id);

    // a run between two dates has the same outputs as a run of the same number of minutes
    const byTime = await outputsOf(service, version, {
      '{STOP_TIME}': 240,
      '{STOP_DATE}': '2026-02-01T04:00',
    });
    const byDate = await outputsOf(service, version, {
      '{STOP_MODE}': 'STOP_MODE_AT_DATE',
      '{START_DATE}': '2026-02-01T00:00',
      '{STOP_DATE}': '2026-02-01T04:00',
    });
    expect(byDate).toEqual(byTime);
    expect(await outputsOf(service, version, { '{STOP_MODE}': 'STOP_MODE_AT_DATE' })).toEqual(
      await outputsOf(service, version),
    );
    for (const [mode, message] of [
      ['STOP_MODE_NEVER', /"\{STOP_MODE\}".*STOP_MODE_NEVER.*one of STOP_MODE_AT_TIME, STOP_MODE_AT_DATE/],
      ['NEVER', /"\{STOP_MODE\}".*none of/],
    ] as const) {
      const { body } = await requestRun(service, version, { '{STOP_MODE}': mode });
      expect(body).toMatchObject({ code: 'INVALID_VALUE', message: expect.stringMatching(message) });
    }
  });
});
