import { extname } from 'node:path';
import { type Command, Option } from 'commander';
import { hasStrategy } from '../campaign/strategy.ts';
import { type Foray, isClosed } from '../client/index.ts';
import {
  bestOfDesign,
  bestTable,
  bestText,
  counted,
  formatResults,
  formatTable,
  noBestText,
  type ResultFormat,
  resultFormats,
  type ShapeOptions,
  strategyWords,
  tableOf,
} from '../report/index.ts';
import { ForayError } from '../errors.ts';
import { fileOf, isScreen, tableSize, tell, writeOut } from './output.ts';
import { statusText } from './progress-line.ts';
import { ResultFiles } from './result-files.ts';
import { type SettingFlags, withSettings } from './setting-options.ts';
import { showOption } from './show.ts';
import { version } from '../package/own-version.ts';
import { withForay } from './with-foray.ts';

interface Flags extends SettingFlags, ShapeOptions {
  format?: ResultFormat;
  output?: string | undefined;
  follow?: boolean;
  best?: boolean;
  files?: string;
}

export function addResults(program: Command): void {
  withSettings(program.command('results'))
    .description('print the results so far as a table with one row per finished run')
    .argument('<id>')
    .addOption(formatOption(resultFormats))
    .option('-o, --output <file>', 'file to write to')
    .option(
      '--long',
      'one row per value: output, units, value or text; a curve (DATA_SET) has one row per time',
    )
    .option(
      '--points',
      'one row per point: n, mean, sd, interval of the mean, min, quantiles and max of numeric outputs; shares with intervals of BOOLEAN outputs',
    )
    .addOption(showOption('with --points: an output or formula to show (default: all)'))
    .option('--best', 'only the best point by the goal, with its value, interval and number of runs')
    .option('--all', 'add the columns run, origin, requested, finished')
    .option(
      '--follow',
      'print rows as runs finish, until the campaign ends; exit code 1 if it fails or is cancelled',
    )
    .option(
      '--files <dir>',
      'write output files to DIR/POINT/REPLICATION/ and their paths into the table; exit code 1 if a file is missing',
    )
    .action((id: string, given: Flags) => {
      const flags: Flags = { ...given, output: fileOf(given.output) };
      const format = flags.format ?? formatOf(flags.output, resultFormats);
      checkFlags(format, flags);
      return withForay(flags, async (foray) => {
        const { files: folder } = flags;
        const files =
          folder === undefined
            ? undefined
            : new ResultFiles(foray, id, { folder, isScreen: isScreen(flags.output) });
        if (flags.best) await writeBest(foray, id, format, flags.output);
        else await writeResults(foray, id, format, flags, files);
        if (flags.output !== undefined) tell(`Wrote ${flags.output}`);
        files?.tellEnd();
        if (flags.follow) await setExitCode(foray, id);
      });
    });
}

export function formatOption(formats: readonly string[]): Option {
  const about = "output format (default: from the file's ending, else table)";
  return new Option('--format <format>', about).choices(formats);
}

/**
 * The format that the ending of a file stands for. It is `table` without a file, without an ending, and for .txt.
 *
 * @param otherEndings - other endings that the command accepts, for the hint
 * @throws ForayError USAGE
 */
export function formatOf<Format extends ResultFormat>(
  file: string | undefined,
  formats: readonly Format[],
  otherEndings: readonly string[] = [],
): Format | 'table' {
  const ending = extname(file ?? '')
    .slice(1)
    .toLowerCase();
  if (ending === '' || ending === 'txt') return 'table';
  const format = formats.find((known) => known === ending);
  if (format) return format;
  const others = otherEndings.length > 0 ? ` A file may end in .${otherEndings.join(', .')} as well.` : '';
  throw new ForayError('USAGE', `There is no format for files that end in .${ending}.`, {
    hint: `Choose one with --format: ${formats.join(', ')}.${others}`,
  });
}

