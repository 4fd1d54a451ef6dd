import { Beliefs } from './beliefs.ts';
import type { Problem, Told } from '../method.ts';

/** How far around a minimum the space is set aside, in length scales. */
const AROUND = 1.2;

/** A minimum that is set aside, and what was believed then: its length scales stay, so that what is set aside does. */
interface Aside {
  x: readonly number[];
  beliefs: Beliefs;
}

/** The whole space, or what is left of it when minima and what is around them are set aside, with what is believed by its points alone. */
export class Part {
  readonly beliefs: Beliefs;
  private readonly problem: Problem;
  private readonly asides: readonly Aside[];

  private constructor(problem: Problem, beliefs: Beliefs, asides: readonly Aside[]) {
    this.problem = problem;
    this.beliefs = beliefs;
    this.asides = asides;
  }

  static whole(problem: Problem): Part {
    return new Part(problem, Beliefs.none(problem), []);
  }

  get isWhole(): boolean {
    return this.asides.length === 0;
  }

  /** With a longer log, of points anywhere. */
  with(log: readonly Told[]): Part {
    const own = log.filter(({ x }) => this.has(x));
    return new Part(this.problem, this.beliefs.with(own), this.asides);
  }

  /** Without what is around one of its points; nothing is known of it yet. */
  without(x: readonly number[]): Part {
    return new Part(this.problem, Beliefs.none(this.problem), [...this.asides, { x, beliefs: this.beliefs }]);
  }

  has(x: readonly number[]): boolean {
    return !this.asides.some((aside) => isAround(aside, x));
  }

  /** Whether a point is around the minimum that was set aside last. */
  isBeside(x: readonly number[]): boolean {
    const last = this.asides.at(-1);
    return last !== undefined && isAround(last, x);
  }
}

function isAround(aside: Aside, x: readonly number[]): boolean {
  return (aside.beliefs.distance(aside.x, x) ?? Infinity) <= AROUND;
}
