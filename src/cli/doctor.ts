import type { Command } from 'commander';
import { printableLine } from '../text/printable.ts';
import type { Check } from './doctor/check.ts';
import { checkClock, checkDisks, checkHome, checkNode, checkPage, checkStore } from './doctor/machine.ts';
import { checkService, ownIds } from './doctor/service.ts';
import { print, printJson } from './output.ts';
import { settingsFrom } from '../settings/settings.ts';
import { type SettingFlags, withSettings } from './setting-options.ts';

const STATE_WIDTH = 'warning'.length;
const PART_WIDTH = 'search attributes'.length;

export function addDoctor(program: Command): void {
  withSettings(program.command('doctor'))
    .description('check each part of this installation; exit code 1 if a part fails')
    .option('--json', 'print {healthy, parts}')
    .action(async (flags: SettingFlags & { json?: boolean }) => {
      const parts: Check[] = [];
      for await (const check of checks(flags)) {
        parts.push(check);
        if (!flags.json) print(lineOf(check));
      }
      const healthy = parts.every(({ state }) => state !== 'failed');
      if (flags.json) printJson({ healthy, parts });
      if (!healthy) process.exitCode = 1;
    });
}

async function* checks(flags: SettingFlags): AsyncGenerator<Check, void, void> {
  const settings = settingsFrom(flags);
  yield checkNode();
  yield checkHome(flags);
  const { checkTemporal, hasWorkers } = await import('./doctor/temporal.ts');
  const temporal = await checkTemporal(settings, await ownIds(settings));
  yield* temporal;
  yield* await checkService(settings);
  yield await checkStore(flags, settings, hasWorkers(temporal));
  const { checkCampaigns } = await import('./doctor/campaigns.ts');
  yield await checkCampaigns(settings);
  yield* await checkPage(flags);
  yield* checkDisks(flags, settings);
  // without Temporal, the server at the usual address of its Web UI may belong to somebody else
  const isReached = temporal.some(({ part, state }) => part === 'Temporal' && state === 'ok');
  yield await checkClock(settings.service.url, isReached ? settings.webUi : undefined);
}

function lineOf({ part, state, message, advice }: Check): string {
  const what = advice === '' ? message : `${message} ${advice}`;
  return `${state.padEnd(STATE_WIDTH)}  ${part.padEnd(PART_WIDTH)}  ${printableLine(what)}`;
}
