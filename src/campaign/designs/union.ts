import { pointKeys } from '../keys.ts';
import {
  type AnyDesign,
  type AnyWrittenDesign,
  baseValues,
  type Kind,
  reordering,
  type Row,
  type RowContext,
} from './kind.ts';

export interface Union<D> {
  kind: 'union';
  designs: D[];
}

export function union<Written, D>(all: AnyWrittenDesign<Written, D>): Kind<Written[], Union<D>> {
  const inputs = ({ designs }: Union<D>): string[] => [...new Set(designs.flatMap(all.inputsOf))];
  return {
    schema: all.members.describe(
      'The points of several designs, one after the other. A point of several designs counts once, or as often as samples draw it.',
    ),
    resolve: (written, facts, path, taken) => ({
      kind: 'union',
      designs: written.map((member, at) => all.resolveMember('union', member, facts, [...path, at], taken)),
    }),
    inputs,
    rows: (design, context) => distinctRows(design.designs, inputs(design), context, all),
    mostRows: ({ designs }) => designs.reduce((sum, member) => sum + all.mostRows(member), 0),
  };
}

/**
 * The rows of several designs. A row that is not drawn appears only if no member before gave it. A drawn row appears as
 * often as it was drawn, in all members together.
 */
function* distinctRows<D>(
  designs: D[],
  inputs: string[],
  context: RowContext,
  { inputsOf, rowsWithPauses, hasDraws }: Pick<AnyDesign<D>, 'inputsOf' | 'rowsWithPauses' | 'hasDraws'>,
): Generator<Row | undefined> {
  const unchanged = baseValues(inputs, context.base);
  const keyOf = pointKeys(inputs);
  /** For each row so far: whether it was drawn. */
  const seen = new Map<string, boolean>();
  for (const design of designs) {
    const inOrder = reordering(inputsOf(design), inputs, unchanged);
    const isDrawn = hasDraws(design);
    for (const row of rowsWithPauses(design, context)) {
      if (!row) {
        yield undefined;
        continue;
      }
      const values = inOrder(row);
      const key = keyOf(values);
      const wasDrawn = seen.get(key);
      // the row of a grid that was also drawn counts only as a draw, in either order of the members
      const isNew = wasDrawn === undefined || (isDrawn && wasDrawn);
      seen.set(key, isDrawn || (wasDrawn ?? false));
      yield isNew ? values : undefined;
    }
  }
}
