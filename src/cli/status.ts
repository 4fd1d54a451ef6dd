import type { Command } from 'commander';
import { isBy } from '../campaign/strategy.ts';
import type { CampaignStatus, Foray } from '../client/index.ts';
import { bestText, counted, posteriorLines, strategyWords } from '../report/index.ts';
import { hintWithoutTemporal } from './home.ts';
import { printLog } from './log.ts';
import { capitalized, printableLine } from '../text/printable.ts';
import { print, printJson } from './output.ts';
import { ageText, blockedText, retryAdvice, progressText } from './progress-line.ts';
import { type SettingFlags, withSettings } from './setting-options.ts';
import { withForay } from './with-foray.ts';

/** This many lines of the log are shown for each cause. */
const SHOWN_LINES = 5;

interface Flags extends SettingFlags {
  failures?: boolean;
  flights?: boolean;
  json?: boolean;
}

export function addStatus(program: Command): void {
  withSettings(program.command('status'))
    .description('show the state and progress of a campaign')
    .argument('<id>')
    .option('--failures', 'also list failed runs by cause')
    .option('--flights', 'also list runs that are requested and have not finished')
    .option('--json', 'print {id, phase, points, runs, …}')
    .action((id: string, flags: Flags) =>
      withForay(flags, async (foray) => {
        const status = await foray.status(id);
        const failures = flags.failures ? await foray.failures(id) : undefined;
        const flights = flags.flights ? await foray.flights(id) : undefined;
        if (flags.json) return printJson({ ...status, failures, flights });
        if (status.blocked !== null) {
          print(blockedText(status.blocked));
          const hint = hintWithoutTemporal(flags, status.blocked);
          if (hint !== undefined) print(hint);
        }
        const { model, modelVersion, points } = status;
        print(`${status.id}: ${model} (version ${modelVersion}), ${counted(points, 'point')}`);
        print(progressText(status));
        await printStrategy(foray, status);
        const from = sourceText(status);
        if (from) print(from);
        for (const { cause, count, sample, log } of failures ?? []) {
          print(
            `  ${count} × ${printableLine(cause)} (point ${sample.point}, replication ${sample.replication})`,
          );
          if (log) printLog(log, { lines: SHOWN_LINES, indent: '      ' });
        }
        const advice = retryAdvice(status);
        if (advice !== undefined) print(advice);
        for (const { seq, state, startedAt } of flights ?? []) {
          const since = startedAt === null ? '' : ` ${ageText(Date.now() - startedAt, 'for')}`;
          print(`  run ${seq} ${state}${since}`);
        }
        print(`Web UI: ${foray.pageOf(id)}`);
      }),
    );
}

/** Prints the progress of the strategy, with the best point of a search or a selection, or the posterior. */
async function printStrategy(foray: Foray, { id, strategy }: CampaignStatus): Promise<void> {
  const told = strategyWords(strategy).progress(strategy);
  if (!told) return;
  print(`${capitalized(told.name)}${told.method === undefined ? '' : ` (${told.method})`}: ${told.text}`);
  const { campaign } = (await foray.results(id)).record;
  if (strategy.by === 'calibration' && isBy(campaign, 'calibration'))
    for (const line of posteriorLines(campaign, strategy)) print(`  ${line}`);
  if (!('best' in strategy) || !isBy(campaign, 'search', 'selection')) return;
  if (strategy.best) print(`Best: ${bestText(campaign, strategy.best)}`);
  else if (strategy.stage === 'over') print('Best: no point has a value and meets the requirements');
}

/** The source and the age of a status if no workflow answered; otherwise the note of the workflow. */
function sourceText({ source, asOf, note: noted }: CampaignStatus): string {
  const note = printableLine(noted);
  if (source === 'workflow') return note;
  return `From the store, as of ${asOf} (${ageText(Date.now() - Date.parse(asOf), 'ago')})${note ? `: ${note}` : ''}`;
}
