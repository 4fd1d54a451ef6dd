import type { Command } from 'commander';
import type { CampaignOutput } from '../campaign/types.ts';
import type { CampaignStatus, Foray } from '../client/index.ts';
import { ForayError } from '../errors.ts';
import { isNumeric, searchLine } from '../report/index.ts';
import type { CampaignRecord } from '../store/index.ts';
import { didYouMean } from '../suggest.ts';
import { LivePage } from './live/live.ts';
import { tellLastFailure } from './log.ts';
import { printJson, tell } from './output.ts';
import { failureAdvice, ProgressLine, statusText } from './progress.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { withForay } from './with-foray.ts';

export function addWatch(program: Command): void {
  withSettings(program.command('watch'))
    .description('show how a campaign goes on until it is over; exit code 1 if it fails or is cancelled')
    .argument('<id>')
    .option(
      '--output <name>',
      'the numeric output whose values are shown (default: that of the goal, else the first one that has values)',
    )
    .option('--json', 'print the last status')
    .action((id: string, flags: SettingFlags & { output?: string; json?: boolean }) =>
      withForay(flags, async (foray) => {
        const last = await follow(foray, id, flags.output);
        if (flags.json) printJson(last);
      }),
    );
}

/** What shows where a campaign is, again and again. */
interface Display {
  update(status: CampaignStatus): Promise<void> | void;
  /** Of the status that was shown last; not called when there was an error. */
  finish(status: CampaignStatus): void;
  close(): void;
}

/**
 * Shows the progress of a campaign until it is over, and sets the exit code by how it ended: a page in a terminal, lines
 * elsewhere.
 *
 * @param output the numeric one to show, by default the first one that has values
 * @throws ForayError UNKNOWN_CAMPAIGN, UNKNOWN_OUTPUT, TEMPORAL_UNREACHABLE
 */
export async function follow(foray: Foray, id: string, output?: string): Promise<CampaignStatus> {
  // later it is waited for, but one that was never there is an error
  await foray.reach(id);
  const { record } = await foray.results(id);
  const shown = shownOutputs(record, output);
  const display = isTerminal(process.stderr) ? livePage(foray, record, shown) : plainLines(record);
  let last: CampaignStatus | undefined;
  try {
    for await (const status of foray.follow(id)) {
      last = status;
      await display.update(status);
      // nobody but a person lets it go on, so there is nothing to wait for
      if (status.pausedBy === 'policy') break;
    }
    display.finish(last!);
  } finally {
    display.close();
  }
  if (!isTerminal(process.stderr) && last!.runs.failed > 0) await tellLastFailure(foray, id);
  const advice = failureAdvice(last!);
  if (advice !== undefined) tell(advice);
  if (last!.phase !== 'completed') process.exitCode = 1;
  return last!;
}

function shownOutputs(
  { campaign }: Pick<CampaignRecord, 'campaign'>,
  wanted: string | undefined,
): CampaignOutput[] {
  const numeric = campaign.outputs.filter(isNumeric);
  const isGoal = ({ name }: CampaignOutput): boolean => name === campaign.goal?.output;
  if (wanted === undefined)
    return [...numeric.filter(isGoal), ...numeric.filter((output) => !isGoal(output))];
  const output = numeric.find(({ name }) => name === wanted);
  if (output) return [output];
  throw new ForayError('UNKNOWN_OUTPUT', `The campaign "${campaign.id}" has no numeric output "${wanted}".`, {
    hint: didYouMean(
      wanted,
      numeric.map(({ name }) => name),
    ),
  });
}

function isTerminal({ isTTY }: NodeJS.WriteStream): boolean {
  return isTTY && process.env.TERM !== 'dumb';
}

function livePage(foray: Foray, record: CampaignRecord, outputs: readonly CampaignOutput[]): Display {
  const page = new LivePage(process.stderr, foray, record, outputs);
  return { update: (status) => page.update(status), finish: () => undefined, close: () => page.close() };
}

function plainLines({ campaign }: Pick<CampaignRecord, 'campaign'>): Display {
  const line = new ProgressLine();
  const textOf = (status: CampaignStatus): string =>
    [statusText(status), searchLine(campaign, status)].filter((part) => part !== undefined).join('; ');
  return {
    update: (status) => line.update(textOf(status)),
    finish: (status) => line.finish(textOf(status)),
    close: () => undefined,
  };
}
