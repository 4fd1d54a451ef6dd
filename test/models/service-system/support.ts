import type { Histogram, Scene, Statistics } from '../../../src/service/models/model.ts';
import model from '../../../models/service-system/model.ts';
import { contextOf } from '../context.ts';

export type Inputs = Partial<Record<(typeof model.inputs)[number]['name'], number | bigint>>;

export interface Outputs {
  'Server utilization': number | null;
  'Mean queue size': number | null;
  'Mean waiting time': number | null;
  'Customers served': number;
  'Time in system': Histogram;
  'Queue size': Statistics;
  'Queue|Waiting': { dataX: number[]; dataY: number[] };
  'Queue|In service': { dataX: number[]; dataY: number[] };
}

/** The outputs of a run without a service. */
export function outputsOf(inputs: Inputs = {}, progress: (fraction: number) => void = () => {}): Outputs {
  return model.run({ ...contextOf(model, inputs), progress }) as Outputs;
}

export function sceneOf(inputs: Inputs = {}): Scene {
  return model.animation!.start(contextOf(model, inputs)) as Scene;
}

/** The exact bytes of the outputs of some runs, one after another. */
export function fingerprint(): string {
  const runs: Inputs[] = [
    {},
    { '{RANDOM_SEED}': 2n ** 63n - 1n },
    { '{RANDOM_SEED}': -5n, '{START_TIME}': 12.5, 'Server capacity': 3, 'Mean service time': 0.9 },
    { 'Arrival rate': 0.7, 'Server capacity': 1, 'Warm-up time': 0 },
  ];
  return runs.map((inputs) => JSON.stringify(outputsOf(inputs))).join('\n');
}
