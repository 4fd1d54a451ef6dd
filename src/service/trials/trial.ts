import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { nameKey } from '../../api/values.ts';
import { ForayError, messageOf } from '../../errors.ts';
import { shellQuoted } from '../../text/shell-quoted.ts';
import { ServiceError } from '../errors.ts';
import type { Outcome } from '../executors/execution.ts';
import { ExecutorPool } from '../executors/pool.ts';
import { memoryShare } from '../executors/process.ts';
import { ContentFiles } from '../files/content.ts';
import { checkValue } from '../runs/checked.ts';
import { readSettings } from '../runs/parse-run-request.ts';
import { checkAllowed } from '../models/allowed-values.ts';
import { checkInputNames, type Declaration, templateOf } from '../models/declaration.ts';
import { describeModel } from '../models/describe.ts';
import { isDeclaration, type ModelCode, type ModelPlace, readCode } from '../models/folder.ts';
import { filesOutside, outsideWarning } from '../models/manifest.ts';

/** The result of one run of a model. */
export interface Trial {
  declaration: Declaration;
  /** JSON text of each output's value, by name. */
  outputs: Record<string, string>;
  seconds: number;
  /** A warning for the author; undefined if there is none. */
  warning?: string | undefined;
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

/** A model that can be run once. */
export interface Triable {
  code: ModelCode;
  declaration: Declaration;
  /** A warning for its author; undefined if there is none. */
  warning?: string | undefined;
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
  const warning = outsideWarning(declaration, filesOutside(place, described));
  return { code: readCode(place), declaration, warning };
}

/**
 * Runs a model once, in an executor like the executors of the service. No service is needed. A module whose run is short
 * runs a second time in the same process, because a module may keep data between its runs.
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
      return { declaration, outputs, seconds, warning: repeatWarning(declaration, outputs, again) };
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

/** A warning if a second run in the same process did not give the same outputs. */
function repeatWarning(
  { name }: Declaration,
  outputs: Record<string, string>,
  again: Outcome,
): string | undefined {
  const when = 'when it ran again with the same inputs in the same process';
  if (again.kind === 'failed') return `The model "${name}" failed ${when}: ${again.reason}.`;
  if (again.kind !== 'completed') return undefined;
  const other = Object.keys(outputs).filter((output) => again.outputs[output] !== outputs[output]);
  if (other.length === 0) return undefined;
  return `The model "${name}" gave other values of ${other.join(', ')} ${when}. Values must depend only on the inputs.`;
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
