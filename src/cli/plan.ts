import { type Command, InvalidArgumentError } from 'commander';
import { steps } from '../campaign/strategy.ts';
import type { DefinitionSource, Foray, Plan } from '../client/index.ts';
import { print, printJson, printTable, tell } from './output.ts';
import { counted, plannedPoints, strategyWords } from '../report/index.ts';
import { duration, ProgressLine } from './progress-line.ts';
import { positive, type SettingFlags, withSettings } from './setting-options.ts';
import { readSource } from './source.ts';
import { withForay } from './with-foray.ts';

interface Flags extends SettingFlags {
  all?: boolean;
  runSeconds?: number;
  json?: boolean;
}

/** Progress is shown after this time, ms. */
const PROGRESS_AFTER_MS = 2_000;
const UNKNOWN_TIME = 'unknown: no campaign of this store has run this version; give --run-seconds';

export function addPlan(program: Command): void {
  withSettings(program.command('plan'))
    .description('show points, runs, reusable results and expected time of a definition; starts nothing')
    .argument('<file>', 'the definition: YAML, JSON or a module that exports it; - reads standard input')
    .option('--all', 'look up every run at the service, even beyond 10,000 runs')
    .option('--run-seconds <seconds>', 'duration of one run (default: from earlier campaigns)', seconds)
    .option('--json', 'print {points, runs, there, toRun, expectedSeconds, …}')
    .action(async (file: string, flags: Flags) => {
      const source = await readSource(file);
      // a plan creates no store: if there is none, no campaign has run, so an empty store in memory is enough
      const needs = { store: 'in-memory', service: true } as const;
      await withForay(flags, (foray) => plan(foray, source, flags), needs);
    });
}

async function plan(foray: Foray, source: DefinitionSource, { all, runSeconds, json }: Flags): Promise<void> {
  const line = new ProgressLine();
  const begun = Date.now();
  const onAsked = (asked: number, of: number): void => {
    if (Date.now() - begun < PROGRESS_AFTER_MS) return;
    line.update(`Asked the service about ${number(asked)} of ${number(of)} runs`);
  };
  const planned = await foray.plan(source, { all, runSeconds, onAsked });
  line.clear();
  if (json) return printJson(planned);
  printPlan(planned);
}

function printPlan(plan: Plan): void {
  const { campaign, model, points, replications, goal, inputs, first, last, strategy } = plan;
  print(`${campaign}: ${model.name} (version ${model.version})`);
  const { min, max } = replications;
  const words = strategyWords(strategy);
  // a search or a calibration chooses its points while it runs
  const isFound = steps[strategy.by] === 'points';
  const rows = [
    ...(goal ? [['goal', `${goal.wants} ${goal.output}`]] : []),
    ...plan.design.map((text) => ['design', text]),
    ...words.facts(plan),
    ['points', plannedPoints(plan)],
    ['replications', `${min === max ? number(min) : `${number(min)} to ${number(max)}`}${words.more(plan)}`],
    ['runs', words.runs(plan)],
    ...(plan.foreseen ? [['foreseen', foreseenText(plan.foreseen)]] : []),
    ...(isFound ? [] : [['there', thereText(plan)]]),
    ...(isFound ? [] : [['to run', toRunText(plan)]]),
    ['expected', timeText(plan) ?? UNKNOWN_TIME],
  ];
  for (const [name, value] of rows) print(`  ${name!.padEnd(12)}  ${value}`);
  if (inputs.length > 0 && !isFound) {
    const skipped = points - first.length - last.length;
    const gap = skipped > 0 ? [['…', ...inputs.map(() => '')]] : [];
    const rowsOf = (shown: Plan['first']): string[][] => shown.map(({ key, values }) => [key, ...values]);
    printTable('First and last points', [['point', ...inputs], ...rowsOf(first), ...gap, ...rowsOf(last)]);
  }
  for (const warning of plan.warnings) tell(`warning: ${warning}`);
}

/** A plan in one line, such as: 41 points, 2 replications, 82 runs: 40 there, 42 to run, about 42 s (as in flu-1). */
export function planLine(plan: Plan): string {
  const line = strategyWords(plan.strategy).line(plan);
  if (line !== null) return line;
  const { points, repeats, mostPoints, replications, runs, mostRuns, toRun } = plan;
  const { min, max } = replications;
  const different =
    repeats > 0
      ? `${number(points + repeats)} points, ${number(points)} of them different`
      : counted(points, 'point');
  const perPoint = min === max ? counted(min, 'replication') : `${min} to ${max} replications`;
  const parts = [
    points === mostPoints ? different : `${number(points)} to ${counted(mostPoints, 'point')}`,
    ...(max === 1 ? [] : [perPoint]),
    runs === mostRuns ? counted(runs, 'run') : `${number(runs)} to ${number(mostRuns)} runs`,
  ];
  const time = timeText(plan);
  const about = plan.error > 0 ? 'about ' : '';
  return `${parts.join(', ')}: ${about}${number(plan.there)} there, ${about}${number(toRun)} to run${time ? `, ${time}` : ''}`;
}

function thereText({ there, runs, asked, error }: Plan): string {
  if (asked === runs) return number(there);
  // the plan of a fresh campaign asks about no run
  if (error === 0) return `${number(there)} (nothing is reused)`;
  return `about ${number(there)} ± ${number(error)} (from a sample of ${number(asked)}; --all asks about every run)`;
}

function foreseenText({ runs, points }: NonNullable<Plan['foreseen']>): string {
  return `about ${number(runs)} runs, from the variance of ${counted(points, 'point')} at the service`;
}

function toRunText({
  replications,
  foreseen,
  there,
  toRun,
  error,
  strategy,
  points,
  mostPoints,
}: Plan): string {
  const isKnown = replications.min === replications.max && strategy.by !== 'selection';
  if (isKnown && points === mostPoints) return `${error > 0 ? 'about ' : ''}${number(toRun)}`;
  if (foreseen) return `about ${number(Math.max(0, foreseen.runs - there))}`;
  return `at least ${error > 0 ? 'about ' : ''}${number(toRun)}`;
}

function timeText({ expectedSeconds, mostSeconds, foreseen, strategy, basis }: Plan): string | undefined {
  if (expectedSeconds === null) return undefined;
  if (mostSeconds === expectedSeconds || mostSeconds === null)
    return expectedSeconds === 0 ? 'no time' : `about ${duration(expectedSeconds)} (${basis})`;
  // a search may end before its limit
  const least = foreseen || strategy.by === 'search' ? 'about' : 'at least';
  return `${least} ${duration(expectedSeconds)}, at most ${duration(mostSeconds)} (${basis})`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}

/** Unlike a rate, a duration is finite. */
function seconds(text: string): number {
  const value = positive(text);
  if (value < Infinity) return value;
  throw new InvalidArgumentError('Expected a number above 0.');
}
