import { type CurveAxis, MILLISECONDS, nameKey, type OutputType } from '../api/index.ts';
import { ForayError, type Place } from '../errors.ts';
import { quoted } from '../text/suggest.ts';
import { UnknownNameError } from '../unknown-name.ts';
import type { ModelFacts } from './facts.ts';
import { distinct, isFormula, type Measure, measureOf } from './measures.ts';
import type { Precision } from './precision.ts';
import type { ReadDefinition } from './read.ts';
import type { Campaign, CampaignOutput } from './types.ts';

/**
 * The outputs that a campaign keeps, and the formulas over them. The outputs in a formula are kept as well. If a name
 * or a formula is wrong, all outputs are returned, so that other checks can go on.
 */
export function chosenOutputs(
  { definition, locate, mistakes }: ReadDefinition,
  facts: ModelFacts,
): Pick<Campaign, 'outputs' | 'derived'> {
  const { outputs } = definition;
  const isList = Array.isArray(outputs);
  const axes = new Map(Object.entries((isList ? undefined : outputs?.axes) ?? {}));
  const all = facts.version.experimentTemplate.outputs.map(({ name, type, units, axis: declared }) => {
    const written = [...axes.keys()].find((one) => nameKey(one) === nameKey(name));
    const axis = written === undefined ? declared : { ...declared, ...axes.get(written)! };
    if (written !== undefined) {
      axes.delete(written);
      mistakes.attempt(() => checkAxis(name, type, axis!, locate(['outputs', 'axes', written], 'key')));
    }
    return { name, type, units, ...(axis && { axis }) };
  });
  for (const name of axes.keys())
    mistakes.add(
      new UnknownNameError('UNKNOWN_OUTPUT', `The model "${facts.name}" has no output ${quoted(name)}.`, {
        name,
        known: all.map((output) => output.name),
        place: locate(['outputs', 'axes', name], 'key'),
      }),
    );
  const names = isList ? outputs : outputs?.names;
  if (!names) return { outputs: all };
  const chosen = new Set<CampaignOutput>();
  const derived = new Set<string>();
  const before = mistakes.count;
  for (const [index, written] of names.entries()) {
    const place = locate(['outputs', ...(isList ? [] : ['names']), index]);
    const found = all.find(({ name }) => nameKey(name) === nameKey(written));
    if (found) {
      chosen.add(found);
    } else if (isFormula(written)) {
      const formula = mistakes.attempt(() => measureOf(all, written, place));
      if (!formula) continue;
      derived.add(formula.name);
      for (const output of all) if (formula.sources.includes(output.name)) chosen.add(output);
    } else {
      mistakes.add(
        new UnknownNameError(
          'UNKNOWN_OUTPUT',
          `The model "${facts.name}" has no output ${quoted(written)}.`,
          {
            name: written,
            known: all.map(({ name }) => name),
            place,
          },
        ),
      );
    }
  }
  if (mistakes.count > before) return { outputs: all };
  return { outputs: [...chosen], ...(derived.size > 0 && { derived: [...derived] }) };
}

/** @throws ForayError INVALID_VALUE if the output is not a curve, or its axis cannot show dates from its start */
function checkAxis(name: string, type: OutputType, { units, scale, start }: CurveAxis, place: Place): void {
  if (type !== 'DATA_SET')
    throw new ForayError(
      'INVALID_VALUE',
      `The output "${name}" has no x axis, because its type is ${type}.`,
      {
        place,
        hint: 'Only outputs of the type DATA_SET are curves.',
      },
    );
  if (start !== undefined && !(units && Object.hasOwn(MILLISECONDS, units)))
    throw new ForayError('INVALID_VALUE', `The x axis of "${name}" has a start, but no units of time.`, {
      place,
      hint: `Add units: ${Object.keys(MILLISECONDS).join(', ')}.`,
    });
  if (start !== undefined && scale === 'log')
    throw new ForayError('INVALID_VALUE', `The x axis of "${name}" has a start and a logarithmic scale.`, {
      place,
      hint: 'An axis with a start shows dates, and an axis of dates is linear. Leave "start" out, or write "scale: linear".',
    });
}

