import { describe, expect, test } from '@jest/globals';
import type { Experiment } from '../../../src/api/resources.ts';
import { results } from '../../service/experiments.ts';
import { INVENTORY, messageIn, outputsOf, reach, requestRun, sharedService } from '../../service/support.ts';
import { outputsOf as outputsHere } from './support.ts';

const shared = sharedService({ modelDirs: [INVENTORY] });

describe('the model Inventory', () => {
  test('gives the same outputs with and without a service', async () => {
    const service = shared();
    const version = await service.latest('Inventory');
    const inputs = { 'Reorder point': 30, 'Demand size weights': '1, 0.5', '{STOP_TIME}': 60 };
    const outputs = await outputsOf(service, version, inputs);
    const here = outputsHere(inputs);
    for (const [name, value] of Object.entries(here)) expect(outputs.get(name)).toBe(JSON.stringify(value));
  });

  test('has a stored parameter variation that shows the effect of a higher order-up-to level', async () => {
    const service = shared();
    const version = await service.latest('Inventory');
    const { body } = await service.get<Experiment[]>(`/versions/${version}/experiments`);
    expect(body.map(({ name, type }) => [name, type])).toEqual([
      ['Baseline', 'SIMULATION'],
      ['Order-up-to level variation', 'PARAMETER_VARIATION'],
    ]);
    const { inputs } = body[1]!;
    const outputs = await results(service, version, { experimentType: 'PARAMETER_VARIATION', inputs });
    const named = (name: string) =>
      JSON.parse(outputs.find((element) => element.outputs[0]?.name === name)!.value) as number[];
    const orders = named('Orders');
    expect(orders).toHaveLength(8);
    expect(orders).toEqual([...orders].sort((a, b) => b - a));
    const holding = named('Mean holding cost');
    expect(holding).toEqual([...holding].sort((a, b) => a - b));
  });

  test('says what is wrong with its inputs', async () => {
    const service = shared();
    const version = await service.latest('Inventory');
    const notWeights = 'it must be numbers with commas between them, none negative and at least one positive';
    for (const [inputs, reason] of [
      [
        { 'Order-up-to level': 19 },
        'Order-up-to level is 19: it must be at least Reorder point, which is 20',
      ],
      [{ 'Review period': 0 }, 'Review period is 0: it must be positive'],
      [{ 'Initial inventory': -1 }, 'Initial inventory is -1: it must not be negative'],
      [{ 'Demand rate': -0.5 }, 'Demand rate is -0.5: it must not be negative'],
      [{ 'Demand size weights': '1, two' }, `Demand size weights is "1, two": ${notWeights}`],
      [{ 'Demand size weights': '1,,1' }, `Demand size weights is "1,,1": ${notWeights}`],
      [{ 'Demand size weights': '2, -1' }, `Demand size weights is "2, -1": ${notWeights}`],
      [{ 'Demand size weights': '0' }, `Demand size weights is "0": ${notWeights}`],
      [{ 'Demand size weights': '1, Infinity' }, `Demand size weights is "1, Infinity": ${notWeights}`],
      [{ 'Minimum delivery lag': -1 }, 'Minimum delivery lag is -1: it must not be negative'],
      [
        { 'Maximum delivery lag': 0.25 },
        'Maximum delivery lag is 0.25: it must be at least Minimum delivery lag, which is 0.5',
      ],
      [{ 'Setup cost': -1 }, 'Setup cost is -1: it must not be negative'],
      [{ 'Item cost': -1 }, 'Item cost is -1: it must not be negative'],
      [{ 'Holding cost': -1 }, 'Holding cost is -1: it must not be negative'],
      [{ 'Shortage cost': -1 }, 'Shortage cost is -1: it must not be negative'],
      [{ 'Warm-up time': -1 }, 'Warm-up time is -1: it must not be negative'],
      [
        { '{START_TIME}': 5, '{STOP_TIME}': 17, 'Warm-up time': 12 },
        'Warm-up time is 12: it must be less than the time from {START_TIME} to {STOP_TIME}, which is 12',
      ],
    ] as const) {
      const { body: run } = await requestRun(service, version, inputs);
      expect(messageIn(await reach(service, run, 'FAILED')).title).toBe(reason);
    }
  });
});
