import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { RANDOM_SEED } from '../../api/constants.ts';
import { nameKey } from '../../api/values.ts';
import { ForayError, messageOf } from '../../errors.ts';
import { removeFolderSync } from '../../system/remove-folder.ts';
import { shellQuoted } from '../../text/shell-quoted.ts';
import { ServiceError } from '../errors.ts';
import type { Outcome } from '../executors/execution.ts';
import { ExecutorPool, type PoolOptions } from '../executors/pool.ts';
import { memoryShare } from '../executors/process.ts';
import type { Left } from '../executors/protocol.ts';
import { ContentFiles } from '../files/content.ts';
import { checkAllowed } from '../models/allowed-values.ts';
import { checkInputNames, type Declaration, templateOf } from '../models/declaration.ts';
import { describeModel } from '../models/describe.ts';
import { isModule, type ModelCode, type ModelPlace, readCode, SEPARATOR, stateOf } from '../models/folder.ts';
import { filesOutside, outsideWarning } from '../models/manifest.ts';
import { packagesOf } from '../models/packages.ts';
import { programOf } from '../models/program.ts';
import { buildText } from '../models/python-build.ts';
import { checkValue } from '../runs/checked.ts';
import { readSettings } from '../runs/parse-run-request.ts';
import { namedOutside, openedOutside } from './named-outside.ts';
import { type SteadinessParts, steadinessOf } from './steadiness.ts';

export interface Trial {
  declaration: Declaration;
  /** JSON text of each output's value, by name. */
  outputs: Record<string, string>;
  seconds: number;
  warnings: string[];
}

export interface TrialListener {
  onProgress: (fraction: number) => void;
  /** A line that the model prints. */
  onLine: (line: string) => void;
}

/** The values of inputs, and the paths of input files, by the name of the input. Other inputs have their defaults. */
export interface TrialInputs {
  values: ReadonlyMap<string, string>;
  files: ReadonlyMap<string, string>;
}

/** A model with seeds also runs with a large seed if its first run took at most this long, in seconds. */
const LONGEST_BEFORE_SEED = 60;
/** A model runs again, to compare its outputs, if its first run took less than this, in seconds. */
const SHORT = 30;
/** A model runs again with more other inputs if its first run took less than this, in seconds. */
const QUICK = 10;
/** The largest seed that foray derives for a model without limits. */
const LARGEST_SEED = 2 ** 48 - 1;
/** The most files, processes or variables that a warning names. */
const MOST_LISTED = 5;

/** A model that can be run once. */
export interface Triable {
  code: ModelCode;
  declaration: Declaration;
  warnings: string[];
  /** The files outside its folder that the warnings name. */
  outside: string[];
  /** The Python and the packages of a model in Python, in words. */
  python?: string;
}

/**
 * Reads a model.
 *
 * @throws ForayError MODEL_INVALID when it is not declared as a model that campaigns can use, MODEL_UNREADABLE
 */
export async function readTriable(place: ModelPlace): Promise<Triable> {
  const described = await describeModel(place);
  const { declaration } = described;
  checkInputNames(declaration);
  const named = namedOutside(place);
  const opened = openedOutside(place, described.opened);
  const outside = [...new Set([...filesOutside(place, described), ...named.files, ...opened])];
  const warnings = [
    outsideWarning(declaration, outside, place),
    variablesWarning(declaration, named.variables),
  ];
  const code = await readCode(place);
  const python = described.python ?? (await packagesOf(code));
  return {
    code: { ...code, python },
    declaration,
    warnings: warnings.filter((warning) => warning !== undefined),
    outside,
    ...(python && { python: `${buildText(python)} (${python.program})` }),
  };
}

/**
 * Runs a model in an executor like the executors of the service. No service is needed. A model whose run is short runs
 * several times, to compare the outputs. A model with seeds also runs with the largest seed that it may get.
 *
 * @throws ForayError MODEL_UNSTEADY when its outputs depend on something else than its inputs;
 *   MODEL_INVALID when its run fails, with the reason; MODEL_UNREADABLE when it cannot be run now, and
 *   the model is not the reason; UNKNOWN_INPUT, INVALID_VALUE; USAGE for a file that cannot be read, for a file
 *   that is given as a value, and for a value that is given as a file
 */
