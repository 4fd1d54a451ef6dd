import type { Design as Known, SpreadInput } from '../campaign/designs/design.ts';

export type Announced =
  | { kind: 'morris'; inputs: SpreadInput[]; trajectories: number; levels: number; seed: number }
  | {
      kind: 'saltelli';
      inputs: SpreadInput[];
      points: number;
      scrambles: number;
      secondOrder: boolean;
      seed: number;
    }
  | {
      kind: 'factorial';
      inputs: string[];
      values: string[][];
      generators: ({ of: number[]; sign: 1 | -1 } | null)[];
    }
  | { kind: 'onePerInput'; inputs: string[]; values: string[][] };
export type Design = Known | Announced;

export function morrisLevels(
  _design: Announced & { kind: 'morris' },
): Iterable<{ trajectory: number; changed: number | null; step: number; unit: number[] }> {
  throw new Error('not there yet');
}
