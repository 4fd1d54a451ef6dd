import { type Design, mostRows, nested, type SpreadInput } from './resolved-design.ts';

/**
 * The inputs whose values come from a sample, a list or a file, and not from a grid. The map has a number for each such
 * input. In a design for Sobol' indices, it is the average number of points with the same value, because several points
 * share the values of a base point. In other designs it is 1.
 */
export function scatteredInputs(design: Design): Map<string, number> {
  return new Map([...nested(design)].flatMap((one) => ownScatteredInputs(one)));
}

/** The inputs of {@link scatteredInputs} for a design without the designs within it. */
function ownScatteredInputs(design: Design): (readonly [string, number])[] {
  switch (design.kind) {
    case 'list':
    case 'file':
      return design.inputs.map((name) => [name, 1]);
    case 'sample':
      return drawnInputs(design.inputs).map((name) => [name, 1]);
    case 'saltelli': {
      const pointsPerValue = mostRows(design) / (2 * design.points * design.scrambles);
      return drawnInputs(design.inputs).map((name) => [name, pointsPerValue]);
    }
    case 'grid':
    case 'zip':
    case 'oneAtATime':
    case 'morris':
    case 'factorial':
    case 'onePerInput':
    case 'product':
    case 'union':
    case 'refined':
      return [];
  }
}

/** The inputs whose values are drawn from a numeric distribution, not from a list of values. */
function drawnInputs(inputs: SpreadInput[]): string[] {
  return inputs.filter(({ distribution }) => distribution.kind !== 'choice').map(({ name }) => name);
}

/** The values that a design lists for each input, in the design's order. Inputs without such a list are left out. */
export function levelsOf(design: Design): Map<string, readonly string[]> {
  switch (design.kind) {
    case 'grid':
    case 'zip':
    case 'factorial':
      return new Map(design.inputs.map((name, at) => [name, design.values[at]!]));
    case 'list':
      return new Map(design.inputs.map((name, at) => [name, design.rows.map((row) => row[at]!)]));
    case 'sample':
    case 'morris':
    case 'saltelli':
      return new Map(
        design.inputs.flatMap(({ name, distribution }) =>
          distribution.kind === 'choice' ? [[name, distribution.values] as const] : [],
        ),
      );
    case 'product':
      return new Map(design.designs.flatMap((member) => [...levelsOf(member)]));
    case 'refined':
      return levelsOf(design.design);
    // oneAtATime, onePerInput and union also use base values, which are unknown here; the values of a file are in the
    // store
    case 'oneAtATime':
    case 'onePerInput':
    case 'union':
    case 'file':
      return new Map();
  }
}
