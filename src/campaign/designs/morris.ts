import * as z from 'zod';
import { ForayError, type Place } from '../../errors.ts';
import { type MorrisDesign, morrisRows } from '../sampling/morris.ts';
import type { Kind } from './kind.ts';
import { firstSize, Growing } from './schema-growth.ts';
import { count } from './schema-values.ts';
import {
  ALL_POINTS_NEEDED,
  drawnRow,
  drawnSettings,
  expecting,
  levelsOfChoices,
  resolveSpread,
  type SpreadInput,
} from './spread-input.ts';

/** The number of levels if the design gives none. */
const LEVELS = 4;

const schema = z
  .strictObject(
    {
      trajectories: z
        .union(
          [count(2, 'trajectories'), Growing],
          'expected a whole number of trajectories or {min, max, width}',
        )
        .describe(
          'The number of trajectories. Each has one point more than there are inputs. {min, max, width} adds trajectories until the intervals are narrow enough.',
        ),
      levels: z
        .int('expected a whole number')
        .multipleOf(2, 'expected an even number')
        .min(2, 'expected at least 2')
        .max(100, 'expected at most 100')
        .default(LEVELS)
        .describe('The number of levels of each input, an even number.'),
      ...drawnSettings,
    },
    expecting('expected {trajectories: NUMBER, inputs: …}'),
  )
  .describe(
    'Trajectories in which inputs change one at a time, each by a large step. They show which of many inputs matter (Morris).',
  );
type Written = z.input<typeof schema>;

/**
 * Morris trajectories: `trajectories` × (inputs + 1) rows, one trajectory after the other. The first row of a
 * trajectory is its start. Each further row changes one input.
 */
export interface Morris extends MorrisDesign {
  kind: 'morris';
  inputs: SpreadInput[];
}

export const morris: Kind<Written, Morris> = {
  title: 'Trajectories (Morris)',
  schema,
  resolve(written, facts, path, taken) {
    const { levels = LEVELS, seed = facts.seed } = written;
    const inputs = resolveSpread(written.inputs, facts, [...path, 'inputs'], taken);
    if (!inputs) return undefined;
    for (const [at, key] of Object.keys(written.inputs).entries())
      facts.mistakes.attempt(() => checkEnds(inputs[at]!, facts.locate([...path, 'inputs', key])));
    return { kind: 'morris', inputs, trajectories: firstSize(written.trajectories), levels, seed };
  },
  needsAllPoints: () => ({ name: 'morris design', hint: ALL_POINTS_NEEDED }),
  *rows(design) {
    for (const { unit } of morrisRows(design)) yield drawnRow(design.inputs, unit);
  },
  mostRows: ({ trajectories, inputs }) => trajectories * (inputs.length + 1),
  levels: levelsOfChoices,
  about: ({ trajectories, inputs, levels }) => [
    `${trajectories.toLocaleString('en')} trajectories of ${inputs.length + 1} points, over ${levels} levels`,
  ],
  growth: {
    unit: 'trajectories',
    size: ({ trajectories }) => trajectories,
    grown: (design, size) => ({ ...design, trajectories: size }),
  },
  isForSensitivity: true,
};

/** @throws ForayError INVALID_VALUE if an input has no least or no greatest value */
function checkEnds({ name, distribution }: SpreadInput, place: Place): void {
  if (distribution.kind !== 'normal') return;
  if (distribution.min !== undefined && distribution.max !== undefined) return;
  throw new ForayError(
    'INVALID_VALUE',
    `Morris uses the least and the greatest value of each input, and "${name}" is unbounded.`,
    { place, hint: 'Give its normal distribution a "min" and a "max".' },
  );
}