export async function tryModel(
  { code, declaration, outside }: Triable,
  { values, files }: TrialInputs,
  { onProgress, onLine }: TrialListener,
): Promise<Trial> {
  checkKinds(declaration, { values, files });
  const template = templateOf(declaration);
  const filesDir = mkdtempSync(path.join(os.tmpdir(), 'foray-trial-'));
  const content = new ContentFiles(filesDir);
  content.prepare();
  const options = {
    filesDir,
    memory: memoryShare(1),
    onLine: (line: string, _number: number, runId: string): void => {
      if (runId === 'trial') onLine(line);
    },
    size: 1,
    timeout: undefined,
  };
  const pool = new ExecutorPool(options);
  try {
    const hashes = [...files].map(([name, file]): [string, string] => [name, content.write(contentOf(file))]);
    const inputs = trialInputs(declaration, [...values, ...hashes]);
    const start = performance.now();
    // alone, like the run with which its outputs are compared first
    const [runId, versionId] = ['trial', 'trial'];
    const job = { runId, versionId, code, template, inputs, isWatched: true, isAlone: true };
    const before = stateOf(code);
    const outcome = await pool.execute(job, onProgress);
    const seconds = (performance.now() - start) / 1_000;
    if (outcome.kind === 'failed') {
      throw new ForayError(
        'MODEL_INVALID',
        `The model "${declaration.name}" failed when it was run with ${howRun(values, files)}: ${outcome.reason}.`,
      );
    }
    if (outcome.kind !== 'completed') {
      const reason = 'reason' in outcome ? outcome.reason : 'it was ended';
      throw new ForayError(
        'MODEL_UNREADABLE',
        `The model "${declaration.name}" cannot be run now: ${reason}.`,
      );
    }
    const { outputs, left } = outcome;
    const isCompared = seconds < SHORT;
    const again = { ...job, runId: 'again', isWatched: false };
    const most = seconds < QUICK ? 4 : 2;
    const leftAgain = isCompared
      ? await checkSteady({ declaration, job: again, outputs, pool, most }, options)
      : [];
    const seed = largeSeed(declaration, values, seconds);
    if (seed !== undefined) {
      const changed = { runId: 'seeded', inputs: { ...inputs, [RANDOM_SEED]: seed } };
      const seeded = { ...job, ...changed, isWatched: false, isAlone: false };
      checkSeeded(declaration, seed, await pool.execute(seeded, () => {}));
    }
    const warnings = [
      ...leftWarnings(declaration, left),
      ...processWarnings(declaration, left ? [left, ...leftAgain] : leftAgain),
      ...changeWarnings(declaration, code, before),
      ...openedWarnings(declaration, code, left, outside),
    ];
    if (!isCompared) {
      warnings.push(
        `The model "${declaration.name}" ran only once, because its run took ${Math.round(seconds)} s. So foray has not compared the outputs of two runs.`,
      );
    }
    return { declaration, outputs, seconds, warnings };
  } finally {
    await pool.close();
    removeFolderSync(filesDir);
  }
}

/** The seed for a further run; undefined if the model has no seeds or lists them, a seed is given, or runs are long. */
function largeSeed(
  { inputs }: Declaration,
  values: TrialInputs['values'],
  seconds: number,
): string | undefined {
  const seed = inputs.find(({ name }) => name === RANDOM_SEED);
  const isGiven = [...values.keys()].some((name) => nameKey(name) === nameKey(RANDOM_SEED));
  if (!seed || seed.values || isGiven || seconds > LONGEST_BEFORE_SEED) return undefined;
  return String(seed.max ?? Math.max(LARGEST_SEED, seed.min ?? 0));
}

/** @throws ForayError MODEL_INVALID if the run failed */
function checkSeeded({ name }: Declaration, seed: string, outcome: Outcome): void {
  if (outcome.kind !== 'failed') return;
  throw new ForayError(
    'MODEL_INVALID',
    `The model "${name}" ran with its default seed, but failed with ${RANDOM_SEED} = ${seed}: ${outcome.reason}.`,
    {
      hint: `Replications get seeds up to this number. Declare the seeds that the program takes with "min" and "max" of ${RANDOM_SEED}, such as max: 2147483647 for 31 bits.`,
    },
  );
}

function listed(items: readonly string[]): string {
  return items.slice(0, MOST_LISTED).join(', ') + (items.length > MOST_LISTED ? ', …' : '');
}

/** Warnings about what a run left behind. */
function leftWarnings({ name }: Declaration, { files = [], processes = [] }: Partial<Left> = {}): string[] {
  const warnings: string[] = [];
  if (files.length > 0) {
    warnings.push(
      `The model "${name}" writes into its own folder: ${listed(files)}. foray removes these files after each run, so the next run does not find them.`,
    );
  }
  if (processes.length > 0) {
    warnings.push(
      `The model "${name}" ends before its processes: ${listed(processes)}. foray ends these processes with the run.`,
    );
  }
  return warnings;
}

/** Warnings about runs that need a new process, for which the program is loaded again. */
function processWarnings({ name }: Declaration, left: readonly Left[]): string[] {
  const again = left.find(({ again }) => again !== undefined)?.again;
  const last = left.find(({ last }) => last !== undefined)?.last;
  const warnings: string[] = [];
  if (again !== undefined) {
    warnings.push(
      `The model "${name}" failed in a process with earlier runs, and completed in a new one: ${again}. foray executes each such run twice.`,
    );
  }
  if (last !== undefined) {
    warnings.push(
      `The model "${name}" needs a new process after a run, because ${last}. Its program is loaded for each such run.`,
    );
  }
  return warnings;
}

