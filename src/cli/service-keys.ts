import { resolve } from 'node:path';
import type { Command } from 'commander';
import { homePaths } from '../dev/home.ts';
import { addKey, listKeys, revokeKey } from '../service/keys/edit.ts';
import { keyFileIn } from '../service/keys/file.ts';
import { print, printJson } from './output.ts';

/** Flags of `foray service` that say where the keys are. */
interface Flags {
  home: string;
  data?: string;
  keys?: string;
}

/** `foray service keys …`: changes the key file; a service that runs takes it up with its next request. */
export function addServiceKeys(service: Command): void {
  const keys = service.command('keys').description('the keys of users');
  keys
    .command('add')
    .description('makes a key for a user, who may be new, and prints it this once')
    .argument('<user>')
    .action(async (user: string, _flags: unknown, command: Command) =>
      print(await addKey(fileOf(command), user)),
    );
  keys
    .command('list')
    .description('users and the ids of their keys; the keys themselves are not kept')
    .option('--json', 'print them as JSON')
    .action(({ json }: { json?: boolean }, command: Command) => {
      const listed = listKeys(fileOf(command));
      if (json) return printJson(listed);
      const widest = Math.max(0, ...listed.map(({ user }) => user.length));
      for (const { user, id, created } of listed)
        print(`${user.padEnd(widest)}  ${id}  ${created ?? ''}`.trimEnd());
    });
  keys
    .command('revoke')
    .description('refuses a key from now on')
    .argument('<id>', 'as list shows it')
    .action(async (id: string, _flags: unknown, command: Command) => {
      print(`The key ${id} of ${await revokeKey(fileOf(command), id)} is refused from now on.`);
    });
}

function fileOf(command: Command): string {
  const { keys, data, home } = command.optsWithGlobals<Flags>();
  return resolve(keys ?? keyFileIn(data ?? homePaths(home).service));
}
