import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { ForayError, messageOf } from '../../errors.ts';
import { statOf } from '../../system/file-stamp.ts';
import { schemaError } from '../../yaml/schema-error.ts';
import { type Locate, readYaml, YamlError } from '../../yaml/yaml.ts';
import { Command } from './command.ts';
import { Declaration } from './declaration.ts';
import { filesUnder, isOfTools } from './folder.ts';
import { modelInputTypes } from './model.ts';

/** An input deck: a program that reads and writes text files, as deck.yaml declares it (docs/guides/import.md). */
export interface Deck {
  declaration: Declaration;
  /** What the importer needs, as JSON: the command, the inputs, how outputs are found, and the files. */
  plain: object;
  /** What is in the folder, but not in the model, one text each. */
  left: string[];
  locate: Locate;
}

const FILES = ['deck.yaml', 'deck.json'];
/** The ways to find an output in a file. Without any, the output is the file itself. */
const WAYS = ['regex', 'after', 'csv', 'json', 'xml'] as const;
/** The settings that belong to one way only, with their way. */
const OF_WAY = [
  ['word', 'after'],
  ['x', 'csv'],
  ['delimiter', 'csv'],
] as const;

/** How an output is made of all values that were found for it. */
const TAKES = ['last', 'first', 'min', 'max', 'sum', 'mean', 'count'] as const;
/** What an output of a declared type may take. An output that takes the count has no declared type. */
const TAKES_OF: Record<'DOUBLE' | 'LONG' | 'STRING', readonly (typeof TAKES)[number][]> = {
  DOUBLE: ['last', 'first', 'min', 'max', 'sum', 'mean'],
  LONG: ['last', 'first', 'min', 'max', 'sum'],
  STRING: ['last', 'first'],
};

const text = z.string().min(1, 'a text is expected');
const column = z.union([text, z.int().min(1)], { error: 'the name or the number of a column is expected' });
const Output = z
  .strictObject({
    name: Declaration.shape.outputs.element.shape.name,
    units: Declaration.shape.outputs.element.shape.units,
    type: z.enum(['DOUBLE', 'LONG', 'STRING'], 'DOUBLE, LONG or STRING is expected').optional(),
    file: text.optional(),
    regex: text.optional(),
    after: text.optional(),
    word: z.int().min(1).optional(),
    csv: column.optional(),
    x: column.optional(),
    delimiter: z.string().length(1, 'one character is expected').optional(),
    json: text.optional(),
    xml: text.optional(),
    take: z.enum(TAKES, `one of ${TAKES.join(', ')} is expected`).optional(),
  })
  .superRefine((output, context) => {
    const complain = (key: keyof typeof output, message: string) =>
      context.addIssue({ code: 'custom', path: [key], message });
    const [way, other] = WAYS.filter((known) => output[known] !== undefined);
    if (other) complain(other, `the output "${output.name}" has both ${way} and ${other}; choose one`);
    if (!way && !output.file) {
      complain('name', `the output "${output.name}" needs a file, or one of ${WAYS.join(', ')}`);
    }
    for (const [key, owner] of OF_WAY) {
      if (output[key] !== undefined && way !== owner) complain(key, `${key} belongs to ${owner}`);
    }
    for (const key of ['type', 'take'] as const) {
      if (output[key] === undefined) continue;
      if (!way) complain(key, `the output "${output.name}" is a whole file, so it has no ${key}`);
      if (output.x !== undefined)
        complain(key, `the output "${output.name}" is a curve, so it has no ${key}`);
    }
    const { type, take = 'last' } = output;
    if (type && !TAKES_OF[type].includes(take))
      complain('take', `an output of the type ${type} has no ${take}`);
  });
const DeckFile = z.strictObject({
  name: Declaration.shape.name.optional(),
  description: z.string().default(''),
  command: Command,
  inputs: z
    .array(Declaration.shape.inputs.element.extend({ type: z.enum(modelInputTypes).default('DOUBLE') }))
    .default([]),
  outputs: z.array(Output).min(1, 'a deck needs an output'),
});

/** Reads deck.yaml or deck.json of a folder. @throws ForayError IMPORT_FAILED with the place */
export function readDeck(folder: string): Deck {
  const name = FILES.find((file) => readdirSync(folder).includes(file));
  if (name === undefined) {
    throw new ForayError('IMPORT_FAILED', `The folder ${folder} has no deck.yaml.`, {
      hint: 'docs/guides/import.md says how deck.yaml describes a program with text files.',
    });
  }
  const file = path.join(folder, name);
  const { plain, locate } = parsed(file);
  const valid = <T>(schema: z.ZodType<T>, value: unknown): T => {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const { message, hint, path, at } = schemaError(result.error, schema, value, 'deck');
    throw new ForayError('IMPORT_FAILED', message, { place: locate(path, at), hint });
  };
  const deck = valid(DeckFile, plain);
  const declaration = valid(Declaration, {
    name: deck.name ?? path.basename(path.resolve(folder)),
    description: deck.description,
    inputs: deck.inputs,
    outputs: deck.outputs.map((output) => ({ name: output.name, units: output.units, type: typeOf(output) })),
  });
  const found = filesUnder(folder)
    .map((file) => path.relative(folder, file))
    .filter((name) => !FILES.includes(name) && !isHidden(name));
  const isFile = (name: string): boolean => statOf(path.join(folder, name))?.isFile() ?? false;
  const files = found.filter(isFile);
  const lost = found.filter((name) => !files.includes(name));
  const left = [
    ...lost.map((name) => `the link ${name}: it leads to no file`),
    ...emptyFolders(folder).map((name) => `the empty folder ${name}: the program must make it`),
  ];
  return { declaration, plain: { ...deck, files }, left, locate };
}

function parsed(file: string): { plain: unknown; locate: Locate } {
  try {
    return readYaml(readFileSync(file, 'utf8'), file);
  } catch (error) {
    if (!(error instanceof YamlError)) {
      throw new ForayError('IMPORT_FAILED', `${file} cannot be read: ${messageOf(error)}.`);
    }
    const { message, place, hint } = error;
    throw new ForayError('IMPORT_FAILED', `The deck is neither YAML nor JSON: ${message}`, { place, hint });
  }
}

function typeOf(output: z.infer<typeof Output>): Declaration['outputs'][number]['type'] {
  if (WAYS.every((way) => output[way] === undefined)) return 'OUTPUT_FILE';
  if (output.x !== undefined) return 'DATA_SET';
  return output.type ?? (output.take === 'count' ? 'LONG' : 'DOUBLE');
}

/** @param inner - the place in the folder where the search begins, relative to the folder */
function emptyFolders(folder: string, inner = ''): string[] {
  const entries = readdirSync(path.join(folder, inner), { withFileTypes: true });
  if (entries.length === 0) return [inner];
  return entries
    .filter((entry) => entry.isDirectory() && !isHidden(entry.name))
    .map((entry) => path.join(inner, entry.name))
    .filter((name) => !isOfTools(path.join(folder, name)))
    .flatMap((name) => emptyFolders(folder, name));
}

function isHidden(name: string): boolean {
  return name.split(path.sep).some((part) => part.startsWith('.'));
}
