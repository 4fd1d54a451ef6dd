import type { Command } from 'commander';
import { ForayError } from '../errors.ts';
import type { Trial } from '../service/models/trial.ts';
import { print, printJson, tellPart } from './output.ts';
import { ProgressLine } from './progress.ts';

/** Longest value that is shown, in characters. */
const SHOWN = 100;

/** `foray models check`: whether a folder is a model that the service could serve, without a service. */
export function addModelsCheck(models: Command): void {
  models
    .command('check')
    .description('reads a model, runs it once with its defaults, and shows its outputs')
    .argument('<folder>', 'of a model, or of models')
    .action(async (folder: string, _flags: unknown, command: Command) => {
      // a flag of models, which would take it anyway
      const { json } = command.optsWithGlobals<{ json?: boolean }>();
      const { findModels } = await import('../service/models/folder.ts');
      const { tryModel } = await import('../service/models/trial.ts');
      const found = findModels(folder);
      if (found.length === 0) {
        throw new ForayError('MODEL_INVALID', `There is no model in ${folder}.`, {
          hint: 'A model is a folder with model.ts, model.js, model.yaml or model.json; make one with: npx foray models new NAME',
        });
      }
      const trials = [];
      for (const code of found) {
        const progress = new ProgressLine();
        const trial = await tryModel(code, {
          onProgress: (fraction) =>
            progress.update(`[${String(Math.floor(100 * fraction)).padStart(3)}%] running`),
          onPrint: tellPart,
        });
        progress.finish(`[100%] ${trial.declaration.name} has run`);
        trials.push(trial);
        if (!json) show(trial);
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

function show({ declaration, outputs, seconds }: Trial): void {
  const { name, inputs, experiments } = declaration;
  print(
    `${name}: ${count(inputs.length, 'input')}, ${count(declaration.outputs.length, 'output')}, ${count(experiments.length, 'stored experiment')}.`,
  );
  print(`It ran with its defaults in ${seconds.toFixed(2)} s:`);
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
