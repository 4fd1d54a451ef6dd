import { resolve } from 'node:path';
import { findTemporalCli } from '../../src/dev/temporal-cli.ts';
import { toTheEnd } from '../../test/support/campaigns.ts';
import { until } from '../../test/support/until.ts';
import { startWorkerProcess } from '../../test/support/worker.ts';
import { startWorld, type World } from '../../test/support/world.ts';
import { usageOf } from '../usage.ts';

/** The figures of a whole campaign on a real Temporal server, with a real service and store. */
export interface CampaignRow {
  name: string;
  points: number;
  seconds: number;
  /** CPU time of the worker for a point, ms. */
  cpuMs: number;
  /** Size of the workflow's history for 200 points, bytes. */
  history: number;
}

/**
 * CMA-ES must propose new points until the end, so values are not rounded and the best point is not at a bound. At a
 * bound, many proposals would become the same point.
 */
const INPUTS = '{ Contact rate: { min: 1, max: 3 }, Recovery rate: { min: 0.2, max: 0.8 } }';
const OBSERVED = resolve(import.meta.dirname, '../../examples/boarding-school-flu/observed.csv');

const definitionOf = (campaign: string, rest: string): string => `
campaign: ${campaign}
model: { name: Epidemic }
inputs: { Population: 763 }
files: { Observed cases: ${JSON.stringify(OBSERVED)} }
outputs: [Fit error]
${rest}
`;

/** Measures a Sobol' design, and then a search by CMA-ES with the same number of points. */
export async function campaignRows(points: number): Promise<CampaignRow[]> {
  process.env.FORAY_TEMPORAL_CLI ??= await findTemporalCli(console.error);
  const world = await startWorld();
  const worker = startWorkerProcess(world.settings);
  try {
    await worker.ready;
    const measured = async (name: string, rest: string): Promise<CampaignRow> => {
      const id = name.toLowerCase();
      const before = usageOf(worker.child.pid!).cpuMs;
      const begun = performance.now();
      await world.foray.submit({ file: 'bench.yaml', text: definitionOf(id, rest) }, { id });
      const { points: made } = await toTheEnd(world, id);
      const seconds = (performance.now() - begun) / 1_000;
      const cpuMs = (usageOf(worker.child.pid!).cpuMs - before) / made;
      return { name, points: made, seconds, cpuMs, history: (200 * (await historyOf(world, id))) / made };
    };
    const sobol = (count: number): string => `design: { sobol: { points: ${count}, inputs: ${INPUTS} } }`;
    const search = `{ minimize: Fit error, over: ${INPUTS}, method: cma, parallel: 200, stop: { points: ${points} } }`;
    // in the first campaign of a worker, V8 also compiles code
    await measured('warm-up', sobol(500));
    return [await measured('Sobol', sobol(points)), await measured('cma', `search: ${search}`)];
  } finally {
    await worker.kill();
    await world.close();
  }
}

/** The total size of a campaign's histories, bytes. There are several, because the workflow continues as new. */
function historyOf({ environment }: World, id: string): Promise<number> {
  return until('all histories are listed', async () => {
    const executions = await Array.fromAsync(
      environment.client.workflow.list({ query: `WorkflowId = "${id}"` }),
    );
    const isWhole = executions.length > 0 && executions.every(({ status }) => status.name !== 'RUNNING');
    return isWhole && executions.reduce((sum, { historySize }) => sum + (historySize ?? 0), 0);
  });
}
