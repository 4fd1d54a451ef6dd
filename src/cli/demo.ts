import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { Foray } from '../client/index.ts';
import { homePaths, runningDev } from '../dev/home.ts';
import { STAY } from '../dev/lifeline.ts';
import { rotate } from '../dev/rotating-log.ts';
import { ForayError, messageOf } from '../errors.ts';
import { makeFolder } from '../system/file-system.ts';
import { ownFile, ownModule } from '../package/own-files.ts';
import { bestRows, counted, formatResults } from '../report/index.ts';
import { shellQuoted } from '../text/shell-quoted.ts';
import { print, tell, writeOut } from './output.ts';
import { settingsOfDev } from '../settings/settings.ts';
import { homeOption } from './setting-options.ts';
import { untilSignalled } from './signals.ts';
import { readSource } from './source.ts';
import { submit } from './submit.ts';
import { commandName } from './command-name.ts';
import { follow } from './watch.ts';

const EXAMPLE = ownFile('examples/boarding-school-flu');
const RATES = ['Contact rate', 'Recovery rate'];
const FOLDER = 'foray-demo';
const OUTPUT = 'Fit error';
/**
 * The rates that J. D. Murray, Mathematical Biology, fitted to this outbreak, and the error of the demo's model at
 * these rates.
 */
const PUBLISHED = { rates: [1.663, 0.44], error: 17.22 };
/** The exit code after a SIGINT. */
const INTERRUPTED = 130;

export function addDemo(program: Command): void {
  program
    .command('demo')
    .description('start everything, run a search and a grid, print the answer, and stop everything')
    .addOption(homeOption())
    .option('--keep', 'leave everything running')
    .action(async (flags: { home: string; keep?: boolean }) => {
      const interrupted = untilSignalled().then(() => 'interrupted' as const);
      const parts = await startParts(resolve(flags.home), interrupted);
      let isKept = false;
      try {
        const ended = await Promise.race([interrupted, runCampaigns(resolve(flags.home), interrupted)]);
        if (ended === 'interrupted') process.exitCode = INTERRUPTED;
        else isKept = flags.keep ?? false;
      } finally {
        if (parts) await (isKept ? letGo(parts) : stopParts(parts));
      }
      // after an interrupt, do not wait for open calls of the client
      if (process.exitCode === INTERRUPTED) process.exit();
    });
}

/** Starts `foray dev` as a child process. Returns undefined if a `foray dev` runs in this home already. */
async function startParts(home: string, interrupted: Promise<unknown>): Promise<ChildProcess | undefined> {
  const running = runningDev(home);
  if (running) {
    tell(`Using the foray dev that runs in ${relative('', home)} (process ${running.pid})`);
    return undefined;
  }
  const { findTemporalCli } = await import('../dev/temporal-cli.ts');
  await findTemporalCli(tell);
  tell('Starting Temporal, the model service and a worker');
  const logFile = join(homePaths(home).logs, 'dev.log');
  const log = await openLog(logFile);
  const child = spawn(
    process.execPath,
    [ownModule('src/cli/main'), 'dev', '--home', home],
    // the child has its own process group: a Ctrl-C reaches only this process, which then stops the child
    { detached: true, stdio: ['ignore', log, log, 'ipc'] },
  );
  const ready = once(child, 'message').then(() => false);
  const ended = once(child, 'exit').then(() => true);
  const hasFailed = await Promise.race([ready, ended, interrupted.then(() => false)]);
  if (hasFailed)
    throw new ForayError('PART_FAILED', 'foray dev does not start.', { hint: `See ${logFile}.` });
  return child;
}

/** Opens the file for the output of `foray dev`. If the file cannot be written, the output is dropped. */
async function openLog(file: string): Promise<number | 'ignore'> {
  try {
    await makeFolder(dirname(file));
    rotate(file);
    return openSync(file, 'a');
  } catch (error) {
    tell(`The log ${file} cannot be written: ${messageOf(error)}`);
    return 'ignore';
  }
}

