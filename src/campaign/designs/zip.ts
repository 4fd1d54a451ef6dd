import { ForayError } from '../../errors.ts';
import { levelsOfLists, type Listed } from './grid.ts';
import { inputsIn, type Kind, namesOf, repeatCheck } from './kind.ts';
import { byInput, Values } from './schema-values.ts';
import { valuesOf } from './value-lists.ts';

type Zip = Listed<'zip'>;

export const zip: Kind<Record<string, Values>, Zip> = {
  title: 'Values side by side',
  schema: byInput(Values).describe(
    'Combines the first values of all inputs, then the second ones, and so on. All lists have the same length.',
  ),
  resolve(written, facts, path, taken) {
    const { locate, mistakes } = facts;
    const before = mistakes.count;
    const inputs = inputsIn(written, facts, path, taken);
    const values = inputs.map(({ input, value, path: at }) => valuesOf(input, value, facts, at));
    if (mistakes.count > before) return undefined;
    const first = inputs[0]!;
    const wanted = values[0]!.length;
    for (const [at, { input, path: inputPath }] of inputs.entries()) {
      const count = values[at]!.length;
      if (count === wanted) continue;
      throw new ForayError(
        'INVALID_VALUE',
        `"${first.input.name}" has ${wanted} values, and "${input.name}" has ${count}.`,
        { place: locate(inputPath), hint: 'In a zip all inputs have the same number of values.' },
      );
    }
    const checkNew = repeatCheck(namesOf(inputs), (row) => locate([...first.path, row]));
    for (const row of values[0]!.keys()) {
      const rowValues = values.map((column) => column[row]!);
      checkNew(rowValues, row);
    }
    return { kind: 'zip', inputs: namesOf(inputs), values };
  },
  *rows({ values: lists }) {
    for (const at of lists[0]!.keys()) yield lists.map((values) => values[at]!);
  },
  size: ({ values }) => values[0]?.length ?? 0,
  levels: levelsOfLists,
};
