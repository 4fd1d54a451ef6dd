import { type Command, Option } from 'commander';
import { counted } from '../report/index.ts';
import { print, printJson } from './output.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { withForay } from './with-foray.ts';

interface Flags extends SettingFlags {
  failed?: boolean;
  missing?: boolean;
  json?: boolean;
}

export function addRetry(program: Command): void {
  withSettings(program.command('retry'))
    .description('request runs again that failed or, in a closed campaign, were never requested')
    .argument('<id>')
    .addOption(new Option('--failed', 'only those that failed').conflicts('missing'))
    .addOption(new Option('--missing', 'only those that were never requested'))
    .option('--json', 'print {forgiven, open, wasClosed, …}')
    .action((id: string, flags: Flags) =>
      withForay(flags, async (foray) => {
        const what = flags.failed ? 'failed' : flags.missing ? 'missing' : 'all';
        const change = await foray.retry(id, what);
        if (flags.json) return printJson(change);
        const { forgiven, open, wasClosed } = change;
        if (forgiven === 0 && open === 0) return print(`${id} has nothing to retry.`);
        const goesOn = wasClosed ? ' goes on' : '';
        print(
          `${id}${goesOn}: ${counted(forgiven, 'failed run')} requested again, ${counted(open, 'run')} open.`,
        );
      }),
    );
}
