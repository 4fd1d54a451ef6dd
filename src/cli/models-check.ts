import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { nameKey } from '../api/index.ts';
import { homePaths } from '../dev/home.ts';
import { ForayError } from '../errors.ts';
import { counted } from '../report/words/words.ts';
import type { Triable, Trial } from '../service/trials/trial.ts';
import { print, printJson, tell } from './output.ts';
import { ProgressLine } from './progress-line.ts';
import { homeOption, wholeNumber } from './setting-options.ts';
import { modelsIn } from './models-in.ts';

/** Longest value that is printed, in characters. Longer values are cut. */
const LONGEST_SHOWN = 100;
/** The time until a message says what takes long, ms. */
const LONG_MS = 5_000;

interface Flags {
  input?: string[];
  file?: string[];
  json?: boolean;
  version?: number;
  data?: string;
  home: string;
}

/** `foray models check` needs no service. */
export function addModelsCheck(models: Command): void {
  models
    .command('check')
    .description('run a model and show its outputs; if the run fails, show what it printed')
    .argument('<folder>', 'folder of one model or of several; with --version also the name of a model')
    .option('--input <name=value>', 'a value for an input; repeat for more inputs', addPair)
    .option('--file <name=path>', 'a file for an input; repeat for more inputs', addPair)
    .option('--version <number>', 'run an old version that a model service has kept', wholeNumber(1))
    .option('--data <folder>', 'data folder of that service (default: service in the home folder)')
    .addOption(homeOption())
    .option('--json', 'print the outputs as JSON')
    .action(async (folder: string, flags: Flags) => {
      const { json } = flags;
      const { readTriable } = await import('../service/trials/trial.ts');
      const trials: Trial[] = [];
      if (flags.version === undefined) {
        for (const place of await modelsIn(folder)) {
          const model = await sayingAfterLong(`${place.entry} takes long to load. Ctrl-C ends it.`, () =>
            readTriable(place),
          );
          for (const warning of model.warnings) tell(warning);
          trials.push(await runModel(model, flags));
        }
      } else {
        const { withKeptVersion } = await import('../service/trials/kept-version.ts');
        const dataDir = resolve(flags.data ?? homePaths(flags.home).service);
        const wanted = { dataDir, number: flags.version, ...(await modelNamed(folder)) };
        trials.push(await withKeptVersion(wanted, (version) => runModel(version, flags)));
      }
      if (json) {
        printJson(
          trials.map(({ declaration, outputs, seconds }) => ({
            name: declaration.name,
            seconds,
            outputs: Object.fromEntries(Object.entries(outputs).map(([name, text]) => [name, valueOf(text)])),
          })),
        );
      }
    });
}

/** The value of an output in a JSON document. A number keeps its digits: JavaScript would round a large LONG. */
function valueOf(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // TypeScript does not know this function yet
  const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };
  return typeof value === 'number' ? rawJSON(text) : value;
}

/** The model whose version is wanted: the model in a folder of this name, otherwise the model with this name. */
async function modelNamed(wanted: string): Promise<{ model: string; installedIn?: string }> {
  if (!existsSync(wanted)) return { model: wanted };
  const [place, ...others] = await modelsIn(wanted);
  if (others.length > 0) {
    throw new ForayError(
      'USAGE',
      `${wanted} has several models. With --version, give the name of one of them.`,
    );
  }
  const { describeModel } = await import('../service/models/describe.ts');
  const { declaration } = await describeModel(place!);
  return { model: declaration.name, installedIn: place!.folders[0]! };
}

/** Runs a model, and prints the outputs unless the command prints JSON. */
async function runModel(model: Triable, { input = [], file = [], json }: Flags): Promise<Trial> {
  const { howRun, tryModel } = await import('../service/trials/trial.ts');
  const progress = new ProgressLine();
  const values = valuesByName(input, model.declaration);
  const files = valuesByName(file, model.declaration);
  const { name } = model.declaration;
  const onProgress = (fraction: number): void =>
    progress.update(`[${String(Math.floor(100 * fraction)).padStart(3)}%] running`);
  const trial = await sayingAfterLong(
    `${name} still runs. A model whose run is short runs several times, to compare its outputs. Ctrl-C ends it.`,
    () => tryModel(model, { values, files }, { onProgress, onLine: tell }),
  );
  progress.finish(`[100%] ${name} has run`);
  for (const warning of trial.warnings) tell(warning);
  if (!json) printTrial(trial, howRun(values, files), model.python);
  return trial;
}

/** Prints a sentence if some work takes long, because a model that never ends would show nothing. */
async function sayingAfterLong<T>(sentence: string, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => tell(sentence), LONG_MS);
  return work().finally(() => clearTimeout(timer));
}

/** Collects texts of the form `NAME=VALUE`. */
function addPair(text: string, before: string[] = []): string[] {
  if (text.indexOf('=') < 1) throw new InvalidArgumentError('Expected NAME=VALUE.');
  return [...before, text];
}

/**
 * Splits texts of the form `NAME=VALUE`. Both parts may contain "=": the name is the longest name of an input that fits,
 * otherwise it ends at the first "=".
 */
function valuesByName(texts: readonly string[], { inputs }: Triable['declaration']): Map<string, string> {
  const keys = new Set(inputs.map(({ name }) => nameKey(name)));
  return new Map(
    texts.map((text) => {
      const ends = [...text.matchAll(/=/g)].map(({ index }) => index);
      const end = ends.findLast((at) => keys.has(nameKey(text.slice(0, at)))) ?? ends[0]!;
      return [text.slice(0, end), text.slice(end + 1)];
    }),
  );
}

function printTrial({ declaration, outputs, seconds }: Trial, how: string, python: string | undefined): void {
  const { name, inputs, experiments } = declaration;
  print(
    `${name}: ${counted(inputs.length, 'input')}, ${counted(declaration.outputs.length, 'output')}, ${counted(experiments.length, 'stored experiment')}.`,
  );
  if (python !== undefined) print(`It uses ${python}.`);
  print(`It ran with ${how} in ${seconds.toFixed(2)} s:`);
  const widest = Math.max(0, ...declaration.outputs.map(({ name }) => name.length));
  for (const { name, units } of declaration.outputs) {
    const text = outputs[name]!;
    const value = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
    print(`  ${name.padEnd(widest)}  ${value}${units === null ? '' : ` ${units}`}`);
  }
}
