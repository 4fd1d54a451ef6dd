import type { Command } from 'commander';
import type { Foray } from '../client/index.ts';
import { print, printJson, tell } from './output.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { readSource } from './source.ts';
import { follow } from './watch.ts';
import { withForay } from './with-foray.ts';

interface Flags extends SettingFlags {
  id?: string;
  watch?: boolean;
  json?: boolean;
}

export function addSubmit(program: Command): void {
  withSettings(program.command('submit'))
    .description('check a definition whole and start its campaign')
    .argument('<file>', 'the definition, YAML or JSON; - reads standard input')
    .option('--id <id>', "the campaign's id (default: the definition's name and a short suffix)")
    .option('--watch', 'stay until the campaign is over; exit code 1 if it fails or is cancelled')
    .option('--json', 'print {id, workflowId, runId, url, …}')
    .action(async (file: string, flags: Flags) => {
      await withForay(flags, (foray) => submit(foray, file, flags));
    });
}

/** Submits the definition in a file, and follows the campaign with `watch`. Returns the campaign's id. */
export async function submit(
  foray: Foray,
  file: string,
  { id: wanted, watch, json }: Pick<Flags, 'id' | 'watch' | 'json'>,
): Promise<string> {
  const submitted = await foray.submit(await readSource(file), { id: wanted });
  const { id, points, runs, url, isNew, warning } = submitted;
  if (warning) tell(warning);
  if (json) {
    printJson(submitted);
  } else {
    print(`${isNew ? 'Submitted' : 'Already submitted:'} ${id}: ${points} points, ${runs} runs`);
    print(`Web UI: ${url}`);
    if (!watch) tell(`Follow it with: npx foray watch ${id}`);
  }
  if (watch) await follow(foray, id);
  return id;
}
