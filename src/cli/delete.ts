import type { Command } from 'commander';
import { isClosed } from '../client/index.ts';
import { counted } from '../report/index.ts';
import { type AskingFlags, isConfirmed, tellPlan } from './confirm.ts';
import { print, printJson } from './output.ts';
import { withSettings } from './setting-options.ts';
import { withForay } from './with-foray.ts';

export function addDelete(program: Command): void {
  withSettings(program.command('delete'))
    .description('delete a finished campaign with its points, runs and results')
    .argument('<id>')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print {id, phase, points, runs}')
    .action((id: string, flags: AskingFlags) =>
      withForay(flags, async (foray) => {
        const status = await foray.status(id);
        const { phase, points, runs } = status;
        const what = `${id} (${phase}): ${counted(points, 'point')}, ${counted(runs.done + runs.failed, 'result')}`;
        tellPlan(flags, what);
        // the deletion of an open campaign will be refused, so it needs no question
        if (isClosed(status) && !(await isConfirmed(flags, 'Delete this campaign?'))) return;
        await foray.delete(id);
        if (flags.json) printJson({ id, phase, points, runs: runs.total });
        else print(`Deleted ${id}. "foray gc" frees its disk space.`);
      }),
    );
}
