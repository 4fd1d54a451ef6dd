import type { Command } from 'commander';
import type { ListedExecutor } from '../api/extensions.ts';
import { printableLine } from '../text/printable.ts';
import { commandName } from './command-name.ts';
import { print, printJson, printTable } from './output.ts';
import { type SettingFlags, withSettings } from './setting-options.ts';
import { serviceClient } from './with-foray.ts';

export function addExecutors(program: Command): void {
  withSettings(program.command('executors'))
    .description('list the executors of a model service on other machines')
    .option('--json', 'print the executors as JSON')
    .action(async (flags: SettingFlags & { json?: boolean }) => {
      const executors = (await serviceClient(flags).listExecutors()) ?? [];
      if (flags.json) return printJson(executors);
      if (executors.length === 0) {
        return print(
          `The service has no executors on other machines. Start the service with --temporal, and run on another machine: ${commandName()} executor`,
        );
      }
      printTable('Executors', [
        ['name', 'slots', 'running', 'has', 'foray', 'since', 'state'],
        ...executors.map(({ name, slots, running, has, build, since, isThere, seen, problem, refusals }) => [
          printableLine(name),
          String(slots),
          String(running),
          has.join(', '),
          build,
          timeText(since),
          isThere ? stateText({ problem, refusals }) : `gone since ${timeText(seen)}`,
        ]),
      ]);
    });
}

function stateText({ problem, refusals }: Pick<ListedExecutor, 'problem' | 'refusals'>): string {
  if (problem !== null) return `takes no runs: ${printableLine(problem)}`;
  return ['takes runs', ...refusals.map((refusal) => `not of ${printableLine(refusal)}`)].join(', ');
}

function timeText(time: string): string {
  return time.replace('T', ' ').slice(0, 16);
}
