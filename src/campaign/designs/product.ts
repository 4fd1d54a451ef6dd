import { combinations } from './grid.ts';
import type { AnyWrittenDesign, Kind, Row } from './kind.ts';

export interface Product<D> {
  kind: 'product';
  designs: D[];
}

export function product<Written, D>({
  members,
  resolveMember,
  ...all
}: AnyWrittenDesign<Written, D>): Kind<Written[], Product<D>> {
  return {
    schema: members.describe('Every combination of the points of designs over different inputs.'),
    resolve(written, facts, path, taken) {
      const takenSoFar = new Set(taken);
      const designs = written.map((member, at) => {
        const design = resolveMember('product', member, facts, [...path, at], takenSoFar);
        for (const name of all.inputsOf(design)) takenSoFar.add(name);
        return design;
      });
      return { kind: 'product', designs };
    },
    inputs: ({ designs }) => [...new Set(designs.flatMap(all.inputsOf))],
    *rows({ designs }, context) {
      const lists: Row[][] = [];
      for (const member of designs) {
        const list: Row[] = [];
        for (const row of all.rowsWithPauses(member, context)) {
          if (row) list.push(row);
          else yield undefined;
        }
        lists.push(list);
      }
      for (const rows of combinations(lists)) yield rows.flat();
    },
    size({ designs }) {
      const sizes = designs.map(all.sizeOf);
      const areKnown = sizes.every((size) => size !== undefined);
      return areKnown ? sizes.reduce((product, size) => product * size, 1) : undefined;
    },
    mostRows: ({ designs }) => designs.reduce((product, member) => product * all.mostRows(member), 1),
    levels: ({ designs }) => designs.flatMap((member) => [...all.levelsOf(member)]),
  };
}
