import { extname } from 'node:path';
import type { Command } from 'commander';
import { campaignsCompared } from '../report/comparison/of-campaigns.ts';
import { comparisonNotes, ComparisonSummary } from '../report/comparison/summary.ts';
import { comparisonTable } from '../report/comparison/table.ts';
import { formatTable, type TextFormat, textFormats } from '../report/index.ts';
import { type GoalFlags, goalIn, withGoal } from './goal.ts';
import { fileOf, tableSize, tell, writeOut } from './output.ts';
import { formatOf, formatOption } from './results.ts';
import { type SettingFlags, withSettings } from './setting-options.ts';
import { showOption } from './show.ts';
import { withForay } from './with-foray.ts';

interface Flags extends SettingFlags, GoalFlags {
  show?: string[];
  format?: TextFormat;
  output?: string;
}

export function addCompare(program: Command): void {
  withGoal(withSettings(program.command('compare')))
    .description('compare two campaigns point by point: differences of outputs with confidence intervals')
    .argument('<a>')
    .argument('<b>')
    .addOption(formatOption(textFormats))
    .addOption(showOption('an output or formula to compare (default: all)'))
    .option('-o, --output <file>', 'file to write to; .html writes a page with pictures')
    .action((a: string, b: string, flags: Flags) =>
      withForay(flags, async (foray) => {
        const file = fileOf(flags.output);
        const comparison = await campaignsCompared(foray, a, b, { show: flags.show, goal: goalIn(flags) });
        const summary = new ComparisonSummary(comparison);
        if (flags.format === undefined && extname(file ?? '').toLowerCase() === '.html') {
          await summary.read();
          // loaded only here, because loading the plotting library takes a moment
          const { renderComparison } = await import('../report/comparison/html.ts');
          await writeOut([await renderComparison(comparison, summary)], file);
        } else {
          const format = flags.format ?? formatOf(file, textFormats, ['html']);
          const table = comparisonTable(comparison, summary.watched());
          await writeOut(formatTable(format, table, tableSize(file)), file);
        }
        for (const note of comparisonNotes(comparison, summary)) tell(note);
        if (file !== undefined) tell(`Wrote ${file}`);
      }),
    );
}
