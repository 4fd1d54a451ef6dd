import { RANDOM_SEED } from '../../api/index.ts';
import { ForayError } from '../../errors.ts';
import { resolveDerivation } from '../designs/expressions.ts';
import type { DesignFacts, Path } from '../designs/kind.ts';
import type { Computed } from './computed.ts';

/**
 * The inputs that a search or a calibration computes from others. Mistakes are added to `facts.mistakes`.
 *
 * @param path - the place of the search or the calibration in the definition
 * @param varied - the inputs that the search or the calibration varies
 */
export function resolveComputed(
  written: Record<string, string> | undefined,
  facts: DesignFacts,
  path: Path,
  varied: readonly { name: string }[],
): Computed[] {
  const takenSoFar = new Set([...facts.fixed, ...varied.map(({ name }) => name)]);
  return Object.entries(written ?? {}).flatMap(([name, expression]) => {
    const at = [...path, 'derive', name];
    return facts.mistakes.attempt(() => computed(name, expression, facts, at, takenSoFar)) ?? [];
  });
}

function computed(
  written: string,
  expression: string,
  facts: DesignFacts,
  path: Path,
  taken: Set<string>,
): Computed {
  const derivation = resolveDerivation(written, expression, facts, path, taken);
  if (derivation.name === RANDOM_SEED)
    throw new ForayError('INVALID_VALUE', `An expression cannot give ${RANDOM_SEED}.`, {
      place: facts.locate(path, 'key'),
      hint: 'Each run gets its own seed, which depends on the "seed" of the campaign.',
    });
  const { min, max, values } = facts.inputs.find(({ name }) => name === derivation.name)!;
  return {
    ...derivation,
    allowed: {
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
      ...(values && { values }),
    },
  };
}
