import type { DataSet, RunContext, Scene, Statistics } from '../../../src/service/models/model.ts';
import model from '../../../models/inventory/model.ts';
import { read } from '../../../models/inventory/settings.ts';
import { InventorySystem } from '../../../models/inventory/system.ts';
import { contextOf } from '../context.ts';

type Context = RunContext<typeof model.inputs>;

export type Inputs = Partial<Context['inputs']>;

export interface Outputs {
  'Mean total cost': number;
  'Mean ordering cost': number;
  'Mean holding cost': number;
  'Mean shortage cost': number;
  'Service level': number | null;
  'Mean inventory': number;
  'Mean backorders': number;
  Orders: number;
  'Inventory level': Statistics;
  'Inventory|Level': DataSet;
  'Inventory|On order': DataSet;
}

/** The outputs of a run without a service. */
export function outputsOf(inputs: Inputs = {}, progress: (fraction: number) => void = () => {}): Outputs {
  return model.run({ ...contextOf(model, inputs), progress }) as Outputs;
}

/** The outputs of runs with consecutive seeds. */
export function replications(inputs: Inputs, count: number, first = 1): Outputs[] {
  return Array.from({ length: count }, (_, i) =>
    outputsOf({ ...inputs, '{RANDOM_SEED}': BigInt(first + i) }),
  );
}

export function sceneOf(inputs: Inputs = {}): Scene {
  return model.animation!.start(contextOf(model, inputs)) as Scene;
}

export function systemOf(inputs: Inputs = {}): InventorySystem {
  return new InventorySystem(read(contextOf(model, inputs)));
}
