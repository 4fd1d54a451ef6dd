import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { checkDefinition } from '../src/campaign/check.ts';
import { pointPaths } from '../src/campaign/designs/paths.ts';
import { readDefinition } from './support/definition.ts';
import { tables as commandTables } from '../scripts/commands.ts';
import { tables } from '../scripts/reference.ts';
import { withTables } from '../scripts/table.ts';
import { epidemic, HEAD } from './campaign/support.ts';

const page = readFileSync(join(import.meta.dirname, '../docs/reference/definition.md'), 'utf8');
const blocks = [...page.matchAll(/```yaml\n([^]+?)```/g)].map((match) => match[1]!);

test('docs/reference/definition.md has the tables of the schema (npm run reference writes them)', () => {
  const named = [...page.matchAll(/<!-- generated: (\w+) -->/g)].map((match) => match[1]!);
  expect(named.toSorted()).toEqual(Object.keys(tables).toSorted());
  expect(withTables(page, tables)).toBe(page);
  expect(withTables(page.replace('| `sobol`', '| `sobel`'), tables)).toBe(page);
});

test('docs/reference/commands.md has every visible command and option (npm run reference writes the tables)', () => {
  const commands = readFileSync(join(import.meta.dirname, '../docs/reference/commands.md'), 'utf8');
  expect(withTables(commands, commandTables)).toBe(commands);
  expect(commands).toMatch(/^### foray keys add$/m);
  expect(commands).not.toContain('campaign-ids');
});

test('docs/reference/definition.md has more than ten definitions', () =>
  expect(blocks.length).toBeGreaterThan(10));

test.each(blocks)(
  'foray accepts each definition and each part of a definition in docs/reference/definition.md: %s',
  (block) => {
    const read = readDefinition(block.startsWith('campaign:') ? block : HEAD + block, 'definition.md');
    const { design } = read.definition;
    const paths = design ? pointPaths(design, []).map(({ path }) => path) : [];
    const file = { hash: 'hash', inputs: ['Days'], count: 1 };
    checkDefinition(read, epidemic, Object.fromEntries(paths.map((path) => [path, file])));
    read.mistakes.throwAny();
  },
);
