import { ForayError } from '../../errors.ts';
import { quoted } from '../../text/suggest.ts';
import { measureOf } from '../measures.ts';
import type { ReadDefinition } from '../read.ts';
import type { CampaignOutput, Goal } from '../types.ts';
import type { WrittenSearch } from './schema.ts';
import type { Requirement } from './search.ts';

type Heading = 'search' | 'select';
type Limits = NonNullable<WrittenSearch['require']>;

/** Stands in place of a goal with a mistake. It is never used, because the mistake is reported. */
export const WRONG_GOAL: Goal = { output: '', wants: 'lowest' };

/**
 * The goal under a heading of a definition.
 *
 * @throws ForayError UNKNOWN_OUTPUT, INVALID_VALUE, INVALID_EXPRESSION
 */
export function goalIn(
  { minimize, maximize }: Pick<WrittenSearch, 'minimize' | 'maximize'>,
  outputs: readonly CampaignOutput[],
  locate: ReadDefinition['locate'],
  heading: Heading | 'goal',
): Goal {
  const key = minimize === undefined ? 'maximize' : 'minimize';
  const { name } = measureOf(outputs, (minimize ?? maximize)!, locate([heading, key]));
  return { output: name, wants: key === 'maximize' ? 'highest' : 'lowest' };
}

/** The requirements on the outputs of a point; mistakes are added to `mistakes`. */
export function requirementsIn(
  { require = {} }: { require?: Limits | undefined },
  outputs: readonly CampaignOutput[],
  { locate, mistakes }: Pick<ReadDefinition, 'locate' | 'mistakes'>,
  heading: Heading,
): Requirement[] {
  return Object.entries(require).flatMap(([output, limit]) => {
    const path = [heading, 'require', output];
    return mistakes.attempt(() => requirement(output, limit, outputs, { locate, path })) ?? [];
  });
}

function requirement(
  written: string,
  limit: Limits[string],
  outputs: readonly CampaignOutput[],
  { locate, path }: Pick<ReadDefinition, 'locate'> & { path: string[] },
): Requirement {
  const [min, max, chance] = [limit.min ?? null, limit.max ?? null, limit.chance ?? null];
  const { name } = measureOf(outputs, written, locate(path, 'key'));
  if (min !== null && max !== null && min > max)
    throw new ForayError(
      'INVALID_VALUE',
      `No value of ${quoted(name)} is at least ${min} and at most ${max}.`,
      {
        place: locate(path),
        hint: 'Give a "min" that is not above "max".',
      },
    );
  return { output: name, min, max, chance };
}
