import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { openStore } from '../../../src/store/index.ts';
import { campaign } from '../../store/fixtures.ts';
import { cleanEnv, foray, MAIN, type Ran } from '../../support/cli.ts';
import { testFolder } from '../../support/test-folder.ts';

const run = promisify(execFile);
const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

let folder: string;
/** The user's folder, with a definition, a folder of models and three homes with campaigns. */
let work: string;
let env: NodeJS.ProcessEnv;
/** The commands in the program's help. */
let shown: string[];
beforeAll(async () => {
  folder = testFolder();
  work = join(folder, 'work');
  mkdirSync(join(work, 'models'), { recursive: true });
  writeFileSync(join(work, 'my flu.yaml'), '');
  for (const [home, ids] of [
    ['.foray', ['flu-1', 'flu-2']],
    ['other', ['cost-1']],
    ["Zoë's home", ['zoe-1']],
  ] as const) {
    mkdirSync(join(work, home));
    const store = await openStore(`sqlite:${join(work, home, 'store.db')}`);
    for (const id of ids) await store.addCampaign({ campaign: campaign(id), definition: '', digest: '' }, 1);
    await store.close();
  }
  const program = join(folder, 'foray');
  writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`);
  chmodSync(program, 0o755);
  env = { ...cleanEnv(), HOME: work, PATH: `${folder}${delimiter}${process.env.PATH}` };
  const write = async (shell: Shell): Promise<void> => {
    const { code, stdout } = await foray(folder, ['completion', shell]);
    expect(code).toBe(0);
    writeFileSync(scriptOf(shell), stdout);
  };
  const [{ stdout: help }] = await Promise.all([foray(folder, ['--help']), ...shells.map(write)]);
  shown = [...help.split('\nCommands:\n')[1]!.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name!).sort();
});

const scriptOf = (shell: Shell): string => join(folder, `completion.${shell}`);
const has = (shell: Shell): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

/** The completions that a shell offers for the last word. */
function offered(shell: Shell, ...words: string[]): Promise<string[]> {
  return offeredFor(shell, ['foray', ...words].join(' '), words);
}

/** The completions that a shell offers at the end of a line, which the shell splits into `words`. */
async function offeredFor(shell: Shell, line: string, words: string[]): Promise<string[]> {
  const inShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const quoted = ['foray', ...words].map(inShell).join(' ');
  const place = `COMP_LINE=${inShell(line)}; COMP_POINT=\${#COMP_LINE}; COMP_CWORD=${words.length}`;
  const asked = `COMP_WORDS=(${quoted}); ${place}; _foray; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const programs = {
    bash: `source '${scriptOf(shell)}'; ${asked}`,
    // bashcompinit runs a function of bash in this way
    zsh: `source '${scriptOf(shell)}'; ask() { emulate -L ksh; ${asked} }; ask`,
    fish: `source '${scriptOf(shell)}'; complete -C $argv[1]`,
  };
  const flags = { bash: ['--norc', '-c'], zsh: ['-f', '-c'], fish: ['--no-config', '-c'] };
  const { stdout } = await run(shell, [...flags[shell], programs[shell], line], { cwd: work, env });
  return (
    stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\t')[0]!)
      // zsh itself removes words that do not begin like the last word
      .filter((word) => shell !== 'zsh' || word.startsWith(words.at(-1)!))
      .sort()
  );
}

test.each(shells)('%s accepts its completion script', async (shell) => {
  if (!has(shell)) return console.warn(`left out: ${shell} is not installed here`);
  await run(shell, ['-n', scriptOf(shell)]);
});

describe.each(shells)('%s completes', (shell) => {
  const completes = (what: string, check: () => Promise<void>): void =>
    test(what, async () => {
      if (!has(shell)) return console.warn(`left out: ${shell} is not installed here`);
      await check();
    });

  completes('all commands that the help shows', async () => {
    expect(shown.length).toBeGreaterThan(20);
    expect(await offered(shell, '')).toEqual(shown);
  });

  completes('commands, options and their values', async () => {
    expect(await offered(shell, 'res')).toEqual(['results', 'resume']);
    expect(await offered(shell, 'results', '--fo')).toEqual(['--follow', '--format']);
    expect(await offered(shell, 'results', '--format', '')).toEqual(['csv', 'jsonl', 'parquet', 'table']);
    expect(await offered(shell, 'keys', 'r')).toEqual(['revoke']);
    expect(await offered(shell, 'completion', '')).toEqual(['bash', 'fish', 'zsh']);
  });

  completes('the ids of campaigns, from the store that earlier options in the line select', async () => {
    expect(await offered(shell, 'compare', 'a', 'flu')).toEqual(['flu-1', 'flu-2']);
    expect(await offered(shell, '--home', 'other', 'report', '')).toEqual(['cost-1']);
  });

  completes('files and folders', async () => {
    expect(await offered(shell, 'plan', 'my')).toEqual(['my flu.yaml']);
    expect((await offered(shell, 'dev', '--models', 'mo')).map((name) => name.replace('/', ''))).toEqual([
      'models',
    ]);
  });
});

test('bash completes the value of an option after =, although bash splits such an option into three words', async () => {
  expect(await offered('bash', 'results', '--format', '=', 'j')).toEqual(['jsonl']);
  expect(await offered('bash', 'results', '--format', '=')).toHaveLength(4);
  expect(await offered('bash', 'results', '--format', '=', 'csv', '')).toEqual(['flu-1', 'flu-2']);
});

test('a completion accepts a home whose path contains blanks, quotes and letters outside ASCII', async () => {
  const homes = [String.raw`"Zoë's home"`, String.raw`Zoë\'s\ home`, String.raw`'Zoë'\''s home'`];
  for (const shell of shells.filter(has)) {
    for (const home of homes) {
      const line = `foray --home ${home} status `;
      expect([shell, home, await offeredFor(shell, line, ['--home', home, 'status', ''])]).toEqual([
        shell,
        home,
        ['zoe-1'],
      ]);
    }
  }
});

test('a completion understands ~ in the path of a home', async () => {
  for (const shell of shells.filter(has)) {
    const words = ['--home', '~/other', 'status', ''];
    expect([shell, await offered(shell, ...words)]).toEqual([shell, ['cost-1']]);
  }
});

test('a completion understands a word that bash splits at = or :', async () => {
  expect(
    await offeredFor('bash', 'foray --home=other status ', ['--home', '=', 'other', 'status', '']),
  ).toEqual(['cost-1']);
  const store = ['--store', 'sqlite', ':', 'other/store.db'];
  const line = 'foray status --store sqlite:other/store.db ';
  expect(await offeredFor('bash', line, ['status', ...store, ''])).toEqual(['cost-1']);
});

test('a completion executes no code from the line or from the id of a campaign', async () => {
  const home = join(work, 'hostile');
  mkdirSync(home);
  const store = await openStore(`sqlite:${join(home, 'store.db')}`);
  const id = '$(touch${IFS}ran)';
  await store.addCampaign({ campaign: campaign(id), definition: '', digest: '' }, 1);
  await store.close();
  for (const shell of shells.filter(has)) {
    await offered(shell, '--home', 'hostile', 'status', '');
    await offeredFor(shell, 'foray --owner "$(touch ran)" status ', [
      '--owner',
      '"$(touch ran)"',
      'status',
      '',
    ]);
    expect([shell, readdirSync(work)]).not.toEqual([shell, expect.arrayContaining(['ran'])]);
  }
});

describe('foray campaign-ids', () => {
  const ids = (cwd: string, ...words: string[]): Promise<Ran> => foray(cwd, ['campaign-ids', ...words]);

  test('prints nothing and creates no store if there is no store', async () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    expect(await ids(empty, 'results', '--long')).toMatchObject({ code: 0, stdout: '' });
    expect(readdirSync(empty)).toEqual([]);
  });

  test('also prints the ids after --help', async () => {
    expect((await ids(work, '--help', 'status')).stdout).toBe('flu-2\nflu-1\n');
  });

  test('ends without ids if a database does not answer', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const { stdout } = await ids(folder, '--store', `postgres://foray@127.0.0.1:${port}/foray`, 'results');
    silent.close();
    expect(stdout).toBe('');
  });
});
