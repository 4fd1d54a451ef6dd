import { extname } from 'node:path';
import { type Command, Option } from 'commander';
import { type Foray, isClosed } from '../client/index.ts';
import {
  bestTable,
  bestText,
  counted,
  formatResults,
  formatTable,
  type ResultFormat,
  resultFormats,
  searchText,
  selectText,
  type ShapeOptions,
  tableOf,
} from '../report/index.ts';
import { ForayError } from '../errors.ts';
import { fileOf, tell, terminalWidth, writeOut } from './output.ts';
import { statusText } from './progress.ts';
import { ResultFiles } from './result-files.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { showOption } from './show.ts';
import { version } from './version.ts';
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
    .description('the results table of a campaign: a row a finished run, at any time')
    .argument('<id>')
    .addOption(
      new Option('--format <format>', "default: by the file's ending, else table").choices(resultFormats),
    )
    .option('-o, --output <file>', 'write to a file')
    .option(
      '--long',
      'a row a value of a run: output, units, value or text; of a curve (DATA_SET) a row a time',
    )
    .option(
      '--points',
      'a row a point: n, mean, sd, the interval of the mean, min, quantiles and max of each numeric output, the share of each BOOLEAN one with its interval',
    )
    .addOption(showOption('with --points: an output, or a formula, to show (default: all)'))
    .option(
      '--best',
      'of a search or a selection: the best point alone, with its value, the interval of that, and the runs that it is of',
    )
    .option('--all', 'add the columns run, origin, requested, finished')
    .option(
      '--follow',
      'rows as runs finish, until the campaign is over; exit code 1 if it fails or is cancelled',
    )
    .option(
      '--files <dir>',
      'write the files of outputs to DIR/POINT/REPLICATION/, and their paths into the table; exit code 1 if some cannot be had',
    )
    .action((id: string, given: Flags) => {
      const flags: Flags = { ...given, output: fileOf(given.output) };
      const format = flags.format ?? formatOf(flags.output, resultFormats);
      check(format, flags);
      return withForay(flags, async (foray) => {
        const { files: folder } = flags;
        const isScreen = isShown(flags);
        const files = folder === undefined ? undefined : new ResultFiles(foray, id, { folder, isScreen });
        if (flags.best) await writeBest(foray, id, format, flags.output);
        else await write(foray, id, format, flags, files);
        if (flags.output !== undefined) tell(`Wrote ${flags.output}`);
        files?.tellEnd();
        if (flags.follow) await setExitCode(foray, id);
      });
    });
}

/**
 * The format that a file's ending says: one of those that the command has.
 *
 * @param more endings that the command takes as well
 * @throws ForayError USAGE
 */
export function formatOf<Format extends ResultFormat>(
  file: string | undefined,
  formats: readonly Format[],
  more: readonly string[] = [],
): Format | 'table' {
  const ending = extname(file ?? '').slice(1);
  if (ending === '' || ending === 'txt') return 'table';
  const format = formats.find((known) => known === ending);
  if (format) return format;
  throw new ForayError('USAGE', `There is no format for files that end in .${ending}.`, {
    hint: `Say it with --format: ${formats.join(', ')}.${more.length > 0 ? ` A file may end in .${more.join(', .')} as well.` : ''}`,
  });
}

/** @throws ForayError USAGE when flags do not go together */
function check(format: ResultFormat, { output, points, show, follow, files, best }: Flags): void {
  const wrong = (message: string, hint: string): ForayError => new ForayError('USAGE', message, { hint });
  if (format === 'parquet' && output === undefined && process.stdout.isTTY)
    throw wrong('Parquet is not for a terminal.', 'Write it to a file with -o FILE.parquet.');
  if (show && !points)
    throw wrong(
      '--show needs --points.',
      'It says what is shown of each point; a row of a run has all outputs.',
    );
  if (files === '') throw wrong('--files needs the name of a folder.', 'It was an empty text.');
  if (files !== undefined && points)
    throw wrong('--files and --points do not go together.', 'Files are of runs, not of points.');
  if (best && (points || files !== undefined || follow))
    throw wrong('--best stands alone.', 'It prints the best point of a search, and no runs.');
  if (!follow) return;
  if (points)
    throw wrong('--follow and --points do not go together.', 'A point has its row when all is there.');
  if (format === 'parquet')
    throw wrong('Parquet cannot be followed.', 'Take csv or jsonl; a Parquet file is whole at its end only.');
  if (output !== undefined)
    throw wrong('--follow and -o do not go together.', 'Redirect the output: --follow --format csv > FILE.');
}

async function write(
  foray: Foray,
  id: string,
  format: ResultFormat,
  { output, follow = false, ...shape }: Flags,
  files?: ResultFiles,
): Promise<void> {
  const results = await foray.results(id, { follow });
  const { record } = results;
  const { campaign, rows } = (await files?.taken(results)) ?? {
    campaign: record.campaign,
    rows: results.rows,
  };
  if (format === 'parquet') {
    const { parquet } = await import('../report/parquet.ts');
    const description = { record, version, all: shape.all ?? false };
    await writeOut(parquet(tableOf(campaign, rows, shape), description, { onMisfits }), output);
    return;
  }
  const looks = isShown({ output }) ? { width: terminalWidth() } : { limit: Infinity };
  await writeOut(
    formatResults(format, campaign, rows, { ...shape, ...looks, flows: follow }),
    output,
    follow,
  );
}

/** Writes the best point of a search or a selection as a table of one row, and in words. */
async function writeBest(
  foray: Foray,
  id: string,
  format: ResultFormat,
  output: string | undefined,
): Promise<void> {
  const { search, select } = await foray.status(id);
  const { record } = await foray.results(id);
  if (!search && !select)
    throw new ForayError('USAGE', `The campaign "${id}" has no search, so it has no best point of its own.`, {
      hint: 'Write search: or select: into a definition, or read the best points off "foray report".',
    });
  if (format === 'parquet')
    throw new ForayError('USAGE', 'One row is not for Parquet.', { hint: 'Take csv, json or jsonl.' });
  const looks = isShown({ output }) ? { width: terminalWidth() } : { limit: Infinity };
  const best = (search ?? select)!.best;
  await writeOut(formatTable(format, bestTable(record.campaign, best), looks), output);
  tell(best ? bestText(record.campaign, best) : search ? searchText(search) : selectText(select!));
}

/** Whether the table goes to a terminal. */
function isShown({ output }: Pick<Flags, 'output'>): boolean {
  return output === undefined && process.stdout.isTTY;
}

function onMisfits({ name, type = 'a number' }: { name: string; type?: string }, count: number): void {
  const [values, are] = [counted(count, 'value'), count === 1 ? 'is' : 'are'];
  tell(`${values} of "${name}" ${are} not ${type}, and null in the file; CSV and JSON Lines have them.`);
}

async function setExitCode(foray: Foray, id: string): Promise<void> {
  const status = await foray.status(id);
  if (status.phase !== 'completed') process.exitCode = 1;
  // its workflow is closed, and it is not: the status says what is to be done
  if (!isClosed(status)) tell(statusText(status));
}
