import type { InputDeclaration, RunContext } from '../../src/service/models/model.ts';
import type { Settings } from './system.ts';

/** The defaults of Law and Kelton, with the best of their nine policies. */
export const inputs = [
  { name: '{RANDOM_SEED}', type: 'LONG', default: 1 },
  { name: '{START_TIME}', type: 'DOUBLE', units: 'MONTH', default: 0 },
  { name: '{STOP_TIME}', type: 'DOUBLE', units: 'MONTH', default: 120 },
  { name: 'Reorder point', type: 'INTEGER', default: 20 },
  { name: 'Order-up-to level', type: 'INTEGER', default: 60 },
  { name: 'Review period', type: 'DOUBLE', units: 'MONTH', default: 1 },
  { name: 'Initial inventory', type: 'INTEGER', default: 60 },
  { name: 'Demand rate', type: 'DOUBLE', units: 'PER_MONTH', default: 10 },
  { name: 'Demand size weights', type: 'STRING', default: '1, 2, 2, 1' },
  { name: 'Minimum delivery lag', type: 'DOUBLE', units: 'MONTH', default: 0.5 },
  { name: 'Maximum delivery lag', type: 'DOUBLE', units: 'MONTH', default: 1 },
  { name: 'Setup cost', type: 'DOUBLE', default: 32 },
  { name: 'Item cost', type: 'DOUBLE', default: 3 },
  { name: 'Holding cost', type: 'DOUBLE', default: 1 },
  { name: 'Shortage cost', type: 'DOUBLE', default: 5 },
  { name: 'Warm-up time', type: 'DOUBLE', units: 'MONTH', default: 0 },
] as const satisfies InputDeclaration[];

type Context = RunContext<typeof inputs>;

/** @throws Error that names the input that is out of range */
export function read({ inputs, seed, horizon: { start, stop } }: Context): Settings {
  for (const name of notNegative) {
    if (inputs[name] < 0) throw new Error(`${name} is ${inputs[name]}: it must not be negative`);
  }
  const reorderPoint = inputs['Reorder point'];
  const orderUpToLevel = inputs['Order-up-to level'];
  const reviewPeriod = inputs['Review period'];
  const deliveryLag = { min: inputs['Minimum delivery lag'], max: inputs['Maximum delivery lag'] };
  const warmUp = inputs['Warm-up time'];
  if (orderUpToLevel < reorderPoint) {
    throw new Error(
      `Order-up-to level is ${orderUpToLevel}: it must be at least Reorder point, which is ${reorderPoint}`,
    );
  }
  if (reviewPeriod <= 0) throw new Error(`Review period is ${reviewPeriod}: it must be positive`);
  if (deliveryLag.max < deliveryLag.min) {
    throw new Error(
      `Maximum delivery lag is ${deliveryLag.max}: it must be at least Minimum delivery lag, which is ${deliveryLag.min}`,
    );
  }
  if (warmUp >= stop - start) {
    throw new Error(
      `Warm-up time is ${warmUp}: it must be less than the time from {START_TIME} to {STOP_TIME}, which is ${stop - start}`,
    );
  }
  return {
    reorderPoint,
    orderUpToLevel,
    reviewPeriod,
    initialInventory: inputs['Initial inventory'],
    demandRate: inputs['Demand rate'],
    demandSizes: readWeights(inputs['Demand size weights']),
    deliveryLag,
    costs: {
      setup: inputs['Setup cost'],
      item: inputs['Item cost'],
      holding: inputs['Holding cost'],
      shortage: inputs['Shortage cost'],
    },
    warmUp,
    start,
    stop,
    seed,
  };
}

const notNegative = [
  'Initial inventory',
  'Demand rate',
  'Minimum delivery lag',
  'Setup cost',
  'Item cost',
  'Holding cost',
  'Shortage cost',
  'Warm-up time',
] as const satisfies (keyof Context['inputs'])[];

function readWeights(text: string): number[] {
  const weights = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const sum = weights.reduce((sum, weight) => sum + weight, 0);
  if (weights.some((weight) => weight < 0) || !(sum > 0 && sum < Infinity)) {
    throw new Error(
      `Demand size weights is "${text.slice(0, 60)}": it must be numbers with commas between them, none negative and at least one positive`,
    );
  }
  return weights;
}
