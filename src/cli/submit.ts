import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { type DefinitionSource, type Foray, whyUnreadable } from '../client/index.ts';
import { ForayError } from '../errors.ts';
import { print, printJson, tell } from './output.ts';
import { type SettingFlags, withSettings } from './settings.ts';
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
  const { id, points, runs, url, isNew } = submitted;
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

async function readSource(file: string): Promise<DefinitionSource> {
  if (file === '-') return { text: await text(process.stdin), file: '<stdin>' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file)), file };
  } catch (error) {
    const why = error instanceof TypeError ? 'is not UTF-8 text' : whyUnreadable(error);
    throw new ForayError('DEFINITION_UNREADABLE', `The definition "${file}" ${why}.`);
  }
}
