import type { Command } from 'commander';
import type { CampaignStatus } from '../client/index.ts';
import { print, printJson } from './output.ts';
import { duration, progressText } from './progress.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { withForay } from './with-foray.ts';

export function addStatus(program: Command): void {
  withSettings(program.command('status'))
    .description('where a campaign is')
    .argument('<id>')
    .option('--json', 'print {id, phase, points, runs, …}')
    .action((id: string, flags: SettingFlags & { json?: boolean }) =>
      withForay(flags, async (foray) => {
        const status = await foray.status(id);
        if (flags.json) return printJson(status);
        print(`${status.id}: ${status.model} (version ${status.modelVersion}), ${status.points} points`);
        print(progressText(status));
        const from = said(status);
        if (from) print(from);
        print(`Web UI: ${foray.pageOf(id)}`);
      }),
    );
}

/** From where a status is and how old, when no workflow answered. */
function said({ source, asOf, note }: CampaignStatus): string {
  if (source === 'workflow') return note;
  const age = duration((Date.now() - Date.parse(asOf)) / 1_000);
  return `From the store, as of ${asOf} (${age} ago)${note ? `: ${note}` : ''}`;
}
