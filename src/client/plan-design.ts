import { type Design, hasCondition, levelsOf, mostRows, nested } from '../campaign/designs/design.ts';
import { fractionText } from '../campaign/designs/relation.ts';

/** What a design for sensitivity consists of, in words. */
export function aboutDesign(design: Design): string[] {
  return [...nested(design)].flatMap((one) => {
    if (one.kind === 'factorial') return [fractionText(one) ?? []].flat();
    if (one.kind === 'morris') {
      const { trajectories, inputs, levels } = one;
      return [`${number(trajectories)} trajectories of ${inputs.length + 1} points, over ${levels} levels`];
    }
    if (one.kind !== 'saltelli') return [];
    const all = one.points * one.scrambles;
    const scrambles = one.scrambles === 1 ? '1 scramble' : `${one.scrambles} scrambles`;
    return [`${number(all)} base points in ${scrambles}, ${mostRows(one) / all} points for each`];
  });
}

/** What looks like a slip of the pen. */
export function warningsOf(design: Design, points: number): string[] {
  const constant = [...levelsOf(design)].filter(([, values]) => new Set(values).size === 1);
  const sobolSizes = [...nested(design)].flatMap((one) => {
    if (one.kind === 'sample' && one.method === 'sobol') return [{ size: one.points, factor: 1 }];
    return one.kind === 'saltelli' ? [{ size: one.points, factor: one.scrambles }] : [];
  });
  const repeats = hasCondition(design) ? 0 : mostRows(design) - points;
  return [
    ...constant.map(([name, [value]]) => `The design gives "${name}" one value only, ${value}.`),
    ...(repeats > 0
      ? [
          repeats === 1
            ? 'A point is there twice and counts once.'
            : `${number(repeats)} points are there twice and count once.`,
        ]
      : []),
    ...sobolSizes.flatMap(({ size, factor }) => {
      const even = 2 ** Math.round(Math.log2(size));
      if (size === even) return [];
      return [
        factor === 1
          ? `${size} Sobol points are less even than ${even}, a power of 2.`
          : `${size * factor} base points, ${size} in each scramble, are less even than ${even * factor}, ${even} in each: a power of 2.`,
      ];
    }),
  ];
}

function number(value: number): string {
  return value.toLocaleString('en');
}
