import { resolve } from 'node:path';
import type { Command } from 'commander';
import { homePaths } from '../dev/home.ts';
import { addKey, listKeys, revokeKey } from '../service/keys/edit.ts';
import { keyFileIn } from '../service/keys/file.ts';
import { print, printJson } from './output.ts';

/**
 * Flags for the place of the key file. They may belong to the command, or to `foray service` when they come before
 * `keys`.
 */
interface Flags {
  home?: string;
  data?: string;
  keys?: string;
}

/** `foray service keys …`: changes the key file. A running service uses the changes from its next request on. */
export function addServiceKeys(service: Command): void {
  const keys = service.command('keys').description('manage the keys of users');
  const fileOf = (own: Flags): string => {
    const { keys: file, data, home } = { ...service.opts<Flags>(), ...own };
    return resolve(file ?? keyFileIn(data ?? homePaths(home!).service));
  };
  withKeyFile(keys.command('add'))
    .description('create a key for a new or known user; the key is printed only once')
    .argument('<user>', 'name of the user, or of the executor')
    .option('--executor', 'make the key for an executor on another machine (foray executor)')
    .action(async (user: string, { executor, ...flags }: Flags & { executor?: boolean }) =>
      print(await addKey(fileOf(flags), user, executor ? 'executors' : 'users')),
    );
  withKeyFile(keys.command('list'))
    .description('list users, executors and the ids of their keys; the keys themselves are not stored')
    .option('--json', 'print the list as JSON')
    .action(({ json, ...flags }: Flags & { json?: boolean }) => {
      const listed = listKeys(fileOf(flags));
      if (json) return printJson(listed);
      const widest = Math.max(0, ...listed.map(({ user }) => user.length));
      for (const { user, kind, id, created } of listed) {
        const what = kind === 'executor' ? '  (executor)' : '';
        print(`${user.padEnd(widest)}  ${id}  ${created ?? ''}${what}`.trimEnd());
      }
    });
  withKeyFile(keys.command('revoke'))
    .description('revoke a key')
    .argument('<key-id>', 'id of the key, as foray service keys list prints it')
    .action(async (id: string, flags: Flags) => {
      print(`The key ${id} of ${await revokeKey(fileOf(flags), id)} is refused from now on.`);
    });
}

/** Adds the flags of `foray service` for the place of the key file, without defaults. */
function withKeyFile(command: Command): Command {
  return command
    .option('--keys <file>', 'the key file (default: keys.yaml in the data folder)')
    .option('--data <folder>', 'data folder of the service (default: service in the home folder)')
    .option('--home <folder>', 'home of foray dev');
}
