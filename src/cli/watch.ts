import type { Command } from 'commander';
import { isNumericType } from '../api/index.ts';
import type { CampaignOutput } from '../campaign/types.ts';
import type { CampaignStatus, Foray } from '../client/index.ts';
import { strategyLine } from '../report/index.ts';
import type { CampaignRecord } from '../store/index.ts';
import { UnknownNameError } from '../unknown-name.ts';
import { tellLastFailure } from './log.ts';
import { isTerminal, printJson, tell } from './output.ts';
import { retryAdvice, ProgressLine, statusText } from './progress-line.ts';
import { type SettingFlags, withSettings } from './setting-options.ts';
import { withForay } from './with-foray.ts';

export function addWatch(program: Command): void {
  withSettings(program.command('watch'))
    .description('show the progress of a campaign until it ends; exit code 1 if it fails or is cancelled')
    .argument('<id>')
    .option(
      '--output <name>',
      'the numeric output to show (default: the output of the goal, else the first output with values)',
    )
    .option('--json', 'print the last status')
    .action((id: string, flags: SettingFlags & { output?: string; json?: boolean }) =>
      withForay(flags, async (foray) => {
        const last = await follow(foray, id, flags.output);
        if (flags.json) printJson(last);
      }),
    );
}

interface Display {
  update(status: CampaignStatus): Promise<void> | void;
  /** Shows the last status; not called after an error. */
  finish(status: CampaignStatus): void;
  close(): void;
}

/**
 * Shows the progress of a campaign until it is over, or until only a person can resume it: as a page in a terminal, as
 * lines elsewhere. Sets exit code 1 if the campaign has not completed.
 *
 * @param output - the numeric output to show; by default the output of the goal, otherwise the first output with values
 * @throws ForayError UNKNOWN_CAMPAIGN, UNKNOWN_OUTPUT, TEMPORAL_UNREACHABLE
 */
export async function follow(foray: Foray, id: string, output?: string): Promise<CampaignStatus> {
  // it is an error if Temporal never answered. If Temporal stops answering later, the loop below waits for it
  await foray.reach(id);
  const { record } = await foray.results(id);
  const shown = shownOutputs(record, output);
  const display = isTerminal(process.stderr) ? await livePage(foray, record, shown) : plainLines(record);
  let last!: CampaignStatus;
  try {
    for await (const status of foray.follow(id)) {
      last = status;
      await display.update(status);
      // foray has paused the campaign, and only a person can resume it
      if (status.pausedBy === 'policy' || status.pausedBy === 'optimiser') break;
    }
    display.finish(last);
  } finally {
    display.close();
  }
  if (!isTerminal(process.stderr) && last.runs.failed > 0) await tellLastFailure(foray, id);
  const advice = retryAdvice(last);
  if (advice !== undefined) tell(advice);
  if (last.phase !== 'completed') process.exitCode = 1;
  return last;
}

function shownOutputs(
  { campaign }: Pick<CampaignRecord, 'campaign'>,
  wanted: string | undefined,
): CampaignOutput[] {
  const numeric = campaign.outputs.filter(({ type }) => isNumericType(type));
  const isGoal = ({ name }: CampaignOutput): boolean => name === campaign.goal?.output;
  if (wanted === undefined)
    return [...numeric.filter(isGoal), ...numeric.filter((output) => !isGoal(output))];
  const output = numeric.find(({ name }) => name === wanted);
  if (output) return [output];
  const message = `The campaign "${campaign.id}" has no numeric output "${wanted}".`;
  const known = numeric.map(({ name }) => name);
  throw new UnknownNameError('UNKNOWN_OUTPUT', message, { name: wanted, known });
}

async function livePage(
  foray: Foray,
  record: CampaignRecord,
  outputs: readonly CampaignOutput[],
): Promise<Display> {
  // a script has no terminal, and need not load the page
  const { LivePage } = await import('./watch/live-page.ts');
  const page = new LivePage(process.stderr, foray, record, outputs);
  return { update: (status) => page.update(status), finish: () => undefined, close: () => page.close() };
}

function plainLines({ campaign }: Pick<CampaignRecord, 'campaign'>): Display {
  const line = new ProgressLine();
  const textOf = (status: CampaignStatus): string =>
    [statusText(status), strategyLine(campaign, status.strategy)]
      .filter((part) => part !== undefined)
      .join('; ');
  return {
    update: (status) => line.update(textOf(status)),
    finish: (status) => line.finish(textOf(status)),
    close: () => undefined,
  };
}
