import type { DataSet, RunContext, Scene, Statistics } from '../../../src/service/models/model.ts';
import model from '../../../models/inventory/model.ts';
import { read } from '../../../models/inventory/settings.ts';
import { InventorySystem } from '../../../models/inventory/system.ts';

type Context = RunContext<typeof model.inputs>;

export type Inputs = Partial<Context['inputs']>;

export interface Outputs {
  'Mean total cost': number;
  'Mean ordering cost': number;
  'Mean holding cost': number;
  'Mean shortage cost': number;
  'Fill rate': number | null;
  'Mean inventory': number;
  'Mean backorders': number;
  Orders: number;
  'Inventory level': Statistics;
  'Inventory|Level': DataSet;
  'Inventory|On order': DataSet;
}

/** A run without a service. */
export function outputsOf(inputs: Inputs = {}, progress: (fraction: number) => void = () => {}): Outputs {
  return model.run({ ...contextOf(inputs), progress }) as Outputs;
}

/** Runs with the seeds from a first one on. */
export function replications(inputs: Inputs, count: number, first = 1): Outputs[] {
  return Array.from({ length: count }, (_, i) =>
    outputsOf({ ...inputs, '{RANDOM_SEED}': BigInt(first + i) }),
  );
}

export function sceneOf(inputs: Inputs = {}): Scene {
  return model.animation!.start(contextOf(inputs)) as Scene;
}

export function systemOf(inputs: Inputs = {}): InventorySystem {
  return new InventorySystem(read(contextOf(inputs)));
}

function contextOf(inputs: Inputs): Context {
  const defaults = Object.fromEntries(model.inputs.map((input) => [input.name, input.default]));
  const values = { ...defaults, '{RANDOM_SEED}': 1n, ...inputs } as Context['inputs'];
  return {
    inputs: values,
    seed: values['{RANDOM_SEED}'],
    horizon: { start: values['{START_TIME}'], stop: values['{STOP_TIME}'] },
    readFile: () => null,
    writeFile: () => {
      throw new Error('it writes no file');
    },
    progress: () => {},
  };
}
