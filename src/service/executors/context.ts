import { RANDOM_SEED } from '../../api/constants.ts';
import { messageOf } from '../../errors.ts';
import type { ContentFiles } from '../files/content.ts';
import type { RunContext } from '../models/model.ts';
import { horizonOf } from '../models/system-inputs.ts';
import { typedValue } from '../models/typed-values.ts';
import { isShortage } from '../system-errors.ts';
import { Deferred } from '../deferred.ts';
import { shareOf } from './lines.ts';
import type { Job, Report } from './protocol.ts';

/** The shortest time between two reports of progress, ms. Models may report in their inner loop. */
const PROGRESS_INTERVAL = 50;

/**
 * Returns a function that reports the finished share of a run. A model may call the function often. A value that is no
 * share is ignored.
 */
export function progressReporter(
  runId: string,
  report: (report: Report) => void,
): (fraction: number) => void {
  let reportedAt = -Infinity;
  return (fraction) => {
    const share = shareOf(fraction);
    const now = performance.now();
    if (share === undefined || now - reportedAt < PROGRESS_INTERVAL) return;
    reportedAt = now;
    report({ kind: 'progress', runId, fraction: share });
  };
}

/** The argument of a model's `run`, or of the `start` of its animation. */
export function makeContext(
  { template, inputs }: Job,
  files: ContentFiles,
  progress: (fraction: number) => void,
): RunContext {
  const values = Object.fromEntries(
    template.inputs.map(({ name, type }) => [name, typedValue(type, inputs[name]!)]),
  );
  return {
    inputs: values,
    // undefined if the model declares no seed, as the type `RunContext` says
    seed: values[RANDOM_SEED] as bigint,
    horizon: horizonOf(template.inputs, inputs),
    readFile(input: string) {
      const hash = values[input];
      if (typeof hash !== 'string') throw new Error(`the model has no INPUT_FILE "${input}"`);
      return hash === '' ? null : unlessShort(() => files.read(hash));
    },
    writeFile(localPath, content) {
      return { hash: unlessShort(() => files.write(content)), localPath };
    },
    progress,
  };
}

/** Makes a run wait after a full disk or a lack of descriptors, because these are no fault of the model. */
function unlessShort<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (isShortage(error))
      throw new Deferred(`a file of the run cannot be read or written: ${messageOf(error)}`);
    throw error;
  }
}
