import { type Command, Option } from 'commander';
import type { RetryPlan, RetryWhat } from '../client/index.ts';
import { counted } from '../report/index.ts';
import { type AskingFlags, isConfirmed, tellPlan } from './confirm.ts';
import { print, printJson, tell } from './output.ts';
import { wholeNumber, withSettings } from './setting-options.ts';
import { untilChanged } from './until-changed.ts';
import { withForay } from './with-foray.ts';

interface Flags extends AskingFlags {
  failed?: boolean;
  missing?: boolean;
  cause?: string;
  version?: number | 'latest';
}

export function addRetry(program: Command): void {
  withSettings(program.command('retry'))
    .description('request failed runs again, and in a finished campaign also missing runs')
    .argument('<id>')
    .addOption(new Option('--failed', 'only failed runs').conflicts('missing'))
    .addOption(new Option('--missing', 'only runs that were never requested'))
    .addOption(
      new Option('--cause <text>', 'only failed runs with this cause (status --failures)').conflicts([
        'failed',
        'missing',
      ]),
    )
    .addOption(
      new Option(
        '--version <number>',
        'version of the model for these runs: a number or latest; finished runs keep their version',
      ).argParser((text) => (text === 'latest' ? text : wholeNumber(1)(text))),
    )
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print {forgiven, open, wasClosed, …}')
    .action((id: string, flags: Flags) =>
      withForay(flags, async (foray) => {
        const what = whatOf(flags);
        const plan = await foray.planRetry(id, what, { version: flags.version });
        if (plan.version) {
          tellPlan(flags, described(plan));
          if (!(await isConfirmed(flags, 'Retry these runs?'))) return;
        }
        if (plan.isOutdated) {
          tell(
            `The model has a newer version; these runs use the version of the campaign. To use the newest version: foray retry ${id} --version latest`,
          );
        }
        const change = await untilChanged(foray, id, foray.retry(id, what, { version: plan.version?.to }));
        if (flags.json) return printJson(change);
        const { forgiven, open, wasClosed } = change;
        if (forgiven === 0 && open === 0) return print(`${id} has nothing to retry.`);
        const continues = wasClosed ? ' continues' : '';
        print(
          `${id}${continues}: ${counted(forgiven, 'failed run')} requested again, ${counted(open, 'run')} open.`,
        );
        if (forgiven === 0) return;
        const { strategy } = await foray.status(id);
        if (strategy.by === 'search' && strategy.failed > 0) {
          tell(
            `The search keeps its failed points and does not use their new results. A new search uses them if it begins with this campaign: start: { campaign: ${id} }`,
          );
        }
      }),
    );
}

function whatOf({ failed, missing, cause }: Flags): RetryWhat {
  if (cause !== undefined) return { cause };
  return failed ? 'failed' : missing ? 'missing' : 'all';
}

/** Describes a retry with another version: which runs get it, which do not, and which files differ. */
function described({ failed, missing, others, version }: RetryPlan): string {
  const { from, to, files } = version!;
  const runs = [
    ...(failed > 0 ? [counted(failed, 'failed run')] : []),
    ...(missing > 0 ? [counted(missing, 'waiting run')] : []),
  ];
  const take = runs.length > 0 ? runs.join(' and ') : 'No run';
  const keep = `${counted(others, 'run')} ${others === 1 ? 'keeps its version' : 'keep their version'} (${from})`;
  const changes = files && [
    ...files.changed.map((path) => `${path} changed`),
    ...files.added.map((path) => `${path} is new`),
    ...files.gone.map((path) => `${path} is gone`),
  ];
  const what = changes === null ? '' : changes.length > 0 ? ` ${changes.join('; ')}.` : ' No file differs.';
  return `${take} with version ${to}; ${keep}.${what}`;
}
