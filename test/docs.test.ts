import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { createProgram } from '../src/cli/program.ts';
import { readDefinition } from './support/definition.ts';
import { foray, ROOT } from './support/cli.ts';
import { anchors, brokenLinks, pages } from './support/markdown.ts';

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

describe('README', () => {
  test('names only commands that exist', async () => {
    const { stdout } = await foray(ROOT, ['--help']);
    const named = new Set([...readme.matchAll(/(?:npx |`)foray ([a-z]+)/g)].map((match) => match[1]!));
    expect(named.size).toBeGreaterThan(6);
    for (const command of named) expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
  });

  test('names only files that exist', () => {
    const named = [...readme.matchAll(/(?:docs|examples)\/[\w./-]+\.\w+/g)].map((match) => match[0]);
    for (const file of [...named, 'CONTRIBUTING.md', 'docker-compose.yml']) {
      expect({ file, exists: existsSync(join(ROOT, file)) }).toEqual({ file, exists: true });
    }
  });

  test('shows a valid definition', () => {
    const example = /```yaml\n([^`]+)```/.exec(readme)![1]!;
    expect(readDefinition(example, 'README.md').definition).toMatchObject({ replications: 20, seed: 42 });
  });
});

describe('all pages', () => {
  test.each(pages())('each link of $path leads to an existing file and an existing heading', (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  test('the search finds broken links to files and headings', () => {
    expect(anchors('# A `b`: c!\n\n## D\n\n## D\n')).toEqual(new Set(['a-b-c', 'd', 'd-1']));
    const text = '[a](none.md) [b](README.md#none) [c](README.md#documentation) [d](https://example.org/x)';
    expect(brokenLinks({ path: 'docs/page.md', text })).toEqual(['none.md', 'README.md#none']);
  });

  test('docs/README.md or the README.md of a folder lists every page', () => {
    const linked = pages()
      .filter(({ path }) => path.endsWith('README.md'))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\]\(([^)\s#]+\.md)/g)].map(([, target]) => join(dirname(path), target!)),
      );
    const listed = new Set([...linked, 'docs/README.md']);
    const unlisted = pages().filter(({ path }) => path.startsWith('docs/') && !listed.has(path));
    expect(unlisted.map(({ path }) => path)).toEqual([]);
  });

  test('each foray command in a block of code exists, with its options', () => {
    const lines = pages().flatMap(({ path }) =>
      [...readFileSync(join(ROOT, path), 'utf8').matchAll(/^```(\w*)\n([^]*?)^```$/gm)]
        .flatMap(([, language, block]) => (language === '' ? block!.split('\n') : []))
        .filter((line) => /^(\$ )?(npx )?foray /.test(line))
        .map((line) => ({ path, line: line.replace(/\s(#|&&|\||>).*/, '') })),
    );
    expect(lines.length).toBeGreaterThan(80);
    expect(lines.filter(({ line }) => unknownWords(line).length > 0)).toEqual([]);
    expect(unknownWords('npx foray modls new X')).toEqual(['modls']);
    expect(unknownWords('foray models new X --comand')).toEqual(['--comand']);
  });

  test('each page that a text of the program names exists', () => {
    const files = globSync(
      ['CHANGELOG.md', 'src/**/*.{ts,js,yaml}', 'models/**/*.ts', 'scripts/*', 'python/*.py'],
      {
        cwd: ROOT,
      },
    );
    const named = files.flatMap((file) => [
      ...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?<![\w.]\/)docs\/[\w./-]+\.md/g),
    ]);
    expect(named.length).toBeGreaterThan(20);
    expect(named.map(([page]) => page).filter((page) => !existsSync(join(ROOT, page)))).toEqual([]);
  });
});

const program = await createProgram();

/** The unknown words of a line: a command or options that do not exist. */
function unknownWords(line: string): string[] {
  const words = line.replace(/^.*?foray /, '').split(/\s+/);
  let command: Command = program;
  const unknown: string[] = [];
  const options = new Set(['--help', '--version', '-h', '-V']);
  for (const [at, word] of words.entries()) {
    const next = command.commands.find((one) => one.name() === word);
    if (next) command = next;
    else if (at === 0 && !word.startsWith('-')) unknown.push(word);
    for (const { short, long } of command.options) options.add(short ?? '').add(long ?? '');
    if (/^--?[a-z]/.test(word)) unknown.push(...(options.has(word.split('=')[0]!) ? [] : [word]));
  }
  return unknown;
}