/** Whether output files are kept. Throws an error if files should be kept, but the campaign keeps no OUTPUT_FILE. */
export function filesOfOutputs(
  { definition: { outputs: written }, locate }: ReadDefinition,
  outputs: readonly CampaignOutput[],
): Campaign['outputFiles'] {
  const wanted = Array.isArray(written) ? 'link' : (written?.files ?? 'link');
  if (wanted === 'link' || outputs.some(({ type }) => type === 'OUTPUT_FILE')) return wanted;
  throw new ForayError('INVALID_VALUE', 'The campaign keeps no output of type OUTPUT_FILE.', {
    place: locate(['outputs', 'files']),
    hint: 'Leave "files" out, or name an output that is a file.',
  });
}

/**
 * The rule that decides when a point has enough replications; null if the definition has no such rule. The campaign
 * must keep the outputs in this rule.
 */
export function precisionOf(
  { definition, locate }: ReadDefinition,
  outputs: readonly CampaignOutput[],
): Precision | null {
  const { replications } = definition;
  if (typeof replications !== 'object' || !('output' in replications)) return null;
  const { min, max, output, relative = null, absolute = null, confidence } = replications;
  const isList = Array.isArray(output);
  const measures = (isList ? output : [output]).map((written, at) => {
    const place = locate(['replications', 'output', ...(isList ? [at] : [])]);
    const measure = measureOf(outputs, written, place);
    if (measure.statistic !== 'quantile') return measure;
    throw new ForayError('INVALID_VALUE', `${quoted(measure.name)} is a quantile.`, {
      place,
      hint: 'Points are replicated until a mean or a share is precise: name an output, or P(…).',
    });
  });
  const shares = distinct(measures.filter(({ statistic }) => statistic === 'share'));
  const place = locate(['replications', relative === null ? 'absolute' : 'relative']);
  checkWidth(measures, { relative, absolute }, place);
  return {
    min,
    max,
    outputs: distinct(measures).map(({ name }) => name),
    ...(shares.length > 0 && { shares: shares.map(({ name }) => name) }),
    relative,
    absolute: typeof absolute === 'string' ? parseFloat(absolute) / 100 : absolute,
    confidence,
  };
}

/**
 * @throws ForayError INVALID_VALUE if the width of a share is relative or not between 0 and 50 %, or if the width of a
 *   number is a percentage
 */
function checkWidth(
  measures: readonly Measure[],
  { relative, absolute }: { relative: number | null; absolute: number | string | null },
  place: Place,
): void {
  const share = measures.find(({ statistic }) => statistic === 'share');
  const number = measures.find(({ statistic }) => statistic !== 'share');
  const wrong = (message: string, hint: string): ForayError =>
    new ForayError('INVALID_VALUE', message, { place, hint });
  if (share && relative !== null)
    throw wrong(
      `${quoted(share.name)} is true or false: its share has no relative precision.`,
      'Write absolute: 2 % (or 0.02) for a share that is known to ± 2 %.',
    );
  if (typeof absolute === 'string' && number)
    throw wrong(
      `${quoted(number.name)} is a number, so its width cannot be a percentage.`,
      'Write relative: 0.02 for 2 % of its mean, or absolute with a number in its units.',
    );
  const width = typeof absolute === 'string' ? parseFloat(absolute) / 100 : absolute;
  if (share && width !== null && !(width > 0 && width < 0.5))
    throw wrong(
      `${quoted(share.name)} is true or false, so "absolute" must be above 0 and below 50 %.`,
      'Write absolute: 2 % (or 0.02) for a share that is known to ± 2 %.',
    );
}

/** The goal of the campaign; empty if the definition has no goal. */
export function goalOf(
  { definition: { goal }, locate }: ReadDefinition,
  outputs: readonly CampaignOutput[],
): Pick<Campaign, 'goal'> {
  if (!goal) return {};
  const key = goal.maximize === undefined ? 'minimize' : 'maximize';
  const { name } = measureOf(outputs, goal[key]!, locate(['goal', key]));
  return { goal: { output: name, wants: key === 'maximize' ? 'highest' : 'lowest' } };
}