async function stopParts(child: ChildProcess): Promise<void> {
  tell('Stopping everything that was started');
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

async function letGo(child: ChildProcess): Promise<void> {
  await new Promise<void>((sent) => child.send(STAY, () => sent()));
  child.disconnect();
  child.unref();
  print();
  print(`Everything keeps running; kill ${child.pid} stops everything. Try next:`);
  print(`  ${commandName()} list`);
  print(`  ${commandName()} models Epidemic`);
  print(
    `  ${commandName()} submit ${shellQuoted(relative('', ownFile('examples/rehearsal/campaign.yaml')))} --watch`,
  );
}

/** Runs the campaigns of the demo on the parts in the home, and prints the answer. */
async function runCampaigns(home: string, interrupted: Promise<unknown>): Promise<void> {
  const addresses = runningDev(home);
  // there are no addresses when a Ctrl-C came before the parts had started
  if (!addresses) return void (await interrupted);
  const foray = await Foray.open(settingsOfDev(addresses));
  try {
    // the grid is for comparison: it runs beside the search, and the search does not use it
    const grid = await submit(foray, await readSource(join(EXAMPLE, 'campaign.yaml')), {});
    const search = await submit(foray, await readSource(join(EXAMPLE, 'search.yaml')), { watch: true });
    await follow(foray, grid);
    await printAnswer(foray, search, grid);
  } finally {
    await foray.close();
  }
}

async function printAnswer(foray: Foray, searchId: string, gridId: string): Promise<void> {
  const story = await foray.story(searchId);
  if (story?.by !== 'search') return;
  const { best } = story.summary;
  const grid = await foray.results(gridId);
  const [ofGrid] = await bestRows(grid.rows, OUTPUT, 1);
  print();
  if (best) {
    const rates = RATES.map((name) => Number(best.inputs[name]));
    print(fitLine('Best fit', rates, best.value, `by the search, ${counted(story.points.length, 'point')}`));
  }
  if (ofGrid) {
    const how = `the best of ${counted(grid.record.points, 'point')}`;
    print(fitLine('Grid', ofGrid.values.map(Number), Number(ofGrid.outputs[OUTPUT]), how));
  }
  print(fitLine('Published', PUBLISHED.rates, PUBLISHED.error, 'Murray, Mathematical Biology'));
  const { record, rows } = await foray.results(searchId);
  const table = join(FOLDER, 'results.csv');
  await writeOut(formatResults('csv', record.campaign, rows), table);
  print();
  print(`Table      ${table}`);
  // the plotting library takes a moment to load
  const { renderReport } = await import('../report/html/html.ts');
  const { analysesFor } = await import('../report/of-campaign.ts');
  const report = join(FOLDER, 'report.html');
  const inputs = Object.fromEntries(RATES.map((name, at) => [name, PUBLISHED.rates[at]!]));
  const counts = await foray.counts(searchId);
  const { rows: rowsAgain } = await foray.results(searchId);
  const html = await renderReport(record, counts, rowsAgain, {
    story,
    ground: { ...(await foray.results(gridId)), known: { inputs, label: 'published' } },
    observed: { output: 'Infected', points: await observations(), label: 'in bed, as observed' },
    analyses: await analysesFor(record, (outputs) => foray.analyze(searchId, { outputs })),
  });
  await writeOut([html], report);
  print(`Report     ${report}`);
}

/**
 * A line such as "Best fit   contact rate 1.6692, recovery rate 0.4433 a day: error 17.16 pupils (by the search, 60
 * points)".
 */
function fitLine(name: string, [contact, recovery]: readonly number[], error: number, how: string): string {
  return `${name.padEnd(10)} contact rate ${contact}, recovery rate ${recovery} a day: error ${error.toFixed(2)} pupils (${how})`;
}

async function observations(): Promise<[number, number][]> {
  const text = await readFile(join(EXAMPLE, 'observed.csv'), 'utf8');
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').map(Number) as [number, number]);
}
