import { nameKey, numericOutputTypes } from '../api/index.ts';
import { ForayError, type Place } from '../errors.ts';
import { didYouMean, quoted } from '../suggest.ts';
import type { ModelFacts } from './facts.ts';
import type { Precision } from './precision.ts';
import type { ReadDefinition } from './read.ts';
import type { Campaign, CampaignOutput } from './types.ts';

/** The outputs that a campaign keeps; all of them where a name is wrong, so that other checks can go on. */
export function chosenOutputs(
  { definition, locate, mistakes }: ReadDefinition,
  facts: ModelFacts,
): CampaignOutput[] {
  const all = facts.version.experimentTemplate.outputs.map(({ name, type, units }) => ({
    name,
    type,
    units,
  }));
  const { outputs } = definition;
  const isList = Array.isArray(outputs);
  const names = isList ? outputs : outputs?.names;
  if (!names) return all;
  const chosen = new Set<CampaignOutput>();
  const before = mistakes.count;
  for (const [index, written] of names.entries()) {
    const found = all.find(({ name }) => nameKey(name) === nameKey(written));
    if (found) {
      chosen.add(found);
      continue;
    }
    mistakes.add(
      new ForayError('UNKNOWN_OUTPUT', `The model "${facts.name}" has no output ${quoted(written)}.`, {
        place: locate(['outputs', ...(isList ? [] : ['names']), index]),
        hint: didYouMean(
          written,
          all.map(({ name }) => name),
        ),
      }),
    );
  }
  return mistakes.count === before ? [...chosen] : all;
}

/** Whether files are to be kept, of which there have to be any. */
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

/** Until when points are replicated; the outputs it goes by have to be kept. */
export function precisionOf(
  { definition, locate }: ReadDefinition,
  outputs: readonly CampaignOutput[],
): Precision | null {
  const { replications } = definition;
  if (typeof replications === 'number') return null;
  const { min, max, output, relative = null, absolute = null, confidence } = replications;
  const isList = Array.isArray(output);
  const names = (isList ? output : [output]).map((written, at) =>
    numericOutput(outputs, written, locate(['replications', 'output', ...(isList ? [at] : [])])),
  );
  return { min, max, outputs: [...new Set(names)], relative, absolute, confidence };
}

/** What the campaign is about; nothing where the definition does not say. */
export function goalOf(
  { definition: { goal }, locate }: ReadDefinition,
  outputs: readonly CampaignOutput[],
): Pick<Campaign, 'goal'> {
  if (!goal) return {};
  const key = goal.maximize === undefined ? 'minimize' : 'maximize';
  const output = numericOutput(outputs, goal[key]!, locate(['goal', key]));
  return { goal: { output, wants: key === 'maximize' ? 'highest' : 'lowest' } };
}

/**
 * The name of the numeric output that a text means.
 * @throws ForayError UNKNOWN_OUTPUT, INVALID_VALUE
 */
function numericOutput(outputs: readonly CampaignOutput[], written: string, place: Place): string {
  const found = outputs.find(({ name }) => nameKey(name) === nameKey(written));
  if (!found) {
    throw new ForayError('UNKNOWN_OUTPUT', `The campaign keeps no output ${quoted(written)}.`, {
      place,
      hint: didYouMean(
        written,
        outputs.map(({ name }) => name),
      ),
    });
  }
  if (numericOutputTypes.includes(found.type)) return found.name;
  throw new ForayError('INVALID_VALUE', `The output "${found.name}" is ${found.type}, not a number.`, {
    place,
  });
}
