import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { homePaths } from '../dev/home.ts';
import { addKey, listKeys, revokeKeys } from '../keys/edit.ts';
import { keyFileIn } from '../keys/file.ts';
import { type KeyRole, roles } from '../keys/roles.ts';
import { counted } from '../report/words/words.ts';
import { print, printJson } from './output.ts';
import { homeOption } from './setting-options.ts';

interface Flags {
  home: string;
  file?: string;
}

/** `foray keys …`: changes a key file. Running servers use the changes from their next request on. */
export function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('manage the keys of the model service and of foray server, and those of executors');
  withKeyFile(keys.command('add'))
    .description('create a key; it is printed only once, and the file has only its hash')
    .argument('<name>', 'name of the user or the executor')
    .addOption(
      new Option(
        '--role <role>',
        'what the key may do: read (only read campaigns at foray server), steer (everything, except push models through foray server), develop (everything), or executor (only foray executor)',
      )
        .choices(roles)
        .default('steer'),
    )
    .action(async (name: string, { role, ...flags }: Flags & { role: KeyRole }) =>
      print(await addKey(fileOf(flags), name, role)),
    );
  withKeyFile(keys.command('list'))
    .description('list names, roles and ids of keys; the keys themselves are not stored')
    .option('--json', 'print the list as JSON')
    .action(({ json, ...flags }: Flags & { json?: boolean }) => {
      const listed = listKeys(fileOf(flags));
      if (json) return printJson(listed);
      const widest = Math.max(0, ...listed.map(({ name }) => name.length));
      for (const { name, role, id, created } of listed)
        print(`${name.padEnd(widest)}  ${role.padEnd('executor'.length)}  ${id}  ${created ?? ''}`.trimEnd());
    });
  withKeyFile(keys.command('revoke'))
    .description('revoke the keys of a user or an executor')
    .argument('<name>', 'name of the user or the executor')
    .option('--id <id>', 'revoke only the key with this id, which foray keys list prints')
    .action(async (name: string, { id, ...flags }: Flags & { id?: string }) => {
      const revoked = await revokeKeys(fileOf(flags), name, id);
      print(`${counted(revoked, 'key')} of ${name} will be refused from now on.`);
    });
}

function withKeyFile(command: Command): Command {
  return command
    .addOption(homeOption())
    .option(
      '--file <file>',
      "the key file (default: keys.yaml in the data folder of the home's model service)",
    );
}

function fileOf({ file, home }: Flags): string {
  return resolve(file ?? keyFileIn(homePaths(home).service));
}
