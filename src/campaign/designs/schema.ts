import * as z from 'zod';
import {
  Factorial,
  OnePerInput,
  type WrittenFactorial,
  type WrittenOnePerInput,
} from './schema-factorials.ts';
import {
  Morris,
  Saltelli,
  Sample,
  Sequence,
  type WrittenMorris,
  type WrittenSaltelli,
  type WrittenSample,
} from './schema-samples.ts';
import { byInput, InputName, Value, Values } from './schema-values.ts';

/** The shape of a design as a person writes it. Workflows must not import this file: zod would double their bundle. */

/** The kinds of design. A design has exactly one of them. */
export const kinds = [
  'grid',
  'zip',
  'points',
  'oneAtATime',
  'random',
  'lhs',
  'sobol',
  'halton',
  'morris',
  'saltelli',
  'factorial',
  'onePerInput',
  'product',
  'union',
] as const;
export type Kind = (typeof kinds)[number];

const EXPRESSION = 'expected an expression in quotes';

export const Design = z
  .strictObject(
    {
      grid: byInput(Values)
        .optional()
        .describe('Every combination of the values of the inputs; the last input varies fastest.'),
      zip: byInput(Values)
        .optional()
        .describe(
          'Combines the first values of all inputs, then the second ones, and so on. All lists have the same length.',
        ),
      points: z
        .union(
          [
            z.string(),
            z
              .array(z.record(InputName, Value, 'expected input names with their values'))
              .min(1, 'expected at least one point'),
          ],
          'expected the path of a CSV or JSON Lines file, or a list of points',
        )
        .optional()
        .describe(
          'A list of points, each {INPUT: VALUE, …}, or the path of a file, relative to the definition: CSV with the ' +
            'names of inputs in its first line, or JSON Lines (.jsonl) with one object per line.',
        ),
      oneAtATime: byInput(Values)
        .optional()
        .describe(
          'One unchanged point, then one point for each value of each input, while the other inputs stay the same.',
        ),
      random: Sample.optional().describe('Points drawn independently.'),
      lhs: Sample.optional().describe(
        'A Latin hypercube: n points have one value of each input in each of n equally likely strata. ' +
          'Another number of points gives other points.',
      ),
      sobol: Sequence.optional().describe(
        'The first points of a Sobol sequence. They are spread most evenly if their number is a power of 2 (2, 4, 8, 16 …).',
      ),
      halton: Sequence.optional().describe('The first points of a Halton sequence.'),
      morris: Morris.optional().describe(
        'Trajectories in which inputs change one at a time, each by a large step. They show which of many inputs matter (Morris).',
      ),
      saltelli: Saltelli.optional().describe(
        "Points for estimating Sobol' indices: the share of the variance that comes from each input (Saltelli).",
      ),
      factorial: Factorial.optional().describe(
        'Every combination of two or more values of each input, or a regular fraction if each input has two values.',
      ),
      onePerInput: OnePerInput.optional().describe(
        'One unchanged point, then two points for each input: one with a lower and one with a higher value of this input. The other inputs stay the same.',
      ),
      get product(): z.ZodOptional<z.ZodArray<typeof InnerDesign>> {
        return z
          .array(InnerDesign, 'expected a list of designs')
          .min(1, 'expected at least one design')
          .optional()
          .describe('Every combination of the points of designs over different inputs.');
      },
      get union(): z.ZodOptional<z.ZodArray<typeof InnerDesign>> {
        return z
          .array(InnerDesign, 'expected a list of designs')
          .min(1, 'expected at least one design')
          .optional()
          .describe(
            'The points of several designs, one after the other. A point of several designs counts once, or as often as samples draw it.',
          );
      },
      where: z
        .string(EXPRESSION)
        .optional()
        .describe(
          'Keeps only the points for which this expression is true, such as "`Contact rate` > `Recovery rate`".',
        ),
      derive: byInput(z.string(EXPRESSION), 'expected input names with expressions')
        .optional()
        .describe(
          'Inputs that are computed from others: {INPUT: "expression"}. They are computed one after the other.',
        ),
    },
    `expected {${kinds.join(' | ')}: …}`,
  )
  .refine(
    (design) => kinds.filter((kind) => design[kind] !== undefined).length === 1,
    `expected one of ${kinds.join(', ')}; product and union combine several`,
  )
  .meta({
    id: 'Design',
    description:
      'The points: one kind of design, with where and derive. Without a design there is one point.',
    oneOf: kinds.map((kind) => ({ required: [kind] })),
  });
/** A design within a design. TypeScript cannot infer this recursive type. */
const InnerDesign = Design as z.ZodType<WrittenDesign, WrittenDesign>;

/** A design as a person writes it. */
export interface WrittenDesign {
  grid?: Record<string, Values> | undefined;
  zip?: Record<string, Values> | undefined;
  points?: string | Record<string, string | number | boolean>[] | undefined;
  oneAtATime?: Record<string, Values> | undefined;
  random?: WrittenSample | undefined;
  lhs?: WrittenSample | undefined;
  sobol?: WrittenSample | undefined;
  halton?: WrittenSample | undefined;
  morris?: WrittenMorris | undefined;
  saltelli?: WrittenSaltelli | undefined;
  factorial?: WrittenFactorial | undefined;
  onePerInput?: WrittenOnePerInput | undefined;
  product?: WrittenDesign[] | undefined;
  union?: WrittenDesign[] | undefined;
  where?: string | undefined;
  derive?: Record<string, string> | undefined;
}
