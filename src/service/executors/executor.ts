import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { messageOf } from '../../errors.ts';
import { ContentFiles } from '../files/content.ts';
import { progressReporter } from './context.ts';
import { Deferred } from '../deferred.ts';
import { guardProcess } from './guard.ts';
import type { Crashed, Job, JobMessage, JobVersion, Report } from './protocol.ts';
import { loadRunner, type Runner } from './runner.ts';
import { Workplace } from './workplace.ts';

/** The process of an executor. It runs one job at a time until it is ended. */

const guard = guardProcess();
const { filesDir, unfinishedDir, guarded } = guard;
const files = new ContentFiles(filesDir, unfinishedDir);
const workplace = new Workplace(files, guard, report);
workplace.open();
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
// the program of a command model gets this signal, too, and may end by itself
process.on('SIGTERM', () => {
  workplace.isEnding = true;
  if (current === undefined) process.exit();
});
// when the service was killed, a write to its pipe may end this process before its watchdog looks
process.on('exit', () => workplace.processes.kill());
process.on('uncaughtException', (error) => {
  const runId = owner.getStore();
  const isLate = runId !== undefined && runId !== current;
  // the printed lines belong to the run that executes now
  if (!isLate) process.stderr.write(`${inspect(error)}\n`);
  for (const forwarding of Object.values(workplace.printed)) void forwarding.end();
  const crash: Crashed = { kind: 'crashed', reason: messageOf(error), runId };
  process.send!(isLate ? { ...crash, late: inspect(error) } : crash, () => process.exit(1));
});

async function handle(job: Job): Promise<void> {
  await guarded;
  const outcome = await execute(job);
  // the run fails if it has left a rejected promise: Node reports it before the next turn
  await nextTurn();
  const processes = await workplace.clear();
  if (outcome.kind === 'completed') outcome.left?.processes.push(...processes);
  if (workplace.isEnding) process.exit();
  current = undefined;
  report(outcome);
}

function report(report: Report): void {
  process.send!(report);
}

async function execute(job: Job): Promise<Report> {
  try {
    const run = await runnerOf(job);
    return { kind: 'completed', ...(await run(job, progressReporter(job.runId, report))) };
  } catch (error) {
    if (error instanceof Deferred)
      return { kind: 'deferred', reason: error.message, isLasting: error.isLasting };
    const isFaultOfMachine = job.isElsewhere === true && (await isInputDamaged(job));
    const reason = messageOf(error);
    return isFaultOfMachine ? { kind: 'deferred', reason, isLasting: true } : { kind: 'failed', reason };
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

function runnerOf({ versionId, code, isElsewhere }: Job): Promise<Runner> {
  const known = runners.get(versionId);
  if (known) return known;
  const loading = loadRunner(code, workplace).catch((error: unknown) => {
    throw isElsewhere && lacksPackage(error) ? new Deferred(messageOf(error), { isLasting: true }) : error;
  });
  runners.set(versionId, loading);
  return loading;
}

/** Whether a package that a module imports is not installed. */
function lacksPackage(error: unknown): boolean {
  return (Object(error) as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
}
