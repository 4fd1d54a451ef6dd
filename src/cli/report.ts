import type { Command } from 'commander';
import { measuresOf } from '../campaign/measures.ts';
import type { Analysis, Foray } from '../client/index.ts';
import { isForayError } from '../errors.ts';
import type { CampaignRecord } from '../store/index.ts';
import { type GoalFlags, goalIn, withGoal } from './goal.ts';
import { fileOf, tell, writeOut } from './output.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { showOption } from './show.ts';
import { withForay } from './with-foray.ts';

export function addReport(program: Command): void {
  withGoal(withSettings(program.command('report')))
    .description('one self-contained HTML file with what was run, its table and pictures')
    .argument('<id>')
    .option('-o, --output <file>', 'default: ID.html')
    .addOption(
      showOption('an output, or a formula, that is drawn first (default: the first one that has values)'),
    )
    .option('--reference <file>', 'CSV of known values of outputs, by the varied inputs: drawn and compared')
    .action(
      (
        id: string,
        flags: SettingFlags & { output?: string; show?: string[]; reference?: string } & GoalFlags,
      ) =>
        withForay(flags, async (foray) => {
          const { record, rows } = await foray.results(id);
          // the plotting library takes a moment to load, so only who needs it does
          const { renderReport } = await import('../report/html.ts');
          const { readReference } = await import('../report/reference.ts');
          const { reference: known } = flags;
          const reference = known === undefined ? undefined : await readReference(known, record.campaign);
          const file = fileOf(flags.output ?? `${id}.html`);
          const logs = await foray.failureLogs(id);
          const search = await foray.searchStory(id);
          const select = await foray.selectStory(id);
          const analyses = await analysesFor(foray, record);
          const options = {
            show: flags.show,
            goal: goalIn(flags),
            reference,
            logs,
            search,
            select,
            analyses,
          };
          await writeOut([await renderReport(record, await foray.counts(id), rows, options)], file);
          if (file !== undefined) tell(`Wrote ${file}`);
        }),
    );
}

/** Points up to which the report says which inputs matter: their values are taken into memory, and read a second time. */
const POINTS_UP_TO = 200_000;
/** Points up to which the curves of a campaign are analyzed as well. */
const CURVES_UP_TO = 20_000;

/** Which inputs matter; none where there is nothing to analyze. */
async function analysesFor(
  foray: Foray,
  { campaign, points }: Pick<CampaignRecord, 'campaign' | 'points'>,
): Promise<Analysis[]> {
  // of one input the effects say all
  if (campaign.varied.length < 2 || campaign.search || points > POINTS_UP_TO) return [];
  const curves = campaign.outputs.filter(({ type }) => type === 'DATA_SET' && points <= CURVES_UP_TO);
  const outputs = [...measuresOf(campaign), ...curves].map(({ name }) => name);
  try {
    return outputs.length > 0 ? await foray.analyze(campaign.id, { outputs }) : [];
  } catch (error) {
    if (isForayError(error) && error.code === 'NOTHING_TO_ANALYZE') return [];
    throw error;
  }
}
