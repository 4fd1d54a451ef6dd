import type { Dimension, MethodMaker, Problem, Told } from '../../src/search/methods/method.ts';

/** The result of the runs of a point. */
export type Outcome = Pick<Told, 'value' | 'excess'>;

export const real: Dimension = { kind: 'real' };

export function integer(levels: number): Dimension {
  return { kind: 'integer', levels };
}

export function problemOf(given: Partial<Problem> & Pick<Problem, 'dimensions'>): Problem {
  return { isAllowed: () => true, requirements: 0, parallel: 1, isNoisy: false, seed: 1, ...given };
}

/** A function that gives outcomes without requirements. */
export function valued(of: (x: readonly number[]) => number): (x: readonly number[]) => Outcome {
  return (x) => ({ value: of(x), excess: [] });
}

/**
 * Acts as the caller of a method. Asks for points until the allowed number is open, and then tells the method the
 * result of the oldest open point.
 *
 * @returns the method, and the told points
 */
export function play(
  maker: MethodMaker,
  problem: Problem,
  outcomeOf: (x: readonly number[]) => Outcome,
  points: number,
) {
  const method = maker(problem);
  const told: Told[] = [];
  const open: number[][] = [];
  const tellOldest = (): void => {
    const x = open.shift()!;
    told.push({ ask: told.length, x, variance: null, runs: 1, ...outcomeOf(x) });
    method.tell(told.at(-1)!);
  };
  while (told.length + open.length < points) {
    if (open.length === problem.parallel) tellOldest();
    const proposal = method.ask();
    if (proposal === 'exhausted') break;
    if (proposal) open.push(proposal.x);
    else if (open.length > 0) tellOldest();
    else throw new Error('The method waits although it knows the results of all points.');
  }
  while (open.length > 0) tellOldest();
  return { method, told };
}

/** The coordinate of a level, which is the middle of its part of the unit interval. */
export function at(level: number, levels: number): number {
  return (level + 0.5) / levels;
}
