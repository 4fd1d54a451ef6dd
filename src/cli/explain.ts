import type { Command } from 'commander';
import type { Explanation } from '../client/index.ts';
import { print, printJson, printTable } from './output.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { withForay } from './with-foray.ts';

export function addExplain(program: Command): void {
  withSettings(program.command('explain'))
    .description('why a point is where it is: its inputs, and what is known of each of its runs')
    .argument('<id>')
    .argument('<point>', 'the key of the point, or the beginning of it')
    .option('--json', 'print {point, place, inputs, runs, precision, …}')
    .action((id: string, point: string, flags: SettingFlags & { json?: boolean }) =>
      withForay(flags, async (foray) => {
        const explanation = await foray.explain(id, point);
        if (flags.json) return printJson(explanation);
        printExplanation(explanation);
      }),
    );
}

function printExplanation(explanation: Explanation): void {
  const { campaign, phase, point, place, inputs, runs, precision, hasVersions } = explanation;
  const versionCell = (cell: string | number): string[] => (hasVersions ? [String(cell)] : []);
  const where =
    place === null ? 'not in the design any more' : `number ${place.toLocaleString('en')} of the design`;
  print(`${point}: a point of ${campaign} (${phase}), ${where}`);
  const tableOf = (isVaried: boolean): string[][] =>
    inputs
      .filter((input) => input.isVaried === isVaried)
      .map(({ name, value, units }) => [name, value, units ?? '']);
  const heads = ['input', 'value', 'units'];
  printTable('What the design varies', [heads, ...tableOf(true)]);
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
  for (const { output, confidence, wanted, n, mean, low, high, reached } of precision) {
    print();
    const half = low === null || high === null ? undefined : (high - low) / 2;
    const known =
      mean === null || half === undefined
        ? `${n} values`
        : `${n} values, mean ${digits(mean)} ± ${digits(half)}`;
    const says = reached ? 'as precise as is wanted' : 'not as precise as is wanted';
    print(`${output}: ${known} (${100 * confidence}%), ${says} (± ${wanted})`);
  }
}

function digits(number: number): string {
  return String(Number(number.toPrecision(6)));
}
