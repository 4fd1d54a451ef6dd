import { type InputItem, nameKey } from '../api/index.ts';
import { ForayError } from '../errors.ts';
import { quoted } from '../text/suggest.ts';
import { UnknownNameError } from '../unknown-name.ts';
import { writtenGrowth } from './check-growth.ts';
import { chosenOutputs, outputFilesOf, precisionRuleOf } from './check-outputs.ts';
import type { Definition, Given } from './definition.ts';
import { type Design, inputsOf, isRandom, mostRows } from './designs/index.ts';
import { MOST_POINTS } from './designs/schema-values.ts';
import type { PointFile } from './designs/table.ts';
import type { ModelFacts } from './facts.ts';
import type { DesignFacts } from './designs/kind.ts';
import { inputFinder, onceEach } from './find-input.ts';
import { grown } from './growth.ts';
import type { ReadDefinition } from './read.ts';
import { checkSeeds, freshness, seedOf, seedRange } from './seeds.ts';
import { beginStrategy, strategyIn, strategyRules } from './strategy-rules.ts';
import { type BaseInput, takesFile } from './designs/input-types.ts';
import { type Campaign, ONE_ATTEMPT, type VariedInput } from './types.ts';
import { type WantedFile, WantedFiles } from './varied-files.ts';
import { canonical, canonicalDefault, checkUnits, type ModelInput } from './input-values.ts';

const MOST_RUNS = 10_000_000;

/** The part of a campaign that the definition and the model's version determine. */
export type CheckedDefinition = Omit<Campaign, 'id' | 'service' | 'model' | 'files' | 'variedFiles'> & {
  /** The files that inputs have at all points. Their paths are as written. */
  files: WantedFile[];
  /** The files that differ between points, except those that only point files name. */
  namedFiles: WantedFile[];
};

/**
 * Checks every name and value of a definition against the model's version, and resolves the definition. A wrong name is
 * an error, with the most similar name or the known names as a hint. Mistakes are added to `read.mistakes`, each with
 * its place: UNKNOWN_INPUT, UNKNOWN_OUTPUT, UNKNOWN_EXPERIMENT, INVALID_VALUE, INVALID_EXPRESSION, EMPTY_DESIGN,
 * REPLICATIONS_NEED_SEED, SEED_NEEDED. The result is valid only if there are no mistakes.
 *
 * @param pointFiles point files that the design names, by their path as written
 */
export function checkDefinition(
  read: ReadDefinition,
  facts: ModelFacts,
  pointFiles: Readonly<Record<string, PointFile>> = {},
): CheckedDefinition {
  const { definition, locate, mistakes } = read;
  const wanted = new WantedFiles();
  const find = inputFinder(facts, wanted);
  const { base, files, given } = givenInputs(read, facts, find);
  const { inputs } = facts.version.experimentTemplate;
  const designFacts = {
    inputs,
    base,
    fixed: given,
    locate,
    find,
    pointFiles,
    seed: definition.seed ?? 0,
    mistakes,
  };
  const begun = mistakes.scope(() => beginStrategy(read, designFacts));
  const { design, finish } = begun.value;
  const replications = leastReplications(definition, base);
  const varied = variedIn(design, inputs);
  if (begun.isSound) mistakes.attempt(() => checkSize(read, design, replications));
  const taken = new Set([...given, ...inputsOf(design)]);
  const drawsBySeed = !strategyRules[strategyIn(definition)].hasDesign || isRandom(design);
  mistakes.attempt(() => checkSeeds(read, facts, { varied, drawsBySeed }, taken));
  const kept = chosenOutputs(read, facts);
  const { outputs } = kept;
  const seeds = seedRange(facts);
  return {
    name: definition.campaign,
    base,
    varied,
    design,
    files,
    namedFiles: [...wanted],
    replications,
    precision: mistakes.attempt(() => precisionRuleOf(read, outputs)) ?? null,
    ...finish(kept),
    seed: seedOf(definition, base, replications),
    ...(seeds && { seeds }),
    commonRandomNumbers: definition.commonRandomNumbers,
    ...kept,
    outputFiles: mistakes.attempt(() => outputFilesOf(read, outputs)) ?? 'link',
    concurrency: definition.concurrency,
    ...failureSettings(definition),
    timeouts: { run: definition.timeouts?.run ?? null, campaign: definition.timeouts?.campaign ?? null },
    fresh: mistakes.attempt(() => freshness(read, find, onceEach(taken, locate))) ?? null,
    priority: definition.priority,
    ...(definition.notify !== undefined && { notify: [...new Set([definition.notify].flat())] }),
  };
}

interface GivenInputs {
  /** All inputs, each with its value. */
  base: BaseInput[];
  /** Their paths are as written. */
  files: WantedFile[];
  /** The inputs under `inputs` and `files`. */
  given: ReadonlySet<string>;
}

