import type { Command } from 'commander';
import type { Campaign } from '../campaign/types.ts';
import { hasStrategy } from '../campaign/strategy.ts';
import type { BestPoint, CampaignStatus, Foray } from '../client/index.ts';
import {
  bestOfDesign,
  bestText,
  counted,
  noBestText,
  posteriorLines,
  strategyWords,
  TOO_GOOD,
} from '../report/index.ts';
import { isNoisy } from '../search/noise.ts';
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
        if (flags.json) {
          const best = (await designBest(foray, status))?.best;
          return printJson({ ...status, best, failures, flights });
        }
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
        if (status.build !== null) print(`Build: ${status.build}`);
        print(`Web UI: ${foray.pageOf(id)}`);
      }),
    );
}

/** A design with a goal, and its best point so far; undefined for other campaigns, and while no point has a value. */
async function designBest(
  foray: Foray,
  { id, goal, strategy }: CampaignStatus,
): Promise<{ campaign: Campaign; best: BestPoint } | undefined> {
  if (!goal || 'best' in strategy) return undefined;
  const { record, rows } = await foray.results(id);
  const best = await bestOfDesign(record.campaign, rows);
  return best ? { campaign: record.campaign, best } : undefined;
}

/** Prints the progress of the strategy, and the best point or the posterior. */
async function printStrategy(foray: Foray, status: CampaignStatus): Promise<void> {
  const { id, strategy, phase } = status;
  const own = await designBest(foray, status);
  if (own) {
    const { campaign, best } = own;
    print(`Best${phase === 'completed' ? '' : ' so far'}: ${bestText(campaign, best)}`);
    if (best.among > 1 && isNoisy(campaign)) print(`  ${TOO_GOOD}.`);
  }
  const told = strategyWords(strategy).progress(strategy);
  if (!told) return;
  print(`${capitalized(told.name)}${told.method === undefined ? '' : ` (${told.method})`}: ${told.text}`);
  const { campaign } = (await foray.results(id)).record;
  if (strategy.by === 'calibration' && hasStrategy(campaign, 'calibration'))
    for (const line of posteriorLines(campaign, strategy)) print(`  ${line}`);
  if (!('best' in strategy) || !hasStrategy(campaign, 'search', 'selection')) return;
  if (strategy.best) print(`Best: ${bestText(campaign, strategy.best)}`);
  else if (strategy.stage === 'over') print(`Best: ${noBestText(campaign, strategy)}`);
}

/** The source and the age of a status if no workflow answered; otherwise the note of the workflow. */
function sourceText({ source, asOf, note: noted }: CampaignStatus): string {
  const note = printableLine(noted);
  if (source === 'workflow') return note;
  return `From the store, as of ${asOf} (${ageText(Date.now() - Date.parse(asOf), 'ago')})${note ? `: ${note}` : ''}`;
}
