import * as z from 'zod';
import { ForayError } from '../../errors.ts';
import { MOST_INPUTS, type SamplingMethod, unitPoints } from '../sampling/unit-points.ts';
import type { ResolvedKind, WrittenKind } from './kind.ts';
import { count } from './schema-values.ts';
import {
  drawnRow,
  drawnSettings,
  expecting,
  levelsOfChoices,
  numericInputs,
  resolveSpread,
  type SpreadInput,
} from './spread-input.ts';

const settings = { points: count(1, 'points').describe('The number of points.'), ...drawnSettings };
const EXPECTED = expecting('expected {points: NUMBER, inputs: …}');
const Plain = z.strictObject(settings, EXPECTED);
const Sequence = z.strictObject(
  {
    ...settings,
    scramble: z
      .boolean('expected true or false')
      .default(true)
      .describe(
        'Whether the seed randomises the sequence. The points stay evenly spread. false gives the plain sequence.',
      ),
  },
  EXPECTED,
);
type Written = z.input<typeof Sequence>;

export interface Sample {
  kind: 'sample';
  method: SamplingMethod;
  points: number;
  seed: number;
  scramble: boolean;
  inputs: SpreadInput[];
}

export const random = drawnBy('random', 'Random sample', Plain, 'Points drawn independently.');
export const lhs = drawnBy(
  'lhs',
  'Latin hypercube',
  Plain,
  'A Latin hypercube: n points have one value of each input in each of n equally likely strata. ' +
    'Another number of points gives other points.',
);
export const sobol = drawnBy(
  'sobol',
  'Sobol sequence',
  Sequence,
  'The first points of a Sobol sequence. They are spread most evenly if their number is a power of 2 (2, 4, 8, 16 …).',
);
export const halton = drawnBy(
  'halton',
  'Halton sequence',
  Sequence,
  'The first points of a Halton sequence.',
);

function drawnBy(
  method: SamplingMethod,
  title: string,
  schema: z.ZodType<Written, Written>,
  description: string,
): WrittenKind<Written, Sample> {
  const isSequence = method === 'sobol' || method === 'halton';
  return {
    title,
    schema: schema.describe(description),
    resolve(written, facts, path, taken) {
      const count = Object.keys(written.inputs).length;
      if (isSequence && count > MOST_INPUTS) {
        throw new ForayError('INVALID_VALUE', `The design varies ${count} inputs.`, {
          place: facts.locate([...path, 'inputs'], 'key'),
          hint: `${method} takes at most ${MOST_INPUTS} inputs; lhs and random take any number.`,
        });
      }
      const { points, seed = facts.seed, scramble = true } = written;
      const inputs = resolveSpread(written.inputs, facts, [...path, 'inputs'], taken);
      if (!inputs) return undefined;
      const unbounded = inputs.find(
        ({ distribution }) => distribution.kind === 'normal' && distribution.min === undefined,
      );
      if (isSequence && !scramble && unbounded) {
        throw new ForayError(
          'INVALID_VALUE',
          `The plain sequence begins at 0, but the distribution of "${unbounded.name}" has no lower end.`,
          {
            place: facts.locate([...path, 'scramble']),
            hint: 'Give its distribution a "min", or leave "scramble" out.',
          },
        );
      }
      return { kind: 'sample', method, points, seed, scramble, inputs };
    },
  };
}

export const sample: ResolvedKind<Sample> = {
  *rows({ method, points, seed, scramble, inputs }) {
    for (const point of unitPoints(method, { points, seed, scramble, names: inputs.map(({ name }) => name) }))
      yield drawnRow(inputs, point);
  },
  mostRows: ({ points }) => points,
  levels: levelsOfChoices,
  scattered: (design) => numericInputs(design).map((name) => [name, 1]),
};
