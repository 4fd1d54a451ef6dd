import { type Command, Option } from 'commander';
import { wordOfX } from '../campaign/curves.ts';
import type { Foray } from '../client/index.ts';
import { courseSentence } from '../report/analysis/course-words.ts';
import { analysisSentence } from '../report/analysis/words.ts';
import { analysisTable } from '../report/analysis/table.ts';
import { formatTable } from '../report/index.ts';
import { numberText } from '../report/words/words.ts';
import { tableSize, tell, writeOut } from './output.ts';
import { type SettingFlags, withSettings } from './setting-options.ts';
import { withForay } from './with-foray.ts';

const formats = ['table', 'csv', 'json'] as const;

interface Flags extends SettingFlags {
  output?: string;
  format: (typeof formats)[number];
}

export function addAnalyze(program: Command): void {
  withSettings(program.command('analyze'))
    .description('show which inputs matter: sensitivity indices with confidence intervals')
    .argument('<id>')
    .option(
      '--output <name>',
      'an output, a formula such as "P(Peak > 300)", or a curve (default: all numeric and BOOLEAN outputs, and the formulas of the definition)',
    )
    .addOption(
      new Option('--format <format>', 'json prints one object with --output, otherwise a list')
        .choices(formats)
        .default('table'),
    )
    .action((id: string, flags: Flags) => withForay(flags, (foray) => analyze(foray, id, flags)));
}

async function analyze(foray: Foray, id: string, { output, format }: Flags): Promise<void> {
  const analyses = await foray.analyze(id, output === undefined ? {} : { outputs: [output] });
  if (format === 'json') {
    const document = output === undefined ? analyses : analyses[0];
    await writeOut([`${JSON.stringify(document, undefined, 2)}\n`], undefined);
    return;
  }
  const size = { ...tableSize(undefined), limit: Infinity };
  await writeOut(formatTable(format, analysisTable(analyses), size), undefined);
  const { campaign } = await foray.record(id);
  for (const analysis of analyses) {
    if (format === 'table') {
      const axis = campaign.outputs.find(({ name }) => name === analysis.output)?.axis;
      tell(analysis.times ? courseSentence(analysis, numberText, wordOfX(axis)) : analysisSentence(analysis));
    }
    for (const warning of analysis.warnings) tell(`  ${warning}`);
  }
}
