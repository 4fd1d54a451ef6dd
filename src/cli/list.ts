import type { Command } from 'commander';
import { print, printJson } from './output.ts';
import { blockedText } from './progress-line.ts';
import { type SettingFlags, withSettings } from './setting-options.ts';
import { withForay } from './with-foray.ts';
import { commandName } from './command-name.ts';

export function addList(program: Command): void {
  withSettings(program.command('list'))
    .description('list the campaigns of the store, newest first')
    .option('--json', 'print an array of statuses')
    .action((flags: SettingFlags & { json?: boolean }) =>
      withForay(flags, async (foray) => {
        const campaigns = await foray.list();
        if (flags.json) return printJson(campaigns);
        if (campaigns.length === 0)
          return print(`No campaigns yet. Submit one with: ${commandName()} submit FILE`);
        const width = Math.max(...campaigns.map(({ id }) => id.length));
        for (const { id, phase, blocked, runs, model, submitted } of campaigns) {
          const finished = `${runs.done + runs.failed} of ${runs.total}`.padStart(15);
          const failed = runs.failed > 0 ? `  ${runs.failed} failed` : '';
          const shown = blocked === null ? phase : 'blocked';
          const why = blocked === null ? '' : `  ${blockedText(blocked)}`;
          print(
            `${id.padEnd(width)}  ${shown.padEnd(10)}  ${finished}  ${submitted}  ${model}${failed}${why}`,
          );
        }
      }),
    );
}
