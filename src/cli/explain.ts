import type { Command } from 'commander';
import { MOST_LOGS_OF_CAUSE } from '../campaign/failures.ts';
import type { ExplainedAsk, ExplainedRun, Explanation } from '../client/index.ts';
import { ForayError } from '../errors.ts';
import { counted } from '../report/index.ts';
import { printLog } from './log.ts';
import { print, printJson, printTable } from './output.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { withForay } from './with-foray.ts';

export function addExplain(program: Command): void {
  withSettings(program.command('explain'))
    .description('why a point is where it is: its inputs, and what is known of each of its runs')
    .argument('<id>')
    .argument('<point>', 'the key of the point, or the beginning of it')
    .option('--log', 'print all that is kept of what its failed runs printed')
    .option('--command', 'print the line that repeats its failed run by hand, on the machine of the service')
    .option('--json', 'print {point, place, inputs, runs, precision, …}')
    .action((id: string, point: string, flags: Flags) =>
      withForay(flags, async (foray) => {
        const explanation = await foray.explain(id, point);
        if (flags.json) return printJson(explanation);
        if (flags.command) return printCommands(explanation);
        if (flags.log) {
          if (!explanation.runs.some(({ state, log }) => state === 'failed' || log))
            print('None of its runs has failed.');
          return printLogs(explanation.runs, Infinity);
        }
        printExplanation(explanation);
      }),
    );
}

interface Flags extends SettingFlags {
  log?: boolean;
  command?: boolean;
  json?: boolean;
}

/** Lines of each run's log that are shown without --log. */
const SHOWN_LINES = 12;

function printCommands({ point, runs }: Explanation): void {
  // the service keeps the last failed runs of all campaigns: those of the newest are there longest
  const newestFirst = runs.toSorted((a, b) => (b.finished ?? '').localeCompare(a.finished ?? ''));
  const commands = newestFirst.flatMap(({ log }) => log?.command ?? []);
  if (commands.length === 0) {
    throw new ForayError(
      'RUN_NOT_KEPT',
      `No failed run of the point ${point} can be repeated by hand: none is kept.`,
      {
        hint: 'Start the model service with --keep-failed DIR (foray dev takes it as well), and run it once more with "foray retry".',
      },
    );
  }
  for (const command of commands) print(command);
}

/** What failed runs printed, each after the reason. */
function printLogs(runs: readonly ExplainedRun[], lines: number): void {
  for (const { replication, why, log } of runs) {
    if (!log) continue;
    print();
    print(`Replication ${replication}. ${why}`);
    printLog(log, { lines });
  }
  const without = runs.filter(({ state, run, log }) => state === 'failed' && run !== null && !log);
  if (without.length === 0) return;
  print();
  print(
    `What was printed is not kept of replication ${without.map(({ replication }) => replication).join(', ')}: it printed nothing, the service does not tell, or ${MOST_LOGS_OF_CAUSE} runs had failed like that before.`,
  );
}

function printExplanation(explanation: Explanation): void {
  const { campaign, phase, point, place, inputs, runs, precision, hasVersions, asks } = explanation;
  const versionCell = (cell: string | number): string[] => (hasVersions ? [String(cell)] : []);
  const where =
    place === null
      ? 'not in the design any more'
      : `number ${place.toLocaleString('en')} of the ${asks.length > 0 ? 'points that were asked' : 'design'}`;
  print(`${point}: a point of ${campaign} (${phase}), ${where}`);
  const tableOf = (isVaried: boolean): string[][] =>
    inputs
      .filter((input) => input.isVaried === isVaried)
      .map(({ name, value, file, units }) => [name, file ?? value, units ?? '']);
  const heads = ['input', 'value', 'units'];
  for (const ask of asks) print(askText(ask));
  printTable(asks.length > 0 ? 'What the search varies' : 'What the design varies', [
    heads,
    ...tableOf(true),
  ]);
  printTable('What is the same in all points', [heads, ...tableOf(false)]);
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
  const earlier = runs.flatMap(({ replication, earlier }) =>
    earlier.map(({ failed, version, reason }) => [
      String(replication),
      failed ?? '',
      ...versionCell(version),
      reason,
    ]),
  );
  printTable('Earlier attempts that failed', [
    ['replication', 'failed', ...versionCell('version'), 'reason'],
    ...earlier,
  ]);
  printLogs(runs, SHOWN_LINES);
  for (const { output, of, confidence, wanted, n, mean, low, high, reached } of precision) {
    print();
    const known =
      mean === null || low === null || high === null
        ? `${n} values`
        : of === 'share'
          ? `${n} values, share ${percent(mean)}, interval ${percent(low)} to ${percent(high)}`
          : `${n} values, ${of} ${digits(mean)} ± ${digits((high - low) / 2)}`;
    const says = reached ? 'as precise as is wanted' : 'not as precise as is wanted';
    print(`${output}: ${known} (${100 * confidence}%), ${says} (± ${wanted})`);
  }
}

/** "Ask 12, by generation 2. The method knew 8 asks, the best value 18.2. It was told 17.9 (3 runs)." */
function askText({ ask, by, seen, bestSeen, told }: ExplainedAsk): string {
  const best = bestSeen === null ? 'none of which was feasible' : `the best of which was ${digits(bestSeen)}`;
  const knew = seen === 0 ? 'no value yet' : `the values of the first ${counted(seen, 'ask')}, ${best}`;
  return `Ask ${ask}, by ${by}. The method knew ${knew}. ${toldText(told)}`;
}

function toldText(told: ExplainedAsk['told']): string {
  if (!told) return 'It was not told of the point yet.';
  const { value, runs, isFeasible } = told;
  if (value === null) return 'It was told that the point failed.';
  const feasible = isFeasible ? '' : ', which does not meet the requirements';
  return `It was told ${digits(value)} (${counted(runs, 'run')})${feasible}.`;
}

function percent(share: number): string {
  return `${digits(100 * share)} %`;
}

function digits(number: number): string {
  return String(Number(number.toPrecision(6)));
}
