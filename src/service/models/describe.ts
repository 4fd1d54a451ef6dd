import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ForayError, messageOf } from '../../errors.ts';
import { schemaError } from '../../yaml/schema-error.ts';
import { moduleTypeHint } from '../../package/module-type.ts';
import { ownModule } from '../../package/own-files.ts';
import { environmentForOthers } from '../../system/environment-for-others.ts';
import { LineProgram } from '../../system/line-program.ts';
import { MarkedProcesses } from '../../system/marked-processes.ts';
import { Complaint } from '../complaint.ts';
import { MARK, modelEnvironmentOf } from '../environment.ts';
import { isSystemError } from '../system-errors.ts';
import { absoluteFilesOf, readCommandModel, relativeFilesOf } from './command.ts';
import { Declaration } from './declaration.ts';
import { isModule, isPython, type ModelPlace, readCode } from './folder.ts';
import { withOwnCopy } from './own-copy.ts';
import { pythonCommand, pythonFor } from './program.ts';
import { PROGRAM_LOAD_LIMIT, type PythonBuild } from './python-build.ts';
import { oneLine } from '../../text/suggest.ts';

/** How long a model's module may take to load, and a program to tell its packages, in milliseconds. */
export const MODULE_LOAD_LIMIT = 30_000;
/** How long to read the output of a program that has ended, in milliseconds. */
const LINGER = 1_000;

/**
 * Reads a model's declaration. A module is loaded in its own thread, and a file in Python in its own process. So a model
 * that hangs or crashes while loading does not affect the service, and a changed model can be loaded again.
 *
 * @param signal - ends the loading
 * @throws the reason of the signal; ForayError MODEL_INVALID with the model's folder or the place in its declaration;
 *   MODEL_UNREADABLE if the system failed, and not the model
 */
export async function describeModel(place: ModelPlace, signal?: AbortSignal): Promise<Described> {
  const { entry } = place;
  const folder = path.dirname(entry);
  if (!isModule(entry) && !isPython(entry)) {
    const { declaration, command } = readCommandModel(entry);
    const [loaded, absolute] = [relativeFilesOf(command, folder), absoluteFilesOf(command, folder)];
    return { declaration, loaded, absolute };
  }
  const answer = await (isPython(entry) ? askPython(place, signal) : askThread(entry, signal)).catch(
    (error: unknown): Answer => {
      signal?.throwIfAborted();
      if (error instanceof ForayError) throw error;
      const isLate = ['AbortError', 'TimeoutError'].includes((error as Error).name);
      const limit = isPython(entry) ? PROGRAM_LOAD_LIMIT : MODULE_LOAD_LIMIT;
      return {
        problem: isLate ? `its file takes longer than ${limit / 1_000} s` : messageOf(error),
        isOfSystem: isSystemError(error),
      };
    },
  );
  if ('problem' in answer) {
    const { problem, isOfSystem, place: at } = answer;
    throw new ForayError(
      isOfSystem ? 'MODEL_UNREADABLE' : 'MODEL_INVALID',
      `The model in ${folder} cannot be loaded: ${oneLine(problem).trim().replace(/\.$/, '')}.`,
      {
        place: at ? { ...at, column: 1 } : undefined,
        hint: isOfSystem ? undefined : loadingHint(entry, problem),
      },
    );
  }
  const declaration = Declaration.safeParse(answer.declaration);
  if (!declaration.success) {
    const { message, hint } = schemaError(declaration.error, Declaration, answer.declaration, 'model');
    throw new ForayError('MODEL_INVALID', `The model in ${folder} is not declared as a model: ${message}`, {
      hint,
    });
  }
  const { loaded, opened, python } = answer;
  return { declaration: declaration.data, loaded, opened, absolute: [], ...(python && { python }) };
}

/** A model's declaration, and the files that it uses. */
export interface Described {
  declaration: Declaration;
  /** For a module the files that were loaded with it, for a command the files that it names. */
  loaded: string[];
  /** Files that a command names by absolute paths. */
  absolute: string[];
  /** Only for a file in Python: the files outside its folder that it has opened while it was loaded. */
  opened?: string[] | undefined;
  /**
   * Only for a program in Python that foray serves: its Python and packages, and the folders in which this Python finds
   * packages.
   */
  python?: PythonBuild & { program: string; folders: string[] };
}

/** The answer of the thread or the process that loads a model. */
export type Answer =
  | ({ declaration: unknown } & Pick<Described, 'loaded' | 'opened' | 'python'>)
  | { problem: string; isOfSystem: boolean; place?: { file: string; line: number } | null };

/**
 * Asks a file in Python for the declaration of its model. The file is loaded as for a run: in a copy of its folder, and
 * in an empty working folder.
 */
