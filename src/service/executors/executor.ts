import { messageOf } from '../../errors.ts';
import { ContentFiles } from '../files/content.ts';
import { outputTexts } from '../models/values.ts';
import { progressReporter } from './context.ts';
import { Deferred } from './deferred.ts';
import { guardProcess } from './guard.ts';
import type { Job, Report } from './protocol.ts';
import { loadRunner, type Runner } from './runner.ts';

/** The process of an executor: runs one job at a time, for as long as nobody ends it. */

const { filesDir, guarded } = guardProcess();
const files = new ContentFiles(filesDir);
const runners = new Map<string, Promise<Runner>>();

process.on('message', (job: Job) => {
  void guarded.then(() => execute(job)).then(report);
});
process.on('uncaughtException', (error) => {
  process.send!({ kind: 'crashed', reason: messageOf(error) } satisfies Report, () => process.exit(1));
});

function report(report: Report): void {
  process.send!(report);
}

async function execute(job: Job): Promise<Report> {
  try {
    const run = await runnerOf(job);
    const values = await run(job, files, progressReporter(report));
    return { kind: 'completed', outputs: outputTexts(job.template.outputs, values, files) };
  } catch (error) {
    return { kind: error instanceof Deferred ? 'deferred' : 'failed', reason: messageOf(error) };
  }
}

function runnerOf({ versionId, code }: Job): Promise<Runner> {
  const known = runners.get(versionId);
  if (known) return known;
  const loading = loadRunner(code);
  runners.set(versionId, loading);
  return loading;
}
