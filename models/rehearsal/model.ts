import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineModel } from '../../src/service/models/model.ts';
import { draw, HEIGHT, WIDTH } from './picture.ts';

/** Longest time between two reports of progress, in milliseconds. */
const STEP = 250;

export default defineModel({
  name: 'Rehearsal',
  description:
    'Waits, and then gives its input Value back as Echo. It fails if it is told to, or by chance. Use it to rehearse a campaign before you run it on a slow model.',
  published: true,
  inputs: [
    { name: '{RANDOM_SEED}', type: 'LONG', default: 1 },
    { name: 'Seconds', type: 'DOUBLE', units: 'SECOND', default: 1 },
    { name: 'Value', type: 'DOUBLE', default: 0 },
    { name: 'Fail', type: 'BOOLEAN', default: false },
    { name: 'Failure rate', type: 'DOUBLE', default: 0 },
  ],
  outputs: [{ name: 'Echo', type: 'DOUBLE' }],
  experiments: [{ name: 'Baseline', type: 'SIMULATION', inputs: {} }],

  async run({ inputs, progress }) {
    const { seconds } = checked(inputs);
    await wait(seconds * 1000, progress);
    return outcome(inputs);
  },

  animation: {
    width: WIDTH,
    height: HEIGHT,
    units: 'SECOND',
    start({ inputs }) {
      const { Value: value, Fail: fail } = inputs;
      const { seconds, rate } = checked(inputs);
      let now = 0;
      return {
        end: seconds,
        advance(time) {
          now = time;
        },
        draw: () => draw({ time: now, seconds, value, fail, failureRate: rate }),
        outputs: () => outcome(inputs),
      };
    },
  },
});

interface Inputs {
  Seconds: number;
  Value: number;
  Fail: boolean;
  'Failure rate': number;
}

function checked({ Seconds: seconds, 'Failure rate': rate }: Inputs): { seconds: number; rate: number } {
  if (seconds < 0) throw new Error(`Seconds is ${seconds}: it must not be negative`);
  if (rate < 0 || rate > 1) throw new Error(`Failure rate is ${rate}: it must be from 0 to 1`);
  return { seconds, rate };
}

/** The outcome of a run after its wait. */
function outcome({ Value: value, Fail: fail, 'Failure rate': rate }: Inputs): { Echo: number } {
  if (fail) throw new Error('Rehearsal was told to fail');
  if (byChance(rate)) throw new Error(`Rehearsal failed by chance, at a failure rate of ${rate}`);
  return { Echo: value };
}

async function wait(total: number, progress: (fraction: number) => void): Promise<void> {
  const start = performance.now();
  for (let elapsed = 0; elapsed < total; elapsed = performance.now() - start) {
    progress(elapsed / total);
    await sleep(Math.min(STEP, total - elapsed));
  }
}

/** True by chance. It does not depend on the seed, so a failed run that is requested again may succeed. */
function byChance(rate: number): boolean {
  const steps = 2 ** 40;
  return randomInt(steps) < rate * steps;
}
