import { RANDOM_SEED } from '../api/index.ts';
import {
  type Design,
  hasCondition,
  isSensitivityDesign,
  kindOf,
  levelsOf,
  mostRows,
  nested,
} from '../campaign/designs/index.ts';
import { type Drawing, hasRunsPerDraw } from '../campaign/draws.ts';
import type { Growth } from '../campaign/growth.ts';
import { hasSeed } from '../campaign/seeds.ts';

/** Describes a sensitivity design in words. */
export function aboutDesign(design: Design): string[] {
  return [...nested(design)].flatMap((one) => kindOf(one).about?.(one) ?? []);
}

/** Says that repeated points get further runs. Empty if they do not. */
export function repeatedRuns(campaign: Drawing, points: number): string[] {
  const { repeats = 0 } = campaign;
  if (repeats === 0 || !hasRunsPerDraw(campaign)) return [];
  return [
    `${number(points + repeats)} points, ${number(points)} of them different: a point that appears n times has n times as many replications`,
  ];
}

/** Describes how long a design grows. */
export function growthPlan({ width, most, outputs }: Growth): string {
  return `doubles until each interval is at most ${width} wide, or until it has ${number(most)} base points or trajectories (${outputs.join(', ')})`;
}

/** Warnings about parts of a design that look like mistakes, and about draws that add no runs. */
export function warningsOf(campaign: Drawing, points: number): string[] {
  const { design, repeats = 0 } = campaign;
  const constant = [...levelsOf(design)].filter(([, values]) => new Set(values).size === 1);
  const merged = hasCondition(design) ? 0 : mostRows(design) - points - repeats;
  const missing =
    design.kind === 'refined' && design.design.kind === 'sample' && design.where !== null
      ? design.design.points - points - repeats
      : 0;
  return [
    ...(missing > 0
      ? [
          `The design has ${number(missing)} points fewer than asked for: less than one draw of a hundred meets "where".`,
        ]
      : []),
    ...constant.map(([name, [value]]) => `The design gives "${name}" one value only, ${value}.`),
    ...(merged > 0
      ? [
          merged === 1
            ? 'One point of the design repeats another point. Each point counts once.'
            : `${number(merged)} points of the design repeat other points. Each point counts once.`,
        ]
      : []),
    ...(repeats > 0 && !hasRunsPerDraw(campaign) ? [repeatsText(campaign, points)] : []),
    ...halfCells(design).map(
      (name) =>
        `The lowest and the highest value of "${name}" are drawn about half as often as the distribution says, because its limits cut their cells. Limits such as 0.5 and 10.5 give 1 and 10 whole cells.`,
    ),
    ...[...nested(design)].flatMap(unevenSobol),
  ];
}

/** A warning about Sobol points whose number is not a power of 2. */
function unevenSobol(design: Design): string[] {
  const isSobol = design.kind === 'saltelli' || (design.kind === 'sample' && design.method === 'sobol');
  if (!isSobol) return [];
  const size = design.points;
  const power = 2 ** Math.round(Math.log2(size));
  if (size === power) return [];
  const scrambles = design.kind === 'saltelli' ? design.scrambles : 1;
  return [
    scrambles === 1
      ? `${size} Sobol points are spread less evenly than ${power}, a power of 2.`
      : `${size * scrambles} base points (${size} in each scramble) are spread less evenly than ${power * scrambles} (${power} in each, a power of 2).`,
  ];
}

/** The inputs with whole numbers whose distribution ends in the middle of a cell. A uniform distribution has whole cells. */
function halfCells(design: Design): string[] {
  return [...nested(design)].flatMap((one) => {
    if (one.kind !== 'sample' && one.kind !== 'saltelli') return [];
    return one.inputs.flatMap(({ name, isWhole, distribution }) =>
      isWhole &&
      distribution.kind !== 'uniform' &&
      distribution.kind !== 'choice' &&
      (Number.isInteger(distribution.min) || Number.isInteger(distribution.max))
        ? [name]
        : [],
    );
  });
}

/** Says that repeated draws add no runs, and why. */
function repeatsText(campaign: Drawing, points: number): string {
  const { base, strategy, commonRandomNumbers, repeats = 0 } = campaign;
  const which = `The design has ${number(points + repeats)} points, and only ${number(points)} are different.`;
  const counts = 'A point counts as often as the design has it';
  if (isSensitivityDesign(campaign.design)) return `${which} ${counts}, and its runs are used each time.`;
  if (strategy.by === 'selection') return `${which} The selection compares the different points.`;
  if (!hasSeed(base))
    return `${which} ${counts}, but it is run once, because the model has no input ${RANDOM_SEED}.`;
  return commonRandomNumbers
    ? `${which} ${counts}, but it is not run again, because all points have the same seeds ("commonRandomNumbers").`
    : `${which} ${counts}, but it is run once, because all runs have the same seed. With "seed: 1", each of the ${number(points + repeats)} points is run with a seed of its own.`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}
