import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import { CloudClient } from '../../src/cloud/index.ts';
import { endWithParent } from '../../src/dev/lifeline.ts';
import { requestFor, version } from './stub/model.ts';

/** A program: the loop that people write if they do not use foray. All its work is lost when it ends. */

export interface LoopInput {
  url: string;
  key: string;
  runs: number;
  window: number;
  /** Delay before the first poll of a run. */
  firstMs: number;
  everyMs: number;
}

const { url, key, runs, window, firstMs, everyMs } = JSON.parse(process.argv[2]!) as LoopInput;
const cloud = new CloudClient({ url, key });

async function simulate(value: number): Promise<boolean> {
  const { id, ...requested } = await cloud.requestRun(version.id, requestFor(value));
  let { status } = requested;
  for (let wait = firstMs; status === 'FRESH' || status === 'RUNNING'; wait = everyMs) {
    if (wait > 0) await delay(wait);
    ({ status } = await cloud.getProgress(version.id, id));
  }
  const [element] = await cloud.getRunResults(version.id, id, []);
  return Number(element!.value) === value;
}

endWithParent();
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  if (line !== 'go') break;
  const limit = pLimit(window);
  const all = Array.from({ length: runs }, (_, at) => limit(() => simulate(at + 1)));
  const right = (await Promise.all(all)).filter(Boolean).length;
  console.log(`done ${right}`);
}
