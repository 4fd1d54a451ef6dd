import type { Command } from 'commander';
import { resolve } from 'node:path';
import { endWithParent, tellReady } from '../dev/lifeline.ts';
import { serveWithoutOutput } from './lost-output.ts';
import { print, tell } from './output.ts';
import { settingsOfDev } from '../settings/settings.ts';
import { homeOption, keepFailedOption, modelsOption, wholeNumber } from './setting-options.ts';
import { untilSignalled } from './signals.ts';
import { commandName } from './command-name.ts';

interface Flags {
  home: string;
  models: string[];
  port?: number;
  keepFailed?: string;
}

export function addDev(program: Command): void {
  program
    .command('dev')
    .description('start Temporal with its Web UI, the model service, a worker and the page in one terminal')
    .addOption(homeOption())
    .addOption(modelsOption())
    .option(
      '--port <port>',
      'port of the model service; 0 takes a free port (default: the last port of this home if it is free, then 8090, then a free port)',
      wholeNumber(0, 65_535),
    )
    .addOption(keepFailedOption())
    .action(async (flags: Flags) => {
      endWithParent();
      serveWithoutOutput();
      // what this process and its parts write is for this user only: the home has keys, results and Temporal's data
      process.umask(0o077);
      const signalled = untilSignalled();
      const { startStack } = await import('../dev/stack.ts');
      const stack = await startStack(resolve(flags.home), tell, {
        ...flags,
        ...(flags.keepFailed !== undefined && { keepFailed: resolve(flags.keepFailed) }),
      });
      const { temporal, service } = stack.addresses;
      print(`Page           ${stack.page}`);
      print(`Web UI         ${temporal.webUi}`);
      print(`Temporal       ${temporal.address} (process ${stack.pids.temporal})`);
      print(`Model service  ${service.url} (process ${stack.pids.service})`);
      print(`Worker         process ${stack.pids.worker}`);
      print(`Home           ${flags.home} (data, logs, addresses)`);
      print(
        `Ready. Submit a campaign from another terminal: ${commandName()} submit FILE. Ctrl-C stops everything.`,
      );
      tellReady();
      const { tellBlocked } = await import('./tell-blocked.ts');
      const endTelling = await tellBlocked(settingsOfDev(stack.addresses), tell);
      await signalled;
      tell('Stopping');
      await endTelling();
      await stack.stop();
    });
}
