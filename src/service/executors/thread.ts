import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../errors.ts';
import { ContentFiles } from '../files/content.ts';
import { hashContent, type ModelCode } from '../models/folder.ts';
import { loadModel } from '../models/load.ts';
import type { ModelDefinition } from '../models/model.ts';
import { outputText } from '../models/values.ts';
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
    return { kind: 'completed', outputs: outputTexts(job, values) };
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

/** The service has read the code when it started; what it runs under that version must be the same. */
async function loadUnchanged(code: ModelCode): Promise<ModelDefinition> {
  const model = await loadModel(code.entry);
  if (hashContent(code.folders) !== code.contentHash) {
    throw new Error(
      "the model's files were changed after the service started: restart it to serve the new version",
    );
  }
  return model;
}

function outputTexts({ template }: Job, values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    template.outputs.map(({ name, type }) => {
      try {
        return [name, outputText(type, values[name])];
      } catch (error) {
        throw new Error(`the output "${name}" ${messageOf(error)}`, { cause: error });
      }
    }),
  );
}
