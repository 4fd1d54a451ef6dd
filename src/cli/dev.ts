import type { Command } from 'commander';
import { resolve } from 'node:path';
import { endWithParent, tellReady } from '../dev/lifeline.ts';
import { serveWithoutOutput } from './lost-output.ts';
import { print, tell } from './output.ts';
import { homeOption, modelsOption } from './settings.ts';
import { untilSignalled } from './signals.ts';

export function addDev(program: Command): void {
  program
    .command('dev')
    .description('Temporal with its Web UI, the model service and a worker in one terminal')
    .addOption(homeOption())
    .addOption(modelsOption())
    .action(async (flags: { home: string; models: string[] }) => {
      endWithParent();
      serveWithoutOutput();
      const signalled = untilSignalled();
      await checkModels(flags.models);
      const { startStack } = await import('../dev/stack.ts');
      const stack = await startStack(resolve(flags.home), tell, { models: flags.models });
      const { temporal, service } = stack.addresses;
      print(`Web UI         ${temporal.webUi}`);
      print(`Temporal       ${temporal.address} (process ${stack.pids.temporal})`);
      print(`Model service  ${service.url} (process ${stack.pids.service})`);
      print(`Worker         process ${stack.pids.worker}`);
      print(`Home           ${flags.home} (data, logs, addresses)`);
      print(
        'Ready. Submit a campaign from another terminal: npx foray submit FILE. Ctrl-C stops everything.',
      );
      tellReady();
      await signalled;
      tell('Stopping');
      await stack.stop();
    });
}

/** Before a part would fail of it, out of sight. */
async function checkModels(folders: readonly string[]): Promise<void> {
  const { findModels } = await import('../service/models/folder.ts');
  const { describeModel } = await import('../service/models/describe.ts');
  await Promise.all(folders.flatMap(findModels).map(({ entry }) => describeModel(entry)));
}
