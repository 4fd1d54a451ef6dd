import { distinctLists, type Listed } from './grid.ts';
import { baseValues, type Kind, type RowContext } from './kind.ts';
import { byInput, Values } from './schema-values.ts';

type OneAtATime = Listed<'oneAtATime'>;

export const oneAtATime: Kind<Record<string, Values>, OneAtATime> = {
  title: 'One at a time',
  schema: byInput(Values).describe(
    'One unchanged point, then one point for each value of each input, while the other inputs stay the same.',
  ),
  // the unchanged point has the values of the fixed inputs
  resolve: (written, facts, path, taken) => ({
    kind: 'oneAtATime',
    ...distinctLists(written, facts, path, taken.difference(facts.fixed)),
  }),
  rows: unchangedAndChanged,
  mostRows: ({ values }) => values.reduce((sum, { length }) => sum + length, 1),
  isForSensitivity: true,
};

/** The unchanged point, then a row for each other value of each input. */
export function* unchangedAndChanged(
  { inputs, values }: { inputs: string[]; values: string[][] },
  { base }: RowContext,
): Generator<string[]> {
  const unchanged = baseValues(inputs, base);
  yield unchanged;
  for (const [at, list] of values.entries()) {
    for (const value of list) if (value !== unchanged[at]) yield unchanged.with(at, value);
  }
}
