import type { Command } from 'commander';
import type { CampaignStatus, Foray } from '../client/index.ts';
import { printJson } from './output.ts';
import { ProgressLine, progressText } from './progress.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { withForay } from './with-foray.ts';

export function addWatch(program: Command): void {
  withSettings(program.command('watch'))
    .description('show how a campaign goes on until it is over; exit code 1 if it fails or is cancelled')
    .argument('<id>')
    .option('--json', 'print the last status')
    .action((id: string, flags: SettingFlags & { json?: boolean }) =>
      withForay(flags, async (foray) => {
        const last = await follow(foray, id);
        if (flags.json) printJson(last);
      }),
    );
}

/** Shows the progress of a campaign until it is over, and sets the exit code by how it ended. */
export async function follow(foray: Foray, id: string): Promise<CampaignStatus> {
  // later it is waited for, but one that was never there is an error
  await foray.reach(id);
  const line = new ProgressLine();
  let last: CampaignStatus | undefined;
  for await (const status of foray.follow(id)) {
    last = status;
    line.update(describe(status));
    // nobody but a person lets it go on, so there is nothing to wait for
    if (status.pausedBy === 'policy') break;
  }
  line.finish(describe(last!));
  if (last!.phase !== 'completed') process.exitCode = 1;
  return last!;
}

function describe(status: CampaignStatus): string {
  return `${progressText(status)}${status.note ? ` (${status.note})` : ''}`;
}
