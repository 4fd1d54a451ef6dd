import { z } from 'zod';
import { Definition } from './definition.ts';

/** Name of the file that `foray init` writes beside a definition. */
export const SCHEMA_FILE = 'foray.schema.json';

/** The JSON Schema (draft 2020-12) of a definition as a person writes it: for editors, and for docs/definition.md. */
export function definitionSchema(): z.core.JSONSchema.JSONSchema {
  return {
    $id: 'urn:foray:definition',
    title: 'Campaign',
    description: 'The definition of a campaign of simulation runs.',
    ...z.toJSONSchema(Definition, { target: 'draft-2020-12', io: 'input' }),
  };
}
