import { resolve } from 'node:path';
import { KEY, type Lab } from '../lab.ts';
import { measure, type Measured } from '../measure.ts';
import type { sweep } from './workflows.ts';

const WORKER = resolve(import.meta.dirname, 'worker.ts');

/** Measures a workflow with one child workflow per run. Its worker has its own process. */
export async function childrenWay(lab: Lab, runs: number, window: number): Promise<Measured> {
  const { temporal, stub } = lab;
  const input = JSON.stringify({ address: temporal.address, url: stub.url, key: KEY });
  const worker = lab.start({ name: 'worker of children', args: [WORKER, input] });
  try {
    await worker.says(/^ready$/);
    const way = 'child workflows';
    return await measure(lab, { way, runs, workers: [worker], server: temporal.process }, async () => {
      const workflowId = `sweep-${runs}`;
      const options = { workflowId, taskQueue: 'children', args: [runs, window] as [number, number] };
      await temporal.client.workflow.start<typeof sweep>('sweep', options);
      const right = await temporal.resultOf<number>(workflowId);
      const endedAt = Date.now();
      if (right !== runs) throw new Error(`${way}: ${right} of ${runs} results are correct`);
      const events = await temporal.historyEvents(`WorkflowId STARTS_WITH '${workflowId}'`, runs + 1);
      return { endedAt, events };
    });
  } finally {
    await worker.end();
  }
}
