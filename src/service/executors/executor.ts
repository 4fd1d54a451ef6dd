import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { messageOf } from '../../errors.ts';
import { ContentFiles } from '../files/content.ts';
import { outputTexts } from '../models/typed-values.ts';
import { progressReporter } from './context.ts';
import { Deferred } from '../deferred.ts';
import { guardProcess } from './guard.ts';
import type { Crashed, Job, JobMessage, JobVersion, Report } from './protocol.ts';
import { loadRunner, type Runner } from './runner.ts';

/** The process of an executor. It runs one job at a time until it is ended. */

const { filesDir, unfinishedDir, guarded } = guardProcess();
const files = new ContentFiles(filesDir, unfinishedDir);
const runners = new Map<string, Promise<Runner>>();
const versions = new Map<string, JobVersion>();
/** The id of the run to which the executing code belongs. Timers and promises of a run keep it after the run. */
const owner = new AsyncLocalStorage<string>();
/** The id of the run that executes now. */
let current: string | undefined;

process.on('message', ({ run, version }: JobMessage) => {
  if (version) versions.set(run.versionId, version);
  current = run.runId;
  void owner.run(run.runId, () => handle({ ...run, ...versions.get(run.versionId)! }));
});
process.on('uncaughtException', (error) => {
  const runId = owner.getStore();
  const isLate = runId !== undefined && runId !== current;
  // the printed lines belong to the run that executes now
  if (!isLate) process.stderr.write(`${inspect(error)}\n`);
  const crash: Crashed = { kind: 'crashed', reason: messageOf(error), runId };
  process.send!(isLate ? { ...crash, late: inspect(error) } : crash, () => process.exit(1));
});

async function handle(job: Job): Promise<void> {
  await guarded;
  const outcome = await execute(job);
  // promises that the run has left rejected make it fail
  await nextTurn();
  // printed lines must arrive before the outcome, so that the service knows their run
  await Promise.all([written(process.stdout), written(process.stderr)]);
  current = undefined;
  report(outcome);
}

function report(report: Report): void {
  process.send!(report);
}

async function execute(job: Job): Promise<Report> {
  try {
    const run = await runnerOf(job);
    const values = await run(job, files, progressReporter(job.runId, report));
    return { kind: 'completed', outputs: outputTexts(job.template.outputs, values, files) };
  } catch (error) {
    if (error instanceof Deferred) return { kind: 'deferred', reason: error.message };
    const isFaultOfMachine = job.isElsewhere === true && (await isInputDamaged(job));
    return { kind: isFaultOfMachine ? 'deferred' : 'failed', reason: messageOf(error) };
  }
}

/** Whether an input file of a run is missing or does not match its hash. */
async function isInputDamaged({ template, inputs }: Job): Promise<boolean> {
  // a new object hashes each file, also a file whose size and times have not changed
  const fresh = new ContentFiles(filesDir);
  for (const { name, type } of template.inputs) {
    const hash = inputs[name]!;
    if (type === 'INPUT_FILE' && hash !== '' && !(await fresh.isWhole(hash))) return true;
  }
  return false;
}

/** Resolves when everything written so far is in the pipe. */
async function written(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength > 0) await new Promise((resolve) => stream.write('', resolve));
}

function runnerOf({ versionId, code, isElsewhere }: Job): Promise<Runner> {
  const known = runners.get(versionId);
  if (known) return known;
  const loading = loadRunner(code).catch((error: unknown) => {
    throw isElsewhere && isMissing(error) ? new Deferred(messageOf(error)) : error;
  });
  runners.set(versionId, loading);
  return loading;
}

/** Whether a package that a module imports is not installed. */
function isMissing(error: unknown): boolean {
  return (Object(error) as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
}
