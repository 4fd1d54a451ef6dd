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
import { makeFolder } from '../file-system.ts';
import { ownFile, ownModule } from '../own-files.ts';
import { bestRows, formatResults } from '../report/index.ts';
import { shellQuoted } from '../shell-quoted.ts';
import { print, tell, writeOut } from './output.ts';
import { DEFAULT_TASK_QUEUE, userName } from '../settings/settings.ts';
import { homeOption } from './settings.ts';
import { untilSignalled } from './signals.ts';
import { submit } from './submit.ts';
import { commandName } from './command-name.ts';

const EXAMPLE = ownFile('examples/boarding-school-flu');
const FOLDER = 'foray-demo';
const OUTPUT = 'Fit error';
/** J. D. Murray, Mathematical Biology: the fit to this outbreak. The error is that of the same model at these rates. */
const PUBLISHED = { contactRate: '1.663', recoveryRate: '0.440', error: '17.22' };
const INTERRUPTED = 130;

export function addDemo(program: Command): void {
  program
    .command('demo')
    .description('everything embedded, one campaign, its answer; then all of it is stopped')
    .addOption(homeOption())
    .option('--keep', 'leave everything running')
    .action(async (flags: { home: string; keep?: boolean }) => {
      const interrupted = untilSignalled().then(() => 'interrupted' as const);
      const parts = await startParts(resolve(flags.home), interrupted);
      let isKept = false;
      try {
        const ended = await Promise.race([interrupted, campaign(resolve(flags.home), interrupted)]);
        if (ended === 'interrupted') process.exitCode = INTERRUPTED;
        else isKept = flags.keep ?? false;
      } finally {
        if (parts) await (isKept ? letGo(parts) : stopParts(parts));
      }
      // what an interrupted campaign's client still waits for is not worth waiting for
      if (process.exitCode === INTERRUPTED) process.exit();
    });
}

/** Starts `foray dev` as a child, or finds that one runs in this home already (undefined then). */
async function startParts(home: string, interrupted: Promise<unknown>): Promise<ChildProcess | undefined> {
  const known = runningDev(home);
  if (known) {
    tell(`Using the foray dev that runs in ${relative('', home)} (process ${known.pid})`);
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
    // a process group of its own: a Ctrl-C reaches only us, and we stop it
    { detached: true, stdio: ['ignore', log, log, 'ipc'] },
  );
  const ready = once(child, 'message').then(() => true);
  const ended = once(child, 'exit').then(() => false);
  const isReady = await Promise.race([ready, ended, interrupted.then(() => true)]);
  if (!isReady) throw new ForayError('PART_FAILED', 'foray dev does not start.', { hint: `See ${logFile}.` });
  return child;
}

/** Where the output of `foray dev` goes: nowhere, if the log cannot be written. */
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
  print(`Everything goes on running; kill ${child.pid} stops it. Go on with:`);
  print(`  ${commandName()} list`);
  print(`  ${commandName()} models Epidemic`);
  print(
    `  ${commandName()} submit ${shellQuoted(relative('', ownFile('examples/rehearsal/campaign.yaml')))} --watch`,
  );
}

/** The demo is about the embedded parts, whatever the user's settings say of others. */
async function campaign(home: string, interrupted: Promise<unknown>): Promise<void> {
  const addresses = runningDev(home);
  // without addresses the parts have not started, as somebody pressed Ctrl-C
  if (!addresses) return void (await interrupted);
  const { service, store, temporal } = addresses;
  const foray = await Foray.open({
    service,
    store,
    taskQueue: process.env.FORAY_TASK_QUEUE || DEFAULT_TASK_QUEUE,
    owner: userName(),
    temporal: { connectionOptions: { address: temporal.address }, namespace: 'default' },
    webUi: temporal.webUi,
  });
  try {
    const id = await submit(foray, join(EXAMPLE, 'campaign.yaml'), { watch: true });
    await answer(foray, id);
  } finally {
    await foray.close();
  }
}

async function answer(foray: Foray, id: string): Promise<void> {
  const { record, rows } = await foray.results(id);
  const best = await bestRows(rows, OUTPUT, 5);
  const names = record.campaign.varied.map(({ name }) => name);
  print();
  print('Best points');
  print(`  ${[...names, OUTPUT].join('  ')}`);
  for (const row of best) {
    const cells = [...row.values, Number(row.outputs[OUTPUT]).toFixed(2)];
    print(`  ${cells.map((cell, at) => cell.padStart([...names, OUTPUT][at]!.length)).join('  ')}`);
  }
  const [first] = best;
  if (first) {
    print();
    print(
      `Best fit   contact rate ${first.values[0]}, recovery rate ${first.values[1]} a day: error ${Number(first.outputs[OUTPUT]).toFixed(2)} pupils`,
    );
    print(
      `Published  contact rate ${PUBLISHED.contactRate}, recovery rate ${PUBLISHED.recoveryRate} a day: error ${PUBLISHED.error} pupils (Murray, Mathematical Biology)`,
    );
  }
  const table = join(FOLDER, 'results.csv');
  await writeOut(formatResults('csv', record.campaign, (await foray.results(id)).rows), table);
  print();
  print(`Table      ${table}`);
  const { renderReport } = await import('../report/html.ts');
  const report = join(FOLDER, 'report.html');
  const observed = { output: 'Infected', points: await observations(), label: 'in bed, as observed' };
  const html = await renderReport(record, await foray.counts(id), (await foray.results(id)).rows, {
    show: [OUTPUT],
    observed,
  });
  await writeOut([html], report);
  print(`Report     ${report}`);
}

async function observations(): Promise<[number, number][]> {
  const text = await readFile(join(EXAMPLE, 'observed.csv'), 'utf8');
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').map(Number) as [number, number]);
}
