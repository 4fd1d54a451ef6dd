import { describe, expect, test } from '@jest/globals';
import type { Experiment } from '../../../src/api/resources.ts';
import { results } from '../../service/experiments.ts';
import { messageIn, outputsOf, reach, requestRun, startTestService } from '../../service/support.ts';
import { outputsOf as outputsHere } from './support.ts';

describe('the model Service System Demo', () => {
  test('gives its outputs, the same as without a service', async () => {
    const service = await startTestService();
    const version = await service.latest('Service System Demo');
    const outputs = await outputsOf(service, version, { 'Server capacity': 9, '{STOP_TIME}': 300 });
    const here = outputsHere({ 'Server capacity': 9, '{STOP_TIME}': 300 });
    for (const [name, value] of Object.entries(here)) expect(outputs.get(name)).toBe(JSON.stringify(value));
  });

  test('its stored parameter variation tells what more servers do', async () => {
    const service = await startTestService();
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
    const service = await startTestService();
    const version = await service.latest('Service System Demo');
    for (const [inputs, reason] of [
      [{ 'Server capacity': 0 }, 'Server capacity is 0: it must be at least 1'],
      [{ 'Arrival rate': -1 }, 'Arrival rate is -1: it must not be negative'],
      [{ 'Mean service time': 0 }, 'Mean service time is 0: it must be positive'],
      [{ 'Warm-up time': -1 }, 'Warm-up time is -1: it must not be negative'],
      [
        { '{START_TIME}': 5, '{STOP_TIME}': 105 },
        'Warm-up time is 100: it must be less than the time from {START_TIME} to {STOP_TIME}, which is 100',
      ],
    ] as const) {
      const { body: run } = await requestRun(service, version, inputs);
      expect(messageIn(await reach(service, run, 'FAILED')).title).toBe(reason);
    }
  });
});
