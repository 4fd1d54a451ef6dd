import { defineModel } from '../../src/service/models/model.ts';
import { runWithProgress, TimeSeries } from '../kernel/index.ts';
import { HEIGHT, WIDTH } from './look.ts';
import { draw } from './picture.ts';
import { inputs, read } from './settings.ts';
import { InventorySystem } from './system.ts';

/** The model "Inventory" (docs/reference/models/inventory.md). */
export default defineModel({
  name: 'Inventory',
  description:
    'A store of one product with an (s, S) policy (Law and Kelton). Demands of random size come at random times. The inventory is reviewed periodically. If it is below s, an order brings it up to S after a delivery lag. Demand that cannot be met at once is backordered. The outputs are the costs of ordering, holding and shortage, and the fill rate.',
  published: true,
  inputs,
  outputs: [
    { name: 'Mean total cost', type: 'DOUBLE', units: 'PER_MONTH' },
    { name: 'Mean ordering cost', type: 'DOUBLE', units: 'PER_MONTH' },
    { name: 'Mean holding cost', type: 'DOUBLE', units: 'PER_MONTH' },
    { name: 'Mean shortage cost', type: 'DOUBLE', units: 'PER_MONTH' },
    { name: 'Service level', type: 'DOUBLE' },
    { name: 'Mean inventory', type: 'DOUBLE' },
    { name: 'Mean backorders', type: 'DOUBLE' },
    { name: 'Orders', type: 'INTEGER' },
    { name: 'Inventory level', type: 'STATISTICS_CONTINUOUS' },
    { name: 'Inventory|Level', type: 'DATA_SET' },
    { name: 'Inventory|On order', type: 'DATA_SET' },
  ],
  experiments: [
    { name: 'Baseline', type: 'SIMULATION', inputs: {} },
    {
      name: 'Order-up-to level variation',
      type: 'PARAMETER_VARIATION',
      inputs: { 'Order-up-to level': { type: 'FIXED_RANGE_INTEGER', min: 30, max: 100, step: 10 } },
    },
  ],

  run(context) {
    const settings = read(context);
    const system = new InventorySystem(settings);
    runWithProgress(system.simulation, settings.stop, context.progress);
    return outputsOf(system);
  },

  animation: {
    width: WIDTH,
    height: HEIGHT,
    units: 'MONTH',
    start(context) {
      const settings = read(context);
      const { start, stop } = settings;
      const system = new InventorySystem(settings);
      const { simulation, level } = system;
      const levels = new TimeSeries(simulation, stop, PICTURED, () => level.value);
      const positions = new TimeSeries(simulation, stop, PICTURED, () => level.value + system.onOrder);
      // so that the first picture has the first samples
      simulation.run(start);
      return {
        end: stop - start,
        advance: (time) => simulation.run(time < stop - start ? start + time : stop),
        draw: () => draw({ settings, system, levels, positions, span: SPAN * (stop - start) }),
        outputs: () => outputsOf(system),
      };
    },
  },
});

/** Number of drawn moments of the curves. */
const PICTURED = 10_001;
/** Share of the run that is visible at once. */
const SPAN = 0.1;

function outputsOf(system: InventorySystem) {
  const { costs, serviceLevel, onHand, backorders, counts, level, levels, onOrders } = system;
  return {
    'Mean total cost': costs!.total,
    'Mean ordering cost': costs!.ordering,
    'Mean holding cost': costs!.holding,
    'Mean shortage cost': costs!.shortage,
    'Service level': serviceLevel,
    'Mean inventory': onHand.mean,
    'Mean backorders': backorders.mean,
    Orders: counts.orders,
    'Inventory level': level.statistics(),
    'Inventory|Level': levels.data(),
    'Inventory|On order': onOrders.data(),
  };
}
