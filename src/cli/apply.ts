import type { Command } from 'commander';
import type { DefinitionSource, Difference, Foray } from '../client/index.ts';
import { counted } from '../report/index.ts';
import { type AskingFlags, isConfirmed, tellPlan } from './confirm.ts';
import { print, printJson } from './output.ts';
import { withSettings } from './setting-options.ts';
import { readSource } from './source.ts';
import { untilChanged } from './until-changed.ts';
import { withForay } from './with-foray.ts';

export function addApply(program: Command): void {
  withSettings(program.command('apply'))
    .description('change a campaign to match a definition; the campaign keeps its id and its results')
    .argument('<id>')
    .argument('<file>', 'the definition: YAML, JSON or a module that exports it; - reads standard input')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print {difference, forgiven, open, wasClosed}')
    .action(async (id: string, file: string, flags: AskingFlags) => {
      const source = await readSource(file);
      await withForay(flags, (foray) => apply(foray, id, source, flags), { service: true });
    });
}

async function apply(foray: Foray, id: string, source: DefinitionSource, flags: AskingFlags): Promise<void> {
  const difference = await foray.compare(id, source);
  if (isNothing(difference)) {
    if (flags.json) printJson({ difference, forgiven: 0, open: 0, wasClosed: false });
    else print(`There is nothing to change in ${id}.`);
    return;
  }
  tellPlan(flags, described(difference));
  if (!(await isConfirmed(flags, 'Apply this change?'))) return;
  const change = await untilChanged(foray, id, foray.apply(id, source));
  if (flags.json) return printJson({ ...change, difference });
  print(`${id} is changed${change.wasClosed ? ' and continues' : ''}: ${counted(change.open, 'run')} open.`);
}

function isNothing({ points, replications, outputs, settings, version }: Difference): boolean {
  const { from, to } = replications;
  const changes = [outputs.added, outputs.dropped, settings].flat();
  return (
    points.added === 0 && points.dropped === 0 && from === to && changes.length === 0 && version === null
  );
}

/**
 * Describes a difference in one line, such as: 20 points added, 5 dropped, 80 kept; replications 1 → 3; output "Cost"
 * added; changed: concurrency
 */
function described({ points, replications, outputs, settings, version }: Difference): string {
  const { added, dropped, kept } = points;
  const { from, to } = replications;
  return [
    // all counts are 0 for a search or a calibration, because it chooses its points itself
    ...(added + dropped + kept > 0
      ? [`${counted(added, 'point')} added, ${dropped} dropped, ${kept} kept`]
      : []),
    ...(from === to ? [] : [`replications ${from} → ${to}`]),
    ...outputs.added.map((name) => `output "${name}" added`),
    ...outputs.dropped.map((name) => `output "${name}" dropped`),
    ...(settings.length > 0 ? [`changed: ${settings.join(', ')}`] : []),
    ...(version
      ? [
          `version ${version.from} → ${version.to} for failed runs and for runs that were never requested; failed runs are requested again, and the other runs keep their version`,
        ]
      : []),
  ].join('; ');
}
