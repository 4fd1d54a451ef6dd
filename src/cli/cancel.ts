import type { Command } from 'commander';
import { closedPhases } from '../campaign/types.ts';
import { printableLine } from '../text/printable.ts';
import { print } from './output.ts';
import { type SettingFlags, withSettings } from './setting-options.ts';
import { withForay } from './with-foray.ts';
import { commandName } from './command-name.ts';

export function addCancel(program: Command): void {
  withSettings(program.command('cancel'))
    .description('cancel a campaign: stop its runs and keep the finished results')
    .argument('<id>')
    .option('--reason <text>', 'reason to store with the campaign')
    .action((id: string, flags: SettingFlags & { reason?: string }) =>
      withForay(flags, async (foray) => {
        await foray.cancel(id, flags.reason);
        const { phase, note } = await foray.record(id);
        if (closedPhases.includes(phase))
          print(`${id} is ${phase}${note === '' ? '' : `: ${printableLine(note)}`}.`);
        else print(`Cancelling ${id}; ${commandName()} status ${id} shows when the campaign has ended.`);
      }),
    );
}
