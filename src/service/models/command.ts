import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { ForayError, messageOf, type Place } from '../../errors.ts';
import { statOf } from '../../system/file-stamp.ts';
import { schemaError } from '../../yaml/schema-error.ts';
import { readYaml, YamlError } from '../../yaml/yaml.ts';
import { Declaration } from './declaration.ts';

/**
 * A command model: a declaration, `model.yaml` or `model.json`, with the command that runs it (docs/guides/models.md).
 * The program may be in any language.
 */
export interface CommandModel {
  declaration: Declaration;
  /** The program and its arguments, as declared. */
  command: string[];
  /** Whether the program stays loaded, and reads a line for each run. */
  loop: boolean;
}

export type KeptCommand = Pick<CommandModel, 'command' | 'loop'>;

const NO_CONTROL_CHARACTERS = /^\P{Cc}+$/u;
const words = z
  .string()
  .trim()
  .regex(NO_CONTROL_CHARACTERS)
  .transform((text) => text.split(/\s+/));
const textOrList = z.union([words, z.array(z.string().regex(NO_CONTROL_CHARACTERS)).min(1)], {
  error: 'a program and its arguments are expected, as a text or a list of texts',
});
export const Command = z
  .unknown()
  .refine((command) => typeof command !== 'string' || !hasQuotedBlank(command), {
    error: 'quotes do not keep a blank in a word; write a list, such as [python3, my sim.py]',
  })
  .pipe(textOrList);

const Loop = z.boolean().default(false);
const WithCommand = z.looseObject({ command: Command, loop: Loop });
/** All settings of a declaration, for the messages about wrong settings. */
const Whole = z.object({ ...Declaration.shape, command: Command, loop: Loop });

const SAYS_HOW = 'docs/guides/models.md says how a model is declared.';

/** @throws ForayError MODEL_INVALID with the place, MODEL_UNREADABLE */
export function readCommandModel(entry: string): CommandModel {
  const file = path.relative(process.cwd(), entry);
  try {
    const { plain, locate } = readYaml(readFileSync(entry, 'utf8'), file);
    if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
      throw invalid('The declaration is not a mapping of names to values.', locate([]), SAYS_HOW);
    }
    const valid = <T>(schema: z.ZodType<T>, value: unknown): T => {
      const result = schema.safeParse(value);
      if (result.success) return result.data;
      const { message, hint, path, at } = schemaError(result.error, Whole, value, 'model');
      throw invalid(message, locate(path, at), hint ?? SAYS_HOW);
    };
    const { command, loop, ...rest } = valid(WithCommand, plain);
    const declaration = valid(Declaration, rest);
    if (declaration.animation) {
      throw invalid(
        'A command model is not drawn: only a module has an animation.',
        locate(['animation'], 'key'),
      );
    }
    return { declaration, command, loop };
  } catch (error) {
    if (error instanceof YamlError) {
      throw invalid(`The declaration is neither YAML nor JSON: ${error.message}`, error.place, error.hint);
    }
    if (error instanceof ForayError) throw error;
    throw new ForayError('MODEL_UNREADABLE', `The declaration ${file} cannot be read: ${messageOf(error)}.`);
  }
}

/**
 * The command of a version that the service has read before. The rest of its declaration is not checked again.
 *
 * @throws Error
 */
export function readKeptCommand(entry: string): KeptCommand {
  const { plain } = readYaml(readFileSync(entry, 'utf8'), entry);
  const { command, loop } = WithCommand.parse(plain);
  return { command, loop };
}

/** Whether a text has a blank between two quotes. Other quotes may be part of a word, as in include("sim.jl"). */
function hasQuotedBlank(text: string): boolean {
  return (text.match(/"[^"]*"|'[^']*'/g) ?? []).some((quoted) => /\s/.test(quoted));
}

/** The files that a command names by paths relative to the model's folder. */
export function relativeFilesOf(command: readonly string[], modelFolder: string): string[] {
  return command.map((word) => path.join(modelFolder, word)).filter((file) => statOf(file)?.isFile());
}

/**
 * The files that a command names by absolute paths. All versions of the model use the same file at such a path. A
 * program outside the model's folder belongs to the machine, so it is left out.
 */
export function absoluteFilesOf([program, ...args]: readonly string[], modelFolder: string): string[] {
  const isOfModel = program!.startsWith(`${modelFolder}${path.sep}`);
  return [...(isOfModel ? [program!] : []), ...args].filter(
    (word) => path.isAbsolute(word) && statOf(word)?.isFile(),
  );
}

function invalid(message: string, place?: Place, hint?: string): ForayError {
  return new ForayError('MODEL_INVALID', message, { place, hint });
}
