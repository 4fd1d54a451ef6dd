import type { Command } from 'commander';
import type { DefinitionSource, Foray, Plan } from '../client/index.ts';
import { ForayError } from '../errors.ts';
import { counted } from '../report/index.ts';
import { print, printJson, tell } from './output.ts';
import { planLine } from './plan.ts';
import { type SettingFlags, wholeNumber, withSettings } from './setting-options.ts';
import { readSource } from './source.ts';
import { follow } from './watch.ts';
import { withForay } from './with-foray.ts';
import { commandName } from './command-name.ts';

interface Flags extends SettingFlags {
  id?: string;
  watch?: boolean;
  maxRuns?: number;
  yes?: boolean;
  json?: boolean;
}

/** Maximum number of runs that are submitted without --yes. */
const MAX_RUNS = 10_000;

export function addSubmit(program: Command): void {
  withSettings(program.command('submit'))
    .description('check a definition and start its campaign')
    .argument('<file>', 'the definition: YAML, JSON or a module that exports it; - reads standard input')
    .option('--id <id>', "the campaign's id (default: the definition's name and a short suffix)")
    .option(
      '--max-runs <number>',
      `refuse more runs than this without --yes (default: ${MAX_RUNS})`,
      wholeNumber(1),
    )
    .option('--yes', 'start any number of runs')
    .option('--watch', 'watch until the campaign ends; exit code 1 if it fails or is cancelled')
    .option('--json', 'print {id, workflowId, runId, url, …}')
    .action(async (file: string, flags: Flags) => {
      const source = await readSource(file);
      const needs = { store: 'make', service: true } as const;
      await withForay(flags, (foray) => submit(foray, source, flags), needs);
    });
}

/** Submits a definition, and follows the campaign with `watch`. Returns the campaign's id. */
export async function submit(
  foray: Foray,
  source: DefinitionSource,
  { id: wanted, watch, maxRuns = MAX_RUNS, yes = false, json }: Omit<Flags, keyof SettingFlags>,
): Promise<string> {
  const announce = (plan: Plan): void => {
    tell(planLine(plan));
    for (const warning of plan.warnings) tell(`warning: ${warning}`);
    // comparisons of points usually need far fewer runs than their upper limits, so these limits are not used here
    const most = plan.usualRuns;
    if (most <= maxRuns || yes) return;
    const runs = most.toLocaleString('en');
    throw new ForayError(
      'TOO_MANY_RUNS',
      `The campaign ${plan.runs < most ? 'may need' : 'has'} ${runs} runs, more than ${maxRuns.toLocaleString('en')}.`,
      { hint: 'Nothing was started. Add --yes to submit it, or raise --max-runs.' },
    );
  };
  const submitted = await foray.submit(source, { id: wanted, announce });
  const { id, points, runs, url, isNew, warning } = submitted;
  if (warning) tell(warning);
  if (json) {
    printJson(submitted);
  } else {
    const size =
      runs === 0
        ? 'the campaign chooses its points itself'
        : `${counted(points, 'point')}, ${counted(runs, 'run')}`;
    print(`${isNew ? 'Submitted' : 'Already submitted:'} ${id}: ${size}`);
    print(`Web UI: ${url}`);
    if (!watch) tell(`Follow it with: ${commandName()} watch ${id}`);
  }
  if (watch) await follow(foray, id);
  return id;
}
