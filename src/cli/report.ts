import type { Command } from 'commander';
import { tell, writeOut } from './output.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { withForay } from './with-foray.ts';

export function addReport(program: Command): void {
  withSettings(program.command('report'))
    .description('one self-contained HTML file with what was run, its table and pictures')
    .argument('<id>')
    .option('-o, --output <file>', 'default: ID.html')
    .option('--reference <file>', 'CSV of known values of outputs, by the varied inputs: drawn and compared')
    .action((id: string, flags: SettingFlags & { output?: string; reference?: string }) =>
      withForay(flags, async (foray) => {
        const { record, rows } = await foray.results(id);
        // the plotting library takes a moment to load, so only who needs it does
        const { renderReport } = await import('../report/html.ts');
        const { readReference } = await import('../report/reference.ts');
        const { reference: known } = flags;
        const options = known === undefined ? {} : { reference: await readReference(known, record.campaign) };
        const file = flags.output ?? `${id}.html`;
        await writeOut([await renderReport(record, await foray.store.counts(id), rows, options)], file);
        tell(`Wrote ${file}`);
      }),
    );
}
