import { extname } from 'node:path';
import { type Command, Option } from 'commander';
import { formatResults, type ResultFormat, resultFormats } from '../report/index.ts';
import { ForayError } from '../errors.ts';
import { tell, writeOut } from './output.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { withForay } from './with-foray.ts';

interface Flags extends SettingFlags {
  format?: ResultFormat;
  output?: string;
  points?: boolean;
  all?: boolean;
}

export function addResults(program: Command): void {
  withSettings(program.command('results'))
    .description('the results table of a campaign: a row a finished run, at any time')
    .argument('<id>')
    .addOption(
      new Option('--format <format>', "default: by the file's ending, else table").choices(resultFormats),
    )
    .option('-o, --output <file>', 'write to a file')
    .option(
      '--points',
      'a row a point: n, mean, sd, the interval of the mean, min and max of each numeric output',
    )
    .option('--all', 'add the columns reason, run, origin, requested, finished')
    .action((id: string, flags: Flags) =>
      withForay(flags, async (foray) => {
        const { record, rows } = await foray.results(id);
        const format = flags.format ?? formatOf(flags.output);
        const isScreen = flags.output === undefined && process.stdout.isTTY;
        const text = formatResults(format, record.campaign, rows, {
          ...(flags.points && { points: true }),
          ...(flags.all && { all: true }),
          ...(isScreen ? { width: process.stdout.columns } : { limit: Infinity }),
        });
        await writeOut(text, flags.output);
        if (flags.output !== undefined) tell(`Wrote ${flags.output}`);
      }),
    );
}

function formatOf(file: string | undefined): ResultFormat {
  const ending = extname(file ?? '').slice(1);
  if (ending === '' || ending === 'txt') return 'table';
  const format = resultFormats.find((known) => known === ending);
  if (format) return format;
  throw new ForayError('USAGE', `There is no format for files that end in .${ending}.`, {
    hint: `Say it with --format: ${resultFormats.join(', ')}.`,
  });
}
