import { type DesignFacts, inputsIn, type Kind, namesOf, type Path } from './kind.ts';
import { byInput, Values } from './schema-values.ts';
import { distinctValuesOf } from './value-lists.ts';

/** Lists of canonical values, one for each input. */
export interface Listed<Name> {
  kind: Name;
  inputs: string[];
  values: string[][];
}
type Grid = Listed<'grid'>;

export const grid: Kind<Record<string, Values>, Grid> = {
  title: 'Every combination',
  schema: byInput(Values).describe(
    'Every combination of the values of the inputs; the last input varies fastest.',
  ),
  resolve: (written, facts, path, taken) => ({ kind: 'grid', ...distinctLists(written, facts, path, taken) }),
  rows: ({ values }) => combinations(values),
  size: ({ values }) => values.reduce((product, { length }) => product * length, 1),
  levels: levelsOfLists,
};

/** The inputs of a written design with the distinct values that it lists for each. */
export function distinctLists(
  written: Record<string, Values>,
  facts: DesignFacts,
  path: Path,
  taken: ReadonlySet<string>,
): { inputs: string[]; values: string[][] } {
  const inputs = inputsIn(written, facts, path, taken);
  const values = inputs.map(({ input, value, path: at }) => distinctValuesOf(input, value, facts, at));
  return { inputs: namesOf(inputs), values };
}

export function levelsOfLists({
  inputs,
  values,
}: {
  inputs: string[];
  values: string[][];
}): [string, string[]][] {
  return inputs.map((name, at) => [name, values[at]!]);
}

/** Every combination of the items of lists; the last list varies fastest. */
export function* combinations<T>(lists: readonly (readonly T[])[]): Generator<T[]> {
  const total = lists.reduce((product, { length }) => product * length, 1);
  for (let ordinal = 0; ordinal < total; ordinal += 1) {
    let rest = ordinal;
    const items = new Array<T>(lists.length);
    for (let at = lists.length - 1; at >= 0; at -= 1) {
      const list = lists[at]!;
      items[at] = list[rest % list.length]!;
      rest = Math.floor(rest / list.length);
    }
    yield items;
  }
}
