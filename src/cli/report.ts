import type { Command } from 'commander';
import { type GoalFlags, goalIn, withGoal } from './goal.ts';
import { fileOf, tell, writeOut } from './output.ts';
import { type SettingFlags, withSettings } from './setting-options.ts';
import { showOption } from './show.ts';
import { withForay } from './with-foray.ts';

export function addReport(program: Command): void {
  withGoal(withSettings(program.command('report')))
    .description('write one HTML file with the results, tables and pictures')
    .argument('<id>')
    .option('-o, --output <file>', 'file to write (default: ID.html)')
    .addOption(
      showOption(
        'an output or formula to draw first (default: the output of the goal, else the first output with values)',
      ),
    )
    .option(
      '--reference <file>',
      'CSV file with known output values for some values of the varied inputs; the report draws and compares them',
    )
    .action(
      (
        id: string,
        flags: SettingFlags & { output?: string; show?: string[]; reference?: string } & GoalFlags,
      ) =>
        withForay(flags, async (foray) => {
          // loaded only here, because loading the plotting library takes a moment
          const { reportOf } = await import('../report/of-campaign.ts');
          const file = fileOf(flags.output ?? `${id}.html`);
          const { show, reference } = flags;
          const page = await reportOf(foray, id, { show, goal: goalIn(flags), reference, onNotice: tell });
          await writeOut([page], file);
          if (file !== undefined) tell(`Wrote ${file}`);
        }),
    );
}
