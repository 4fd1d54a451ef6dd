import { parentPort, workerData } from 'node:worker_threads';
import { Foray } from '../../client/index.ts';
import { ForayError, isForayError } from '../../errors.ts';
import type { ThreadData } from './job-threads.ts';
import { type JobName, jobs, type JobOrder, type Outcome, type Takes } from './jobs.ts';
import { toPosted } from './posted-errors.ts';

/** This thread does one job after the other (jobs.ts). */
const { settings, folder } = workerData as ThreadData;
let foray: Promise<Foray> | undefined;

parentPort!.on('message', (order: JobOrder) => {
  void outcomeOf(order).then((outcome) => parentPort!.postMessage(outcome));
});

async function outcomeOf({ job, takes }: JobOrder): Promise<Outcome> {
  try {
    foray ??= opened();
    // TypeScript does not see that the job takes exactly these values
    const act = jobs[job] as (given: Foray, folder: string, takes: Takes<JobName>) => unknown;
    return { gives: await act(await foray, folder, takes) };
  } catch (error) {
    return { error: toPosted(error) };
  }
}

async function opened(): Promise<Foray> {
  try {
    return await Foray.open(settings, 'refuse');
  } catch (error) {
    // the next job tries again
    foray = undefined;
    if (!isForayError(error) || error.code !== 'STORE_MISSING') throw error;
    // the server has opened it before
    throw new ForayError('STORE_LOST', 'The file of the store was removed or replaced.');
  }
}
