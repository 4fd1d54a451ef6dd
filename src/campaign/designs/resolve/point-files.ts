import { canonical, type ModelInput } from '../../input-values.ts';
import { type Design, NO_DESIGN } from '../resolved-design.ts';
import type { WrittenDesign } from '../schema.ts';
import type { PointCheck } from '../table.ts';
import { type DesignFacts, newInput, type Path } from './inputs.ts';

/** Resolves a point file whose rows were checked. */
export function resolvePointFile(
  path: string,
  facts: DesignFacts,
  at: Path,
  taken: ReadonlySet<string>,
): Design {
  const found = facts.pointFiles[path];
  // the file has mistakes, which were already reported
  if (!found) return NO_DESIGN;
  const all = new Set(taken);
  for (const name of found.inputs) newInput(name, facts, facts.locate(at), all);
  return { kind: 'file', path, ...found };
}

/** The point files that a design names, and the path in the definition where each name is. */
export function pointPaths(written: WrittenDesign, at: Path): { path: string; at: Path }[] {
  return [
    ...(typeof written.points === 'string' ? [{ path: written.points, at: [...at, 'points'] }] : []),
    ...(['product', 'union'] as const).flatMap((kind) =>
      (written[kind] ?? []).flatMap((member, index) => pointPaths(member, [...at, kind, index])),
    ),
  ];
}

/** Checks a table of points: each column must be an input, and each value must be valid for its input. */
export function pointCheck(facts: Pick<DesignFacts, 'find'>): PointCheck {
  let inputs: ModelInput[] = [];
  return {
    columns(names, placeOf) {
      const all = new Set<string>();
      inputs = names.map((name, column) => newInput(name, facts, placeOf(column), all));
      return inputs.map(({ name }) => name);
    },
    row: (values, placeOf) =>
      inputs.map((input, column) => canonical(input, values[column]!, placeOf(column))),
  };
}
