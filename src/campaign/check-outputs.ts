import { type CurveAxis, MILLISECONDS, nameKey, type OutputType } from '../api/index.ts';
import { ForayError, type Place } from '../errors.ts';
import { quoted } from '../text/suggest.ts';
import { UnknownNameError } from '../unknown-name.ts';
import type { ModelFacts } from './facts.ts';
import { distinct, isFormula, type Measure, measureOf } from './measures.ts';
import type { Precision } from './precision.ts';
import type { ReadDefinition } from './read.ts';
import { goalIn } from './search/goal.ts';
import type { Campaign, CampaignOutput } from './types.ts';

/**
 * The outputs that a campaign keeps, and the formulas over them. The outputs in a formula are kept as well. If a name
 * or a formula is wrong, all outputs are returned, so that other checks can go on.
 */
export function chosenOutputs(
  read: ReadDefinition,
  facts: ModelFacts,
): Pick<Campaign, 'outputs' | 'derived'> {
  const { definition, locate, mistakes } = read;
  const { outputs } = definition;
  const all = outputsWithAxes(read, facts);
  const isList = Array.isArray(outputs);
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
      mistakes.add(unknownOutput(written, facts, place));
    }
  }
  if (mistakes.count > before) return { outputs: all };
  return { outputs: [...chosen], ...(derived.size > 0 && { derived: [...derived] }) };
}

/** All outputs of the model. An axis in the definition replaces the same settings of the axis that the model declares. */
function outputsWithAxes(
  { definition: { outputs }, locate, mistakes }: ReadDefinition,
  facts: ModelFacts,
): CampaignOutput[] {
  const axes = new Map(Object.entries((Array.isArray(outputs) ? undefined : outputs?.axes) ?? {}));
  const placeOf = (name: string): Place => locate(['outputs', 'axes', name], 'key');
  const all: CampaignOutput[] = [];
  for (const { name, type, units, axis: declared } of facts.version.experimentTemplate.outputs) {
    const writtenName = [...axes.keys()].find((one) => nameKey(one) === nameKey(name));
    const axis = writtenName === undefined ? declared : { ...declared, ...axes.get(writtenName)! };
    if (writtenName !== undefined) {
      axes.delete(writtenName);
      mistakes.attempt(() => checkAxis(name, type, axis!, placeOf(writtenName)));
    }
    all.push({ name, type, units, ...(axis && { axis }) });
  }
  // no output has the names that are left
  for (const name of axes.keys()) mistakes.add(unknownOutput(name, facts, placeOf(name)));
  return all;
}

function unknownOutput(name: string, facts: ModelFacts, place: Place): UnknownNameError {
  const known = facts.version.experimentTemplate.outputs.map((output) => output.name);
  const message = `The model "${facts.name}" has no output ${quoted(name)}.`;
  return new UnknownNameError('UNKNOWN_OUTPUT', message, { name, known, place });
}

/** @throws ForayError INVALID_VALUE if the output is not a curve, or its axis cannot show dates from its start */
function checkAxis(name: string, type: OutputType, axis: CurveAxis, place: Place): void {
  const { scale, start } = axis;
  const wrong = (message: string, hint: string): ForayError =>
    new ForayError('INVALID_VALUE', message, { place, hint });
  if (type !== 'DATA_SET')
    throw wrong(
      `The output "${name}" has no x axis, because its type is ${type}.`,
      'Only outputs of the type DATA_SET are curves.',
    );
  if (start === undefined) return;
  const units = Object.keys(MILLISECONDS);
  if (!axis.units || !units.includes(axis.units))
    throw wrong(
      `The x axis of "${name}" has a start, but no units of time.`,
      `Add units: ${units.join(', ')}.`,
    );
  if (scale === 'log')
    throw wrong(
      `The x axis of "${name}" has a start and a logarithmic scale.`,
      'An axis with a start shows dates, and an axis of dates is linear. Leave "start" out, or write "scale: linear".',
    );
}

/** Whether output files are kept. @throws ForayError INVALID_VALUE if they should be, but the campaign has none */
export function outputFilesOf(
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
export function precisionRuleOf(
  { definition, locate }: ReadDefinition,
  outputs: readonly CampaignOutput[],
): Precision | null {
  const { replications } = definition;
  if (typeof replications !== 'object' || !('output' in replications)) return null;
  const { min, max, output, relative = null, absolute: width = null, confidence } = replications;
  const isPercent = typeof width === 'string';
  const absolute = isPercent ? parseFloat(width) / 100 : width;
  const measures = listedNames(output, ['replications', 'output'], locate).map(({ name, place }) => {
    const measure = measureOf(outputs, name, place);
    if (measure.statistic !== 'quantile') return measure;
    throw new ForayError('INVALID_VALUE', `${quoted(measure.name)} is a quantile.`, {
      place,
      hint: 'Points are replicated until a mean or a share is precise: name an output, or P(…).',
    });
  });
  const shares = distinct(measures.filter(({ statistic }) => statistic === 'share'));
  const place = locate(['replications', relative === null ? 'absolute' : 'relative']);
  checkWidth(measures, { relative, absolute, isPercent }, place);
  return {
    min,
    max,
    outputs: distinct(measures).map(({ name }) => name),
    ...(shares.length > 0 && { shares: shares.map(({ name }) => name) }),
    relative,
    absolute,
    confidence,
  };
}

/** The names in a setting that takes one name or a list, each with its place. */
export function listedNames(
  written: string | readonly string[],
  path: string[],
  locate: ReadDefinition['locate'],
): { name: string; place: Place }[] {
  if (typeof written === 'string') return [{ name: written, place: locate(path) }];
  return written.map((name, index) => ({ name, place: locate([...path, index]) }));
}

/**
 * @throws ForayError INVALID_VALUE if the width of a share is relative or not between 0 and 50 %, or if the width of a
 *   number is a percentage
 */
function checkWidth(
  measures: readonly Measure[],
  { relative, absolute, isPercent }: Pick<Precision, 'relative' | 'absolute'> & { isPercent: boolean },
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
  if (isPercent && number)
    throw wrong(
      `${quoted(number.name)} is a number, so its width cannot be a percentage.`,
      'Write relative: 0.02 for 2 % of its mean, or absolute with a number in its units.',
    );
  if (share && absolute !== null && !(absolute > 0 && absolute < 0.5))
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
  return goal ? { goal: goalIn(goal, outputs, locate, 'goal') } : {};
}
