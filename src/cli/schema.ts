import type { Command } from 'commander';
import { definitionSchema } from '../campaign/json-schema.ts';
import { printJson } from './output.ts';

/** `foray schema`: what an editor completes and checks a definition with. */
export function addSchema(program: Command): void {
  program
    .command('schema')
    .description('print the JSON Schema of a definition, for editors')
    .action(() => printJson(definitionSchema()));
}
