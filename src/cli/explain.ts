import type { Command } from 'commander';
import { MOST_LOGS_OF_CAUSE } from '../campaign/failures.ts';
import type { ExplainedAsk, ExplainedRun, Explanation } from '../client/index.ts';
import { ForayError } from '../errors.ts';
import { counted, precisionText } from '../report/index.ts';
import { printLog } from './log.ts';
import { print, printJson, printTable } from './output.ts';
import { type SettingFlags, withSettings } from './setting-options.ts';
import { withForay } from './with-foray.ts';

/** Without --log, this many lines of each run's log are shown. */
const SHOWN_LINES = 12;

interface Flags extends SettingFlags {
  log?: boolean;
  command?: boolean;
  json?: boolean;
}

export function addExplain(program: Command): void {
  withSettings(program.command('explain'))
    .description('explain the state of a point: its inputs and the history of its runs')
    .argument('<id>')
    .argument('<point>', 'the key of the point, or its first characters')
    .option('--log', 'print the stored output of the failed runs of the point')
    .option(
      '--command',
      'print the commands that repeat the failed runs of the point on the machine of the service',
    )
    .option('--json', 'print {point, place, inputs, runs, precision, …}')
    .action((id: string, point: string, flags: Flags) =>
      withForay(flags, async (foray) => {
        const explanation = await foray.explain(id, point);
        if (flags.json) return printJson(explanation);
        if (flags.command) return printCommands(explanation);
        if (!flags.log) return printExplanation(explanation);
        if (!explanation.runs.some(hasFailed)) print('No run of the point has failed.');
        printLogs(explanation.runs, Infinity);
      }),
    );
}

function printCommands({ point, runs }: Explanation): void {
  // newest first, because the service deletes the oldest failed runs of all campaigns first
  const newestFirst = runs.toSorted((a, b) => (b.finished ?? '').localeCompare(a.finished ?? ''));
  const commands = newestFirst.flatMap(({ log }) => log?.command ?? []);
  if (commands.length === 0) {
    throw new ForayError(
      'RUN_NOT_KEPT',
      `No failed run of the point ${point} can be repeated by hand: the service has kept no failed run of the point.`,
      {
        hint: 'Start the model service or foray dev with --keep-failed DIR, and request the run again with "foray retry".',
      },
    );
  }
  for (const command of commands) print(command);
}

/** Prints the logs of failed attempts, each after a sentence about the state of its run. */
function printLogs(runs: readonly ExplainedRun[], lines: number): void {
  for (const { replication, why, log } of runs) {
    if (!log) continue;
    print();
    print(`Replication ${replication}. ${why}`);
    printLog(log, { lines });
  }
  // an attempt without an id has no log: the service has refused it, or has not answered yet
  const without = runs.filter((run) => hasFailed(run) && run.run !== null && !run.log);
  if (without.length === 0) return;
  print();
  print(
    `No log is stored for replication ${without.map(({ replication }) => replication).join(', ')}: the run printed nothing, the service sends no logs, or ${MOST_LOGS_OF_CAUSE} runs had failed in the same way before.`,
  );
}

/** Whether an attempt of a run has failed. */
function hasFailed({ state, log, earlier }: ExplainedRun): boolean {
  return state === 'failed' || log !== null || earlier.length > 0;
}

function printExplanation(explanation: Explanation): void {
  const { campaign, phase, point, place, inputs, runs, precision, hasVersions, asks } = explanation;
  const versionCell = (cell: string | number): string[] => (hasVersions ? [String(cell)] : []);
  const where =
    place === null
      ? 'no longer in the design'
      : `number ${place.toLocaleString('en')} of the ${asks.length > 0 ? 'points that were asked for' : 'design'}`;
  print(`${point}: a point of ${campaign} (${phase}), ${where}`);
  const inputTable = (isVaried: boolean): string[][] => [
    ['input', 'value', 'units'],
    ...inputs
      .filter((input) => input.isVaried === isVaried)
      .map(({ name, value, file, units }) => [name, file ?? value, units ?? '']),
  ];
  for (const ask of asks) print(askText(ask));
  printTable(`Inputs that the ${asks[0]?.of ?? 'design'} varies`, inputTable(true));
  printTable('Inputs that are the same in all points', inputTable(false));
  printTable('Runs', [
    ['replication', 'state', ...versionCell('version'), 'seed', 'requested', 'finished', 'why'],
    ...runs.map(({ replication, state, version, seed, requested, finished, why }) => [
      String(replication),
      state,
      ...versionCell(version),
      seed ?? '',
      requested ?? '',
      finished ?? '',
      why,
    ]),
  ]);
  printTable('Earlier attempts that failed', [
    ['replication', 'failed', ...versionCell('version'), 'reason'],
    ...runs.flatMap(({ replication, earlier }) =>
      earlier.map(({ failed, version, reason }) => [
        String(replication),
        failed ?? '',
        ...versionCell(version),
        reason,
      ]),
    ),
  ]);
  printLogs(runs, SHOWN_LINES);
  for (const one of precision) {
    print();
    print(precisionText(one));
  }
}

/**
 * Describes an ask, which is the choice of a point by a search. An example: "Ask 12, by generation 2. The method knew
 * the values of the first 8 asks (the best value was 18.2). It was told 17.9 (3 runs)." For a calibration: "… The
 * method knew the distances of the first 8 asks. It was told the distance 17.9 (1 run)."
 */
function askText({ of, ask, by, seen, bestSeen, told, isOutside }: ExplainedAsk): string {
  const [plural, word] = of === 'search' ? ['values', 'value'] : ['distances', 'distance'];
  const best = bestSeen === null ? 'no point was feasible' : `the best value was ${digits(bestSeen)}`;
  const known = `the ${plural} of the first ${counted(seen, 'ask')}`;
  const knew = seen === 0 ? `no ${word} yet` : of === 'search' ? `${known} (${best})` : known;
  const outside = isOutside ? ' The bounds have become narrower, and the point now lies outside them.' : '';
  return `Ask ${ask}, by ${by}. The method knew ${knew}. ${toldText(of, told)}${outside}`;
}

function toldText(of: ExplainedAsk['of'], told: ExplainedAsk['told']): string {
  if (!told) return 'The method has no result of the point yet.';
  const { value, runs, isFeasible, failure } = told;
  if (value === null)
    return `It was told that the point failed${failure === null ? '' : `, because ${failure}`}.`;
  const feasible = isFeasible ? '' : ', which does not meet the requirements';
  return `It was told ${of === 'search' ? '' : 'the distance '}${digits(value)} (${counted(runs, 'run')})${feasible}.`;
}

function digits(number: number): string {
  return String(Number(number.toPrecision(6)));
}
