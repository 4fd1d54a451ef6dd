import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { stringify } from 'yaml';
import { ForayError, messageOf, type Place } from '../../errors.ts';
import { ownFile } from '../../package/own-files.ts';
import { environmentForOthers } from '../../system/environment-for-others.ts';
import { schemaError } from '../../yaml/schema-error.ts';
import { Complaint } from '../complaint.ts';
import { type Deck, readDeck } from './deck.ts';
import { Declaration } from './declaration.ts';
import { PYTHON_HELPER } from './folder.ts';
import { pythonFor } from './program.ts';

/** Matches a model of Mesa, `module:Class`. */
const MESA_CLASS = /^[\p{L}\p{N}_.]+:[\p{L}\p{N}_]+$/u;

/** A model that was made from what a user owns. It is not written yet. */
export interface Imported {
  declaration: Declaration;
  /** The program, sim.py. */
  sim: string;
  /** Files of the model, by their paths in its folder: where they are now. */
  files: Record<string, string>;
  /** What the model does not have, one text each. */
  left: string[];
}

/** The answer of an importer in Python; `path` is a path in deck.yaml. */
type Outcome =
  | Imported
  | { problem: string; hint?: string | null; path?: PropertyKey[]; place?: Place & { file: string } };

/**
 * Makes a model from an FMU (`x.fmu`), from an input deck (a folder), or from a model of Mesa (`module:Class`).
 *
 * @param near - the folder that the model gets; a virtual environment in it or beside it has the importer's packages
 * @throws ForayError IMPORT_FAILED
 */
export async function importModel(source: string, near: string): Promise<Imported> {
  const ask = (importer: string, input?: string) =>
    askImporter([pythonFor(near), ownFile(`python/foray_${importer}.py`), source], input);
  if (MESA_CLASS.test(source) && !existsSync(source)) return checked(await ask('mesa'), source);
  const stat = statSync(source, { throwIfNoEntry: false });
  if (!stat) throw new ForayError('IMPORT_FAILED', `There is no file or folder ${source}.`);
  if (stat.isDirectory()) {
    const deck = readDeck(source);
    return checked(await ask('deck', JSON.stringify(deck.plain)), source, deck);
  }
  if (path.extname(source).toLowerCase() === '.fmu') return checked(await ask('fmu'), source);
  throw new ForayError('IMPORT_FAILED', `${source} is neither an FMU nor a folder with a deck.yaml.`, {
    hint: 'Give a file x.fmu, a folder, or a model of Mesa as module:Class.',
  });
}

/**
 * Writes the folder of a model.
 *
 * @returns the names of the written files and folders in the folder
 * @throws Error of the system; then nothing is left in the folder
 */
export function writeModel({ declaration, sim, files }: Imported, folder: string): string[] {
  const copied: Record<string, string> = { ...files, [path.basename(PYTHON_HELPER)]: ownFile(PYTHON_HELPER) };
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(path.join(folder, 'model.yaml'), modelYaml(declaration));
    writeFileSync(path.join(folder, 'sim.py'), sim);
    for (const [name, from] of Object.entries(copied)) {
      const to = path.join(folder, name);
      mkdirSync(path.dirname(to), { recursive: true });
      copyFileSync(from, to);
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return [...new Set(['model.yaml', 'sim.py', ...Object.keys(copied).map((name) => name.split('/')[0]!)])];
}

/** The declaration as a person would write it: one line for each input and output. */
function modelYaml({ name, description, inputs, outputs }: Declaration): string {
  const lines = (items: object[]) => items.map((item) => `  - ${flow(item)}\n`).join('');
  return [
    stringify({ name, description, command: 'python3 sim.py', loop: true }, { lineWidth: 0 }),
    inputs.length > 0 ? `inputs:\n${lines(inputs)}` : 'inputs: []\n',
    outputs.length > 0 ? `outputs:\n${lines(outputs)}` : 'outputs: []\n',
  ].join('');
}

/** An object as YAML on one line, without the settings that are not given. */
function flow(item: object): string {
  const given = Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null));
  return stringify(given, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
}

/** @throws ForayError IMPORT_FAILED if the answer tells a problem, or if its declaration is not valid */
function checked(answer: Outcome, source: string, deck?: Deck): Imported {
  if ('problem' in answer) {
    const { problem, hint, path: at, place } = answer;
    const where = place ? { ...place, file: path.join(source, place.file) } : deck?.locate(at ?? []);
    throw new ForayError('IMPORT_FAILED', `${problem}.`, { place: where, hint: hint ?? undefined });
  }
  if (deck) return { ...answer, declaration: deck.declaration, left: deck.left };
  const declaration = Declaration.safeParse(answer.declaration);
  if (declaration.success) return { ...answer, declaration: declaration.data };
  const { message } = schemaError(declaration.error, Declaration, answer.declaration, 'model');
  throw new ForayError('IMPORT_FAILED', `${source} cannot be declared as a model: ${message}`);
}

/** Runs an importer, which prints its answer as JSON on the last line of standard output. */
async function askImporter(command: string[], input = ''): Promise<Outcome> {
  const [program, ...args] = command;
  const child = spawn(program!, args, { env: environmentForOthers(), stdio: 'pipe' });
  // an importer may end without reading its input
  child.stdin.on('error', () => {}).end(input);
  try {
    const [said, complained, [code, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
    ]);
    if (code === 0) return answerOf(said);
    if (signal) throw new ForayError('IMPORT_FAILED', `The importer was ended by the signal ${signal}.`);
    const complaint = new Complaint();
    for (const line of complained.split('\n')) complaint.add(line);
    const reason = complaint.text().replace(/\.$/, '');
    throw new ForayError('IMPORT_FAILED', `${reason || `The importer ended with exit code ${code}`}.`);
  } catch (error) {
    if (error instanceof ForayError) throw error;
    throw new ForayError('IMPORT_FAILED', `The program ${program} cannot be used: ${messageOf(error)}.`, {
      hint: 'The import needs Python 3.9 or newer.',
    });
  }
}

/** @throws ForayError IMPORT_FAILED if the last line is no JSON */
function answerOf(said: string): Outcome {
  const line = said.trimEnd().split('\n').at(-1)!;
  try {
    return JSON.parse(line) as Outcome;
  } catch {
    const what = line === '' ? 'printed nothing' : `printed "${line.slice(0, 200)}" last`;
    throw new ForayError('IMPORT_FAILED', `The importer ended without an answer; it ${what}.`, {
      hint: 'A module must not end Python or print at the end when it is imported: look for sys.exit().',
    });
  }
}
