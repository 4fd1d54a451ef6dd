import { checkAllowed, isLimited, ValueError } from '../api/index.ts';
import { ForayError, type Place } from '../errors.ts';
import { derivePath, expressionPath } from './designs/paths.ts';
import { type Design, hasDerived, mostRows, nested, sizeOf } from './designs/index.ts';
import { DeriveError, OperandError } from './designs/refined.ts';
import { triedDraws } from './designs/sample-within.ts';
import type { ModelFacts } from './facts.ts';
import { grown } from './growth.ts';
import type { ModelInput } from './input-values.ts';
import { type Contents, countDraws, type DesignOf, expandWithPauses } from './points.ts';
import type { ReadDefinition } from './read.ts';
import { hasStrategy } from './strategy.ts';
import type { Campaign } from './types.ts';

/** The number of different points of a design, and the number of its points that repeat an earlier point. */
interface DesignSize {
  points: number;
  repeats: number;
}

/**
 * Counts the points of a design. It yields now and then, so that a caller can let other work go on. Derived values are
 * computed here for the first time, so their limits are checked here: for a growing design, up to its largest size.
 *
 * @throws ForayError INVALID_VALUE, EMPTY_DESIGN with the place in the definition
 */
export function* countPoints(
  read: ReadDefinition,
  facts: ModelFacts,
  campaign: DesignOf & Pick<Campaign, 'strategy'>,
  contents: Contents,
): Generator<void, DesignSize> {
  const size = hasDerived(campaign.design) ? undefined : sizeOf(campaign.design);
  if (size !== undefined) return { points: size, repeats: 0 };
  const { inputs } = facts.version.experimentTemplate;
  const limited = campaign.varied.flatMap(({ name }, at) => {
    const input = inputs.find((candidate) => candidate.name === name)!;
    return isLimited(input) ? [{ input, at }] : [];
  });
  function* countChecked(design: Design): Generator<void, DesignSize> {
    let [points, repeats] = [0, 0];
    const whole = { ...campaign, design };
    for (const point of expandWithPauses(whole, contents, yield* countDraws(whole, contents))) {
      if (!point) {
        yield;
        continue;
      }
      const { ordinal, values, draws = 1 } = point;
      points = ordinal + 1;
      repeats += draws - 1;
      for (const { input, at } of limited) checkDerived(input, values[at]!, points);
    }
    return { points, repeats };
  }
  let found: DesignSize;
  try {
    found = yield* countChecked(campaign.design);
    if (hasStrategy(campaign, 'growing')) yield* countChecked(grown(campaign.design, campaign.strategy.most));
  } catch (error) {
    throw withPlace(error, read);
  }
  if (found.points === 0) throw noPoints(campaign.design, read.locate(['design'], 'key'));
  return found;
}

/** The error of a row, with its place in the definition. */
function withPlace(error: unknown, { definition, locate }: ReadDefinition): unknown {
  if (error instanceof OperandError) {
    const { code, message, hint, expression } = error;
    const path = ['design', ...expressionPath(definition.design!, expression)];
    return new ForayError(code, message, { place: locate(path), hint });
  }
  if (!(error instanceof DeriveError)) return error;
  return new ForayError('INVALID_VALUE', `The value of "${error.input}" ${error.message}.`, {
    place: locate(['design', ...derivePath(definition.design!, error.input)]),
  });
}

function noPoints(design: Design, place: Place): ForayError {
  if (!nested(design).some(({ kind }) => kind === 'sample'))
    return new ForayError('EMPTY_DESIGN', 'The design has no points: no point meets "where".', { place });
  const tried =
    design.kind === 'refined' && design.design.kind === 'sample'
      ? triedDraws(design.design)
      : mostRows(design);
  return new ForayError(
    'EMPTY_DESIGN',
    `The design has no points: none of its ${tried.toLocaleString('en')} drawn points meets "where".`,
    { place, hint: 'Draw more points, narrow the ranges, or compute an input from others with "derive".' },
  );
}

/** @throws DeriveError if the derived value is not allowed. Values in the definition were checked before. */
function checkDerived(input: ModelInput, value: string, point: number): void {
  try {
    checkAllowed(input, value);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new DeriveError(input.name, `${error.message} (point ${point})`);
  }
}
