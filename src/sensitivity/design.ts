import type { Design } from '../campaign/designs/index.ts';
import type { Campaign } from '../campaign/types.ts';
import type { Generators } from './factorial.ts';

type Kind<K extends Design['kind']> = Extract<Design, { kind: K }>;

/** The method for analyzing a design, with the properties of the design that the method needs. */
export type AnalyzedDesign =
  | { method: 'morris'; design: Kind<'morris'> }
  | { method: 'sobol'; design: Kind<'saltelli'> }
  | { method: 'factorial'; inputs: string[]; values: string[][]; generators: Generators }
  | { method: 'one-at-a-time'; inputs: string[]; values: string[][] }
  | { method: 'regression' };

/** The method for a design. A design without a method of its own is a sample for regression. */
export function analyzedDesign({ design }: Pick<Campaign, 'design'>): AnalyzedDesign {
  const core = coreOf(design);
  switch (core.kind) {
    case 'morris':
      return { method: 'morris', design: core };
    case 'saltelli':
      return { method: 'sobol', design: core };
    case 'factorial':
      return { method: 'factorial', ...core };
    case 'oneAtATime':
    case 'onePerInput':
      return { method: 'one-at-a-time', inputs: core.inputs, values: core.values };
    case 'grid':
    case 'product': {
      const grid = gridOf(core);
      if (!grid || grid.inputs.length === 0) return { method: 'regression' };
      return { method: 'factorial', ...grid, generators: grid.inputs.map(() => null) };
    }
    case 'zip':
    case 'list':
    case 'file':
    case 'sample':
    case 'union':
    case 'refined':
      return { method: 'regression' };
  }
}

/**
 * Whether the analysis needs the values of single runs. A regression tests its coefficients by the points, and needs them
 * only if the points of a replication have common random numbers.
 */
export function needsRuns(campaign: Pick<Campaign, 'design' | 'commonRandomNumbers'>): boolean {
  return campaign.commonRandomNumbers || analyzedDesign(campaign).method !== 'regression';
}

/** Removes derived inputs from a design. The points stay the same. */
function coreOf(design: Design): Design {
  return design.kind === 'refined' && design.where === null ? coreOf(design.design) : design;
}

/** A grid, or a product of grids as one grid; undefined for another design. Inputs with one value are left out. */
function gridOf(design: Design): { inputs: string[]; values: string[][] } | undefined {
  const core = coreOf(design);
  if (core.kind === 'grid') {
    const varied = core.inputs.flatMap((name, at) =>
      core.values[at]!.length > 1 ? [{ name, values: core.values[at]! }] : [],
    );
    return { inputs: varied.map(({ name }) => name), values: varied.map(({ values }) => values) };
  }
  if (core.kind !== 'product') return undefined;
  const grids = core.designs.map(gridOf);
  if (grids.includes(undefined)) return undefined;
  return {
    inputs: grids.flatMap((grid) => grid!.inputs),
    values: grids.flatMap((grid) => grid!.values),
  };
}
