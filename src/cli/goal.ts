import type { Command } from 'commander';
import type { Goal } from '../campaign/types.ts';
import { ForayError } from '../errors.ts';

export interface GoalFlags {
  maximize?: string;
  minimize?: string;
}

/** Adds the options that say which values of an output are better. The options override the goal of the definition. */
export function withGoal(command: Command): Command {
  return command
    .option('--maximize <output>', 'the output or formula to maximize')
    .option('--minimize <output>', 'the output or formula to minimize');
}

/**
 * The goal that the options give; undefined without these options.
 * @throws ForayError USAGE when both options are given
 */
export function goalIn({ maximize, minimize }: GoalFlags): Goal | undefined {
  if (maximize !== undefined && minimize !== undefined)
    throw new ForayError('USAGE', 'Give either --maximize or --minimize.');
  if (maximize !== undefined) return { output: maximize, wants: 'highest' };
  return minimize === undefined ? undefined : { output: minimize, wants: 'lowest' };
}
