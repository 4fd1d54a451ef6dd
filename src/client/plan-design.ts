import { type Design, hasCondition, levelsOf, mostRows, nested } from '../campaign/designs/design.ts';
import { fractionText } from '../campaign/designs/relation.ts';

/** What a design for sensitivity consists of, in words. */
export function aboutDesign(design: Design): string[] {
  return [...nested(design)].flatMap((one) => {
    switch (one.kind) {
      case 'morris':
        return [
          `${number(one.trajectories)} trajectories of ${one.inputs.length + 1} points, over ${one.levels} levels`,
        ];
      case 'saltelli': {
        const { points, scrambles } = one;
        const each = mostRows(one) / (points * scrambles);
        return [
          `${number(points * scrambles)} base points in ${scrambles === 1 ? '1 scramble' : `${scrambles} scrambles`}, ${each} points for each`,
        ];
      }
      case 'factorial':
        return [fractionText(one) ?? []].flat();
      default:
        return [];
    }
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
