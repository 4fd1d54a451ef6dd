import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A model with known results, which `expected.ts` computes independently. The model imports nothing from foray, so it
 * works in any folder.
 */
export default {
  name: 'Soak',
  description: 'Waits, and computes a number from its value and its seed.',
  published: true,
  inputs: [
    { name: '{RANDOM_SEED}', type: 'LONG', default: 1 },
    { name: 'Value', type: 'INTEGER', default: 0 },
    { name: 'Milliseconds', type: 'INTEGER', default: 100 },
    { name: 'Bad', type: 'INTEGER', default: 0 },
    { name: 'Trace', type: 'BOOLEAN', default: false },
  ],
  outputs: [
    { name: 'Result', type: 'LONG' },
    { name: 'Trace file', type: 'OUTPUT_FILE' },
  ],
  async run({
    inputs,
    seed,
    writeFile,
  }: {
    inputs: { Value: number; Milliseconds: number; Bad: number; Trace: boolean };
    seed: bigint;
    writeFile: (name: string, content: string) => unknown;
  }) {
    const { Value: value, Milliseconds: milliseconds, Bad: bad, Trace: trace } = inputs;
    await sleep(milliseconds);
    if (bad > 0 && value % bad === 0) throw new Error(`the value ${value} is bad`);
    const v = BigInt(value);
    return {
      Result: (31n * v * v + 17n * v + seed) % 1_000_003n,
      'Trace file': trace ? writeFile('trace.txt', `value ${value}, seed ${seed}\n`.repeat(50)) : null,
    };
  },
};
