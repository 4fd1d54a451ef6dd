import path from 'node:path';
import { statOf } from '../../system/file-stamp.ts';
import { type KeptCommand, readKeptCommand } from './command.ts';
import { isPython, type ModelPlace, PYTHON_HELPER } from './folder.ts';

/** The folders in which a virtual environment of a model is looked for, relative to the model's folder. */
export const ENVIRONMENTS = ['.venv', 'venv', '../.venv', '../venv'];

/**
 * The program of a model that is not a module. The command of a declaration is read by one rule, for new and for kept
 * versions.
 *
 * @throws Error
 */
export function programOf(place: ModelPlace): KeptCommand {
  if (isPython(place.entry)) return { command: pythonCommand(place), loop: true };
  const { command, loop } = readKeptCommand(place.entry);
  const [program, ...args] = command;
  const isAnyPython = program === 'python3' || program === 'python';
  return { command: isAnyPython ? [pythonFor(path.dirname(place.entry), program), ...args] : command, loop };
}

/** The command that serves a model in Python. */
export function pythonCommand({ entry, libraryRoot }: ModelPlace): string[] {
  const folder = path.dirname(entry);
  return [pythonFor(folder), path.join(libraryRoot, PYTHON_HELPER), path.basename(entry)];
}

/** The Python of the virtual environment in a model's folder or beside it, or else the one that the service has. */
export function pythonFor(folder: string, otherwise = 'python3'): string {
  const near = ENVIRONMENTS.map((name) => path.join(folder, name));
  const active = process.env['VIRTUAL_ENV'];
  const found = [...near, ...(active ? [active] : [])]
    .map((environment) => path.join(environment, 'bin/python'))
    .find((python) => statOf(python)?.isFile());
  return found ?? otherwise;
}
