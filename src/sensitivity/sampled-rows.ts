import { type Design, inputsOf, nested } from '../campaign/designs/index.ts';

/** The rows of a sample that is a member of a product. Each row is in several points. */
export interface SampledRows {
  /** The row of the sample that each point has. */
  rowOf: Uint32Array;
  /** The number of rows. */
  count: number;
}

/**
 * For each sample within the products of a design: its inputs. The values of grids and lists count as fixed. So do the
 * rows of a file, unless no member of the product is a sample.
 */
export function sampledMembers(design: Design): string[][] {
  if (design.kind === 'refined') return sampledMembers(design.design);
  if (design.kind === 'union') {
    const all = design.designs.flatMap(sampledMembers);
    return [...new Map(all.map((names) => [names.join(), names])).values()];
  }
  if (design.kind !== 'product') return [];
  const withKind = (kind: Design['kind']): Design[] =>
    design.designs.filter((member) => nested(member).some((one) => one.kind === kind));
  const samples = withKind('sample');
  return (samples.length > 0 ? samples : withKind('file')).flatMap((member) => {
    const inner = sampledMembers(member);
    return inner.length > 0 ? inner : [inputsOf(member)];
  });
}

/** Numbers the different rows of columns, in the order of their first appearance. */
export function rowNumbers([first, ...others]: readonly Float64Array[]): SampledRows {
  return others.reduce((rows, column) => {
    const { rowOf, count } = numbered(column);
    const pairs = Float64Array.from(rowOf, (own, point) => rows.rowOf[point]! * count + own);
    return numbered(pairs);
  }, numbered(first!));
}

/** Numbers the different values, in the order of their first appearance. */
export function numbered(values: Float64Array | Uint32Array): SampledRows {
  const numbers = new Map<number, number>();
  const rowOf = new Uint32Array(values.length);
  for (const [at, value] of values.entries()) {
    const number = numbers.get(value) ?? numbers.size;
    numbers.set(value, number);
    rowOf[at] = number;
  }
  return { rowOf, count: numbers.size };
}