/** Warnings about files outside the folder that the run has opened. @param named - those that were named before */
function openedWarnings(
  declaration: Declaration,
  code: ModelCode,
  left: Left | undefined,
  named: readonly string[],
): string[] {
  const isNamed = (file: string): boolean =>
    named.some((one) => file === one || file.startsWith(`${one}${path.sep}`));
  const warning = outsideWarning(
    declaration,
    openedOutside(code, left?.opened).filter((file) => !isNamed(file)),
    code,
  );
  return warning === undefined ? [] : [warning];
}

/** A warning about variables of the environment; undefined if the model names none. */
function variablesWarning({ name }: Declaration, variables: readonly string[]): string | undefined {
  if (variables.length === 0) return undefined;
  const [what, their] =
    variables.length === 1 ? ['variable', 'Its value is'] : ['variables', 'Their values are'];
  return `The model "${name}" reads the ${what} ${listed(variables)} of the environment. ${their} no part of its version, and may differ between machines. Make an input of it, or put it into a file of the folder.`;
}

/** Warnings about what the runs have changed in the original folder. @param before - its state before them */
function changeWarnings({ name }: Declaration, code: ModelCode, before: string): string[] {
  const lines = new Set(before.split('\n'));
  const changed = stateOf(code)
    .split('\n')
    .filter((line) => !lines.has(line))
    .map((line) => path.relative(code.folders[0]!, line.split(SEPARATOR)[0]!));
  if (changed.length === 0) return [];
  return [
    `The model "${name}" writes into its original folder: ${listed(changed)}. Each change makes a new version of the model, whose results are not used again. Write into the working folder.`,
  ];
}

/**
 * Runs a model again, and compares the outputs.
 *
 * @returns what further runs of the same process have left
 * @throws ForayError MODEL_UNSTEADY if outputs depend on something else than the inputs
 */
async function checkSteady(
  parts: Omit<SteadinessParts, 'otherHash' | 'program'>,
  options: PoolOptions,
): Promise<Left[]> {
  const { entry } = parts.job.code;
  const program = isModule(entry) ? undefined : programOf(parts.job.code);
  const mayDifferByHash = program !== undefined && process.env['PYTHONHASHSEED'] === undefined;
  const otherHash = mayDifferByHash
    ? new ExecutorPool({ ...options, environment: { PYTHONHASHSEED: '1' } })
    : undefined;
  try {
    const { difference, left } = await steadinessOf({ ...parts, otherHash, program });
    if (difference === undefined) return left;
    throw new ForayError(
      'MODEL_UNSTEADY',
      `The model "${parts.declaration.name}" gave different results ${difference}.`,
      {
        hint: 'Results must depend only on the inputs, because foray uses the result of a run again. Draw random numbers from {RANDOM_SEED}, sort sets, write only into the working folder, and keep nothing from one run for the next.',
      },
    );
  } finally {
    await otherHash?.close();
  }
}

/** The inputs of a run in a message: "its defaults", or for example "N = 5, Data = table.csv". */
export function howRun(values: TrialInputs['values'], files: TrialInputs['files']): string {
  const given = [...values, ...files].map(([name, value]) => `${name} = ${value}`);
  return given.length === 0 ? 'its defaults' : given.join(', ');
}

/**
 * Checks that files are given for inputs that are files, and values for the other inputs.
 * @throws ForayError USAGE
 */
function checkKinds({ inputs }: Declaration, { values, files }: TrialInputs): void {
  const typeOf = new Map(inputs.map(({ name, type }) => [nameKey(name), type]));
  for (const [name, value] of values) {
    if (typeOf.get(nameKey(name)) !== 'INPUT_FILE' || value === '') continue;
    throw new ForayError('USAGE', `The input "${name}" is a file, so it takes no value.`, {
      hint: `Give the path of the file: --file ${shellQuoted(`${name}=${value}`)}.`,
    });
  }
  for (const [name, file] of files) {
    const type = typeOf.get(nameKey(name));
    if (type === undefined || type === 'INPUT_FILE') continue;
    throw new ForayError('USAGE', `The input "${name}" (${type}) is a value, so it takes no file ${file}.`, {
      hint: `Give the value: --input ${shellQuoted(`${name}=VALUE`)}.`,
    });
  }
}

function contentOf(file: string): Uint8Array {
  try {
    // a pipe or a device may hold its reader for ever
    if (statSync(file).isFile()) return readFileSync(file);
    throw new Error('it is not a file');
  } catch (error) {
    throw new ForayError('USAGE', `The file ${file} cannot be read: ${messageOf(error)}.`);
  }
}

/** Canonical values by input name, checked like the values of a request. */
function trialInputs(declaration: Declaration, given: readonly [string, string][]): Record<string, string> {
  try {
    const inputs = given.map(([name, value]) => ({ name, value }));
    const settings = readSettings(templateOf(declaration).inputs, { experimentType: 'SIMULATION', inputs });
    for (const input of declaration.inputs) {
      checkValue(input.name, () => checkAllowed(input, settings.inputs[input.name]!));
    }
    return settings.inputs;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ForayError(error.code === 'UNKNOWN_INPUT' ? 'UNKNOWN_INPUT' : 'INVALID_VALUE', error.message);
  }
}
