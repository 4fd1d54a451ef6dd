import { writeModel } from '../service/support.ts';

/** The source of the model "Gated". If the input Mark is a path, the first execution for each even N fails. */
const SOURCE = `
  import { existsSync, writeFileSync } from 'node:fs';
  import { setTimeout as pause } from 'node:timers/promises';

  function isFirst(file) {
    try {
      writeFileSync(file, '', { flag: 'wx' });
      return true;
    } catch {
      return false;
    }
  }

  export default {
    name: 'Gated', description: '', published: true,
    inputs: [
      { name: '{RANDOM_SEED}', type: 'LONG', default: 1 },
      { name: 'N', type: 'DOUBLE', default: 0 },
      { name: 'Gate', type: 'STRING', default: '' },
      { name: 'Mark', type: 'STRING', default: '' },
    ],
    outputs: [{ name: 'Out', type: 'DOUBLE' }],
    async run({ inputs: { N, Gate, Mark } }) {
      while (Gate !== '' && !existsSync(Gate)) await pause(50);
      if (Mark !== '' && N % 2 === 0 && isFirst(Mark + '-' + N)) throw new Error('the first execution fails');
      return { Out: N };
    },
  };`;

/**
 * Writes the model "Gated" into a folder of models. Its runs wait until the file `Gate` exists, so that a test decides
 * how long they are in flight. With `Mark`, the first execution for each even N fails.
 */
export function writeGated(folder: string): void {
  writeModel(folder, 'Gated', SOURCE);
}

/** A definition of the model "Gated" with `count` points. */
export function gated({
  first = 1,
  count,
  gate = '',
  mark = '',
  more = '',
}: {
  first?: number;
  count: number;
  gate?: string;
  mark?: string;
  more?: string;
}): { text: string; file: string } {
  const text = `
campaign: gated
model: {name: Gated}
inputs: {Gate: ${JSON.stringify(gate)}, Mark: ${JSON.stringify(mark)}}
design: {grid: {N: {from: ${first}, to: ${first + count - 1}, step: 1}}}
${more}
`;
  return { text, file: 'gated.yaml' };
}
