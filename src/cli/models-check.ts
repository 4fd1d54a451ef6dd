import { type Command, InvalidArgumentError } from 'commander';
import { ForayError } from '../errors.ts';
import type { Trial } from '../service/models/trial.ts';
import { print, printJson, tell } from './output.ts';
import { ProgressLine } from './progress.ts';
import { commandName } from './command-name.ts';

/** Longest value that is shown, in characters. */
const SHOWN = 100;

interface Flags {
  input: Map<string, string>;
  file: Map<string, string>;
  json?: boolean;
}

/** `foray models check`: whether a folder is a model that the service could serve, without a service. */
export function addModelsCheck(models: Command): void {
  models
    .command('check')
    .description('reads a model, runs it once, and shows its outputs or what it printed when it failed')
    .argument('<folder>', 'of a model, or of models')
    .option('--input <name=value>', 'another value than the default, again for each', named, new Map())
    .option('--file <name=path>', 'the file of an input, again for each', named, new Map())
    .option('--json', 'print the outputs as JSON')
    .action(async (folder: string, flags: Flags) => {
      const { json } = flags;
      const { findModels } = await import('../service/models/folder.ts');
      const { howRun, tryModel } = await import('../service/models/trial.ts');
      const found = findModels(folder);
      if (found.length === 0) {
        throw new ForayError('MODEL_INVALID', `There is no model in ${folder}.`, {
          hint: `A model is a folder with model.ts, model.js, model.yaml or model.json; make one with: ${commandName()} models new NAME`,
        });
      }
      const trials = [];
      for (const code of found) {
        const progress = new ProgressLine();
        const inputs = { values: flags.input, files: flags.file };
        const trial = await tryModel(code, inputs, {
          onProgress: (fraction) =>
            progress.update(`[${String(Math.floor(100 * fraction)).padStart(3)}%] running`),
          onLine: tell,
        });
        progress.finish(`[100%] ${trial.declaration.name} has run`);
        trials.push(trial);
        if (!json) show(trial, howRun(flags.input, flags.file));
      }
      if (json) {
        printJson(
          trials.map(({ declaration, outputs, seconds }) => ({
            name: declaration.name,
            seconds,
            outputs: Object.fromEntries(
              Object.entries(outputs).map(([name, text]) => [name, JSON.parse(text) as unknown]),
            ),
          })),
        );
      }
    });
}

/** Reads `NAME=VALUE`; a name may not hold a "=", a value may. */
function named(text: string, before: Map<string, string>): Map<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It is NAME=VALUE.');
  return new Map([...before, [text.slice(0, at), text.slice(at + 1)]]);
}

function show({ declaration, outputs, seconds }: Trial, how: string): void {
  const { name, inputs, experiments } = declaration;
  print(
    `${name}: ${count(inputs.length, 'input')}, ${count(declaration.outputs.length, 'output')}, ${count(experiments.length, 'stored experiment')}.`,
  );
  print(`It ran with ${how} in ${seconds.toFixed(2)} s:`);
  const widest = Math.max(0, ...declaration.outputs.map(({ name }) => name.length));
  for (const { name, units } of declaration.outputs) {
    const text = outputs[name]!;
    const value = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
    print(`  ${name.padEnd(widest)}  ${value}${units === null ? '' : ` ${units}`}`);
  }
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