/** @throws ForayError USAGE when flags do not fit together, --files is empty, or a terminal would get Parquet */
function checkFlags(format: ResultFormat, { output, points, show, all, follow, files, best }: Flags): void {
  const wrong = (message: string, hint: string): ForayError => new ForayError('USAGE', message, { hint });
  if (format === 'parquet' && output === undefined && process.stdout.isTTY)
    throw wrong('A terminal cannot show Parquet.', 'Write Parquet to a file with -o FILE.parquet.');
  if (show && !points)
    throw wrong(
      '--show needs --points.',
      '--show selects the outputs in the rows of points; the row of a run always has all outputs.',
    );
  if (files === '') throw wrong('--files needs the name of a folder.', 'The given name is empty.');
  if (files !== undefined && points)
    throw wrong('--files cannot be used with --points.', 'Files belong to runs, not to points.');
  if (all && points)
    throw wrong('--all cannot be used with --points.', 'The columns of --all belong to runs, not to points.');
  if (best && (points || files !== undefined || follow))
    throw wrong(
      '--best cannot be used with --points, --files or --follow.',
      '--best prints only the best point.',
    );
  if (!follow) return;
  if (points) throw wrong('--follow cannot be used with --points.', 'The row of a point needs all its runs.');
  if (format === 'parquet')
    throw wrong(
      '--follow cannot write Parquet.',
      'Use csv or jsonl: a Parquet file is readable only when it is complete.',
    );
  if (output !== undefined)
    throw wrong('--follow cannot be used with -o.', 'Redirect the output: --follow --format csv > FILE.');
}

async function writeResults(
  foray: Foray,
  id: string,
  format: ResultFormat,
  { output, follow = false, ...shape }: Flags,
  files?: ResultFiles,
): Promise<void> {
  const results = await foray.results(id, { follow });
  const { record } = results;
  const { campaign, rows } = (await files?.withFiles(results)) ?? {
    campaign: record.campaign,
    rows: results.rows,
  };
  if (format === 'parquet') {
    const { parquet } = await import('../report/formats/parquet.ts');
    const description = { record, version, all: shape.all ?? false };
    await writeOut(parquet(tableOf(campaign, rows, shape), description, { onMismatches }), output);
    return;
  }
  const options = { ...shape, ...tableSize(output), flows: follow };
  await writeOut(formatResults(format, campaign, rows, options), output, follow);
}

/** Writes the best point as a table of one row, and in words. */
async function writeBest(
  foray: Foray,
  id: string,
  format: ResultFormat,
  output: string | undefined,
): Promise<void> {
  const { strategy } = await foray.status(id);
  const { record, rows } = await foray.results(id);
  const { campaign } = record;
  if (!campaign.goal)
    throw new ForayError('USAGE', `The campaign "${id}" has no goal, so it has no best point.`, {
      hint: 'Add "goal: { minimize: OUTPUT }" to the definition, or see the points in "foray results ID --points".',
    });
  if (format === 'parquet')
    throw new ForayError('USAGE', '--best cannot be written as Parquet.', {
      hint: 'Use csv, json or jsonl.',
    });
  const state = 'best' in strategy ? strategy : undefined;
  const best = state ? state.best : await bestOfDesign(campaign, rows);
  await writeOut(formatTable(format, bestTable(campaign, best), tableSize(output)), output);
  if (best) return tell(bestText(campaign, best));
  if (!state || !hasStrategy(campaign, 'search', 'selection')) return tell('No point has a value.');
  const none = state.stage === 'over' ? `; ${noBestText(campaign, state)}` : '';
  tell(`${strategyWords(state).progress(state)!.text}${none}`);
}

function onMismatches({ name, type = 'a number' }: { name: string; type?: string }, count: number): void {
  const [values, are] = [counted(count, 'value'), count === 1 ? 'is' : 'are'];
  tell(
    `${values} of "${name}" ${are} not ${type}, and therefore null in the file; CSV and JSON Lines have the original text.`,
  );
}

/** Sets exit code 1 if the campaign has not completed, and says why its rows ended if it is still open. */
async function setExitCode(foray: Foray, id: string): Promise<void> {
  const status = await foray.status(id);
  if (status.phase !== 'completed') process.exitCode = 1;
  // the workflow has ended before its campaign, and the status says what to do
  if (!isClosed(status)) tell(statusText(status));
}
