import { nameKey } from '../../api/index.ts';
import type { WrittenDesign } from './index.ts';
import type { Path } from './kind.ts';

/** The point files that a design names, and the path in the definition where each name is. */
export function pointPaths(written: WrittenDesign, at: Path): { path: string; at: Path }[] {
  return [
    ...(typeof written.points === 'string' ? [{ path: written.points, at: [...at, 'points'] }] : []),
    ...(['product', 'union'] as const).flatMap((kind) =>
      (written[kind] ?? []).flatMap((member, index) => pointPaths(member, [...at, kind, index])),
    ),
  ];
}

/** The path in a design where an input is first derived. Empty if it is not derived. */
export function derivePath(written: WrittenDesign, input: string): PropertyKey[] {
  return pathIn(written, ({ derive = {} }) => {
    const own = Object.keys(derive).find((name) => nameKey(name) === nameKey(input));
    return own === undefined ? [] : ['derive', own];
  });
}

/** The path in a design where an expression is first used. */
export function expressionPath(written: WrittenDesign, expression: string): PropertyKey[] {
  return pathIn(written, ({ derive = {}, where }) => {
    const own = Object.keys(derive).find((name) => derive[name] === expression);
    if (own !== undefined) return ['derive', own];
    return where === expression ? ['where'] : [];
  });
}

/** The first path that `find` gives for a design or one of its members; empty if there is none. */
function pathIn(written: WrittenDesign, find: (design: WrittenDesign) => PropertyKey[]): PropertyKey[] {
  const own = find(written);
  if (own.length > 0) return own;
  for (const kind of ['product', 'union'] as const) {
    for (const [at, member] of (written[kind] ?? []).entries()) {
      const path = pathIn(member, find);
      if (path.length > 0) return [kind, at, ...path];
    }
  }
  return [];
}