async function askPython(place: ModelPlace, signal: AbortSignal | undefined): Promise<Answer> {
  const source = path.dirname(place.entry);
  return withOwnCopy(await readCode(place), async (copy, folder) => {
    // the files beside a single file are not copied, but its author is told that it uses them
    const modelFolder = place.isSingleFile ? source : copy;
    const [python, helper, file] = pythonCommand(place) as [string, string, string];
    const command = [python, helper, path.join(modelFolder, file), 'describe'];
    const more = { PYTHONDONTWRITEBYTECODE: '1' };
    const options = { modelFolder, folder, more, limit: PROGRAM_LOAD_LIMIT, signal };
    const printed = await printedBy(command, options).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT'
        ? new Error(`there is no program ${python}; install Python 3.9 or newer`)
        : error;
    });
    if (printed === '') throw new Error('it ended its process, perhaps by sys.exit()');
    // the answer names files of the copy
    const inSource = (_key: string, value: unknown): unknown =>
      typeof value === 'string' ? value.replaceAll(copy, source) : value;
    return { isOfSystem: false, ...(JSON.parse(printed, inSource) as Answer) };
  });
}

async function askThread(entry: string, given: AbortSignal | undefined): Promise<Answer> {
  const thread = new Worker(ownModule('src/service/models/describe-thread'), {
    workerData: entry,
    env: environmentForOthers(),
    stdout: true,
  });
  thread.stdout.resume();
  try {
    const signal = limited(MODULE_LOAD_LIMIT, given);
    return await Promise.race([
      once(thread, 'message', { signal }).then(([answer]) => answer as Answer),
      once(thread, 'exit').then((): Answer => ({
        problem: 'it ended the thread that loads it',
        isOfSystem: false,
      })),
    ]);
  } finally {
    await thread.terminate();
  }
}

/** What to do if a module or a file in Python cannot be loaded. */
function loadingHint(entry: string, problem: string): string | undefined {
  if (isPython(entry)) return packageHint(path.dirname(entry), problem);
  return problem.includes('under node_modules')
    ? 'Node runs no TypeScript in node_modules. Copy the folder of the model to another place.'
    : moduleTypeHint(entry);
}

/** What to do if Python lacks a package. */
function packageHint(folder: string, problem: string): string | undefined {
  const [, name] = /^ModuleNotFoundError: No module named '([^']+)'/.exec(problem) ?? [];
  if (name === undefined) return undefined;
  const python = pythonFor(folder);
  return path.isAbsolute(python)
    ? `It runs with ${python}. Install the package in this environment.`
    : `It runs with ${python}. Make an environment with the package: python3 -m venv ${path.join(folder, '.venv')}, and then ${path.join(folder, '.venv/bin/pip')} install PACKAGE`;
}

interface PrintOptions {
  modelFolder: string;
  /** The working folder. @default modelFolder */
  folder?: string;
  /** Further variables of the environment. */
  more?: NodeJS.ProcessEnv;
  /** The longest time, in milliseconds. */
  limit: number;
  /** Ends the program earlier. */
  signal: AbortSignal | undefined;
}

/**
 * What a program of a model prints without any input. Afterwards, none of its processes is left.
 *
 * @throws Error with the reason if it fails; the error of the system if it cannot be started, or takes too long; the
 * reason of the signal
 */
export async function printedBy(
  command: readonly string[],
  { modelFolder, folder = modelFolder, more = {}, limit, signal }: PrintOptions,
): Promise<string> {
  const said: string[] = [];
  const complaint = new Complaint();
  const mark = randomUUID();
  const program = new LineProgram(
    {
      command,
      folder,
      environment: { ...environmentForOthers(), ...modelEnvironmentOf(modelFolder), ...more, [MARK]: mark },
      leadsGroup: true,
    },
    {
      stdout: ({ bytes }) => said.push(bytes.toString()),
      stderr: ({ bytes }) => complaint.add(bytes.toString()),
    },
  );
  try {
    await program.started;
    program.endInput();
    const end = limited(limit, signal);
    end.throwIfAborted();
    const late = once(end, 'abort').then(() => {
      throw end.reason;
    });
    const exit = await Promise.race([program.exit, late]);
    // a process that the program has left behind may hold its output open
    await Promise.race([program.closed, delay(LINGER, undefined, { ref: false })]);
    if (exit.code !== 0) throw new Error(complaint.text() || `it ended with ${exit.signal ?? exit.code}`);
    return said.join('\n');
  } finally {
    program.kill();
    if (program.pid !== undefined) await new MarkedProcesses(`${MARK}=${mark}`, program.pid, [folder]).end();
  }
}

/** A signal that aborts after a time in milliseconds, and also when the given one aborts. */
function limited(limit: number, given: AbortSignal | undefined): AbortSignal {
  return AbortSignal.any([AbortSignal.timeout(limit), ...(given ? [given] : [])]);
}