/** The inputs that have the same value at all points, unless the design or the strategy varies them. */
function givenInputs(read: ReadDefinition, facts: ModelFacts, find: DesignFacts['find']): GivenInputs {
  const { definition, locate, mistakes } = read;
  const base = experimentBase(read, facts);
  const given = new Set<string>();
  const once = onceEach(given, locate);
  for (const [written, value] of Object.entries(definition.inputs)) {
    const path = ['inputs', written];
    mistakes.attempt(() => {
      const input = find(written, locate(path, 'key'));
      once(input.name, path);
      const inBase = base.find(({ name }) => name === input.name)!;
      inBase.value = fixedValue(input, value, read, path);
    });
  }
  const files: WantedFile[] = [];
  for (const [written, path] of Object.entries(definition.files)) {
    mistakes.attempt(() => {
      const input = find(written, locate(['files', written], 'key'));
      once(input.name, ['files', written]);
      if (input.type !== 'INPUT_FILE') {
        throw new ForayError('INVALID_VALUE', `The input "${input.name}" takes ${input.type}, not a file.`, {
          place: locate(['files', written], 'key'),
          hint: 'Give its value under "inputs".',
        });
      }
      files.push({ input: input.name, path, place: locate(['files', written]) });
    });
  }
  for (const input of base) input.value = canonicalDefault(input);
  return { base, files, given };
}

function variedIn(design: Design, inputs: readonly InputItem[]): VariedInput[] {
  return inputsOf(design).map((name) => {
    const { type, units } = inputs.find((input) => input.name === name)!;
    return { name, type, units };
  });
}

/** The fewest replications of each point. */
function leastReplications(definition: Definition, base: readonly BaseInput[]): number {
  const { replications } = definition;
  if (replications === undefined) return strategyRules[strategyIn(definition)].replications(base);
  return typeof replications === 'number' ? replications : replications.min;
}

/** The inputs of the version, with the values of the stored experiment that a definition starts from. */
function experimentBase(read: ReadDefinition, facts: ModelFacts): BaseInput[] {
  const template = facts.version.experimentTemplate.inputs;
  const base = template.map(({ name, type, units, value }): BaseInput => ({ name, type, units, value }));
  for (const input of read.mistakes.attempt(() => experimentInputs(read, facts)) ?? []) {
    const at = template.findIndex(({ name }) => nameKey(name) === nameKey(input.name));
    // the experiment may have an input that this version lacks
    if (at < 0) continue;
    read.mistakes.attempt(() => {
      base[at]!.value = canonical(template[at]!, input.value, read.locate(['experiment']));
    });
  }
  return base;
}

function fixedValue(input: ModelInput, given: Given, { locate }: ReadDefinition, path: string[]): string {
  if (input.type === 'INPUT_FILE') {
    throw takesFile(input.name, locate(path, 'key'));
  }
  if (typeof given !== 'object') return canonical(input, given, locate(path));
  checkUnits(input, given.units, locate([...path, 'units']));
  return canonical(input, given.value, locate([...path, 'value']));
}

function checkSize({ definition, locate }: ReadDefinition, design: Design, replications: number): void {
  const growth = writtenGrowth(definition)?.growth;
  const largest = growth ? grown(design, growth.max) : design;
  const points = mostRows(largest);
  if (points > MOST_POINTS) {
    throw new ForayError('INVALID_VALUE', `The design has ${points.toLocaleString('en')} points.`, {
      place: locate(['design'], 'key'),
      hint: `At most ${MOST_POINTS.toLocaleString('en')} are allowed.`,
    });
  }
  const runs = points * replications;
  if (runs > MOST_RUNS) {
    throw new ForayError('INVALID_VALUE', `The campaign has ${runs.toLocaleString('en')} runs.`, {
      place: locate(['replications']),
      hint: `At most ${MOST_RUNS.toLocaleString('en')} are allowed.`,
    });
  }
}

/** The two policies in the setting `failures`: for the attempts of a run, and for the failures of the campaign. */
function failureSettings({ failures }: Definition): Pick<Campaign, 'attempts' | 'failures'> {
  if (!failures) return { attempts: ONE_ATTEMPT, failures: null };
  const { attempts: count, backoff, seed, ...policy } = failures;
  const hasLimit = policy.rate !== undefined || policy.count !== undefined;
  return { attempts: { count, backoff, seed }, failures: hasLimit ? policy : null };
}

function experimentInputs({ definition, locate }: ReadDefinition, facts: ModelFacts): readonly InputItem[] {
  const wanted = definition.experiment;
  if (wanted === undefined) return [];
  const found = facts.experiments.find(({ name }) => nameKey(name) === nameKey(wanted));
  if (!found) {
    throw new UnknownNameError(
      'UNKNOWN_EXPERIMENT',
      `The model "${facts.name}" has no experiment ${quoted(wanted)}.`,
      {
        name: wanted,
        known: facts.experiments.map(({ name }) => name),
        place: locate(['experiment']),
        hint: 'The model has no experiments.',
      },
    );
  }
  // a varied input of a stored multi-run experiment has a range, which is not a value for one run
  return found.inputs.filter(({ type }) => !type.includes('_RANGE_'));
}
