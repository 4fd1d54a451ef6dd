import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../errors.ts';
import { ContentFiles } from '../files/content.ts';
import { loadUnchanged } from '../models/load.ts';
import type { ModelDefinition } from '../models/model.ts';
import { outputTexts } from '../models/values.ts';
import { makeContext } from './context.ts';
import type { Job, Report, ThreadData } from './protocol.ts';

/** The thread of an executor: runs one job at a time, for as long as nobody ends it. */

const files = new ContentFiles((workerData as ThreadData).filesDir);
const models = new Map<string, Promise<ModelDefinition>>();

parentPort!.on('message', (job: Job) => {
  void execute(job).then(report);
});

function report(report: Report): void {
  parentPort!.postMessage(report);
}

async function execute(job: Job): Promise<Report> {
  try {
    const model = await modelOf(job);
    const values: Record<string, unknown> = await model.run(makeContext(job, files, report));
    return { kind: 'completed', outputs: outputTexts(job.template.outputs, values) };
  } catch (error) {
    return { kind: 'failed', reason: messageOf(error) };
  }
}

function modelOf({ versionId, code }: Job): Promise<ModelDefinition> {
  const known = models.get(versionId);
  if (known) return known;
  const loading = loadUnchanged(code);
  models.set(versionId, loading);
  return loading;
}
