import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { RANDOM_SEED } from '../../api/constants.ts';
import { nameKey } from '../../api/values.ts';
import { ForayError, messageOf } from '../../errors.ts';
import { shellQuoted } from '../../text/shell-quoted.ts';
import { ServiceError } from '../errors.ts';
import type { Outcome } from '../executors/execution.ts';
import { ExecutorPool } from '../executors/pool.ts';
import { memoryShare } from '../executors/process.ts';
import type { Left } from '../executors/protocol.ts';
import { ContentFiles } from '../files/content.ts';
import { checkValue } from '../runs/checked.ts';
import { readSettings } from '../runs/parse-run-request.ts';
import { checkAllowed } from '../models/allowed-values.ts';
import { checkInputNames, type Declaration, templateOf } from '../models/declaration.ts';
import { describeModel } from '../models/describe.ts';
import { isDeclaration, type ModelCode, type ModelPlace, readCode } from '../models/folder.ts';
import { filesOutside, outsideWarning } from '../models/manifest.ts';
import { namedOutside } from './named-outside.ts';

/** The result of one run of a model. */
export interface Trial {
  declaration: Declaration;
  /** JSON text of each output's value, by name. */
  outputs: Record<string, string>;
  seconds: number;
  /** Warnings for the author. */
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

/** A module runs a second time only if the first run was this short, in seconds. */
const SHORT = 5;
/** Maximum number of files or processes that a warning names. */
const MOST_LISTED = 5;
/** A model with seeds runs with a large seed, too, if the first run was this short, in seconds. */
const MEDIUM = 60;
/** The largest seed that foray derives for a model without limits. */
const LARGEST_SEED = 2 ** 48 - 1;

/** A model that can be run once. */
export interface Triable {
  code: ModelCode;
  declaration: Declaration;
  /** Warnings for its author. */
  warnings: string[];
}

/**
 * Reads a model.
 *
 * @throws ForayError MODEL_INVALID when it is not declared as a model that campaigns can use, MODEL_UNREADABLE
 */
export async function readTriable(place: ModelPlace): Promise<Triable> {
  const described = await describeModel(place.entry);
  const { declaration } = described;
  checkInputNames(declaration);
  const outside = [...new Set([...filesOutside(place, described), ...namedOutside(place)])];
  const warning = outsideWarning(declaration, outside);
  return { code: readCode(place), declaration, warnings: warning === undefined ? [] : [warning] };
}

/**
 * Runs a model once, in an executor like the executors of the service. No service is needed. A module whose run is short
 * runs a second time in the same process, because a module may keep data between its runs. A model with seeds also runs
 * with the largest seed that it may get.
 *
 * @throws ForayError MODEL_INVALID when its run fails, with the reason; MODEL_UNREADABLE when it cannot be run now, and
 *   the model is not the reason; UNKNOWN_INPUT, INVALID_VALUE; USAGE for a file that cannot be read, for a file
 *   that is given as a value, and for a value that is given as a file
 */
export async function tryModel(
  { code, declaration }: Triable,
  { values, files }: TrialInputs,
  { onProgress, onLine }: TrialListener,
): Promise<Trial> {
  checkWays(declaration, { values, files });
  const template = templateOf(declaration);
  const filesDir = mkdtempSync(path.join(os.tmpdir(), 'foray-trial-'));
  const content = new ContentFiles(filesDir);
  content.prepare();
  const pool = new ExecutorPool({
    filesDir,
    memory: memoryShare(1),
    onLine: (line, _number, runId) => {
      if (runId === 'trial') onLine(line);
    },
    size: 1,
    timeout: undefined,
  });
  try {
    const hashes = [...files].map(([name, file]): [string, string] => [name, content.write(contentOf(file))]);
    const inputs = trialInputs(declaration, [...values, ...hashes]);
    const start = performance.now();
    const job = { runId: 'trial', versionId: 'trial', code, template, inputs };
    const outcome = await pool.execute(job, onProgress);
    const seconds = (performance.now() - start) / 1_000;
    if (outcome.kind === 'completed') {
      const { outputs } = outcome;
      const isRepeated = !isDeclaration(code.entry) && seconds < SHORT;
      const again = isRepeated ? await pool.execute({ ...job, runId: 'again' }, () => {}) : outcome;
      const seeded = largeSeed(declaration, values, seconds);
      if (seeded !== undefined) {
        const large = { ...job, runId: 'seeded', inputs: { ...inputs, [RANDOM_SEED]: seeded } };
        checkSeeded(declaration, seeded, await pool.execute(large, () => {}));
      }
      const warnings = [
        ...repeatWarning(declaration, outputs, again),
        ...leftWarnings(declaration, outcome.left),
      ];
      return { declaration, outputs, seconds, warnings };
    }
    if (outcome.kind !== 'failed') {
      const reason = 'reason' in outcome ? outcome.reason : 'it was ended';
      throw new ForayError(
        'MODEL_UNREADABLE',
        `The model "${declaration.name}" cannot be run now: ${reason}.`,
      );
    }
    throw new ForayError(
      'MODEL_INVALID',
      `The model "${declaration.name}" failed when it was run with ${howRun(values, files)}: ${outcome.reason}.`,
    );
  } finally {
    await pool.close();
    rmSync(filesDir, { recursive: true, force: true });
  }
}

/** The seed for a further run; undefined if the model has no seeds, a person gave one, or its runs are long. */
function largeSeed(
  { inputs }: Declaration,
  values: TrialInputs['values'],
  seconds: number,
): string | undefined {
  const seed = inputs.find(({ name }) => name === RANDOM_SEED);
  const isGiven = [...values.keys()].some((name) => nameKey(name) === nameKey(RANDOM_SEED));
  if (!seed || seed.values || isGiven || seconds > MEDIUM) return undefined;
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

/** Warnings about what a run left behind. */
function leftWarnings({ name }: Declaration, left: Left | undefined): string[] {
  const listed = (items: readonly string[]): string =>
    items.slice(0, MOST_LISTED).join(', ') + (items.length > MOST_LISTED ? ', …' : '');
  const { files = [], processes = [] } = left ?? {};
  return [
    ...(files.length > 0
      ? [
          `The model "${name}" writes into its own folder: ${listed(files)}. foray removes these files after each run, so the next run does not find them.`,
        ]
      : []),
    ...(processes.length > 0
      ? [
          `The model "${name}" ends before its processes: ${listed(processes)}. foray ends these processes with the run.`,
        ]
      : []),
  ];
}

/** A warning if a second run in the same process did not give the same outputs. */
function repeatWarning({ name }: Declaration, outputs: Record<string, string>, again: Outcome): string[] {
  const when = 'when it ran again with the same inputs in the same process';
  if (again.kind === 'failed') return [`The model "${name}" failed ${when}: ${again.reason}.`];
  if (again.kind !== 'completed') return [];
  const other = Object.keys(outputs).filter((output) => again.outputs[output] !== outputs[output]);
  if (other.length === 0) return [];
  return [
    `The model "${name}" gave other values of ${other.join(', ')} ${when}. Values must depend only on the inputs.`,
  ];
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
function checkWays({ inputs }: Declaration, { values, files }: TrialInputs): void {
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
    return readFileSync(file);
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
