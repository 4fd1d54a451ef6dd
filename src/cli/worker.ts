import type { Command } from 'commander';
import { endWithParent, tellParent, tellReady } from '../dev/lifeline.ts';
import { settingsWithService } from './home.ts';
import { serveWithoutOutput } from './lost-output.ts';
import { tell } from './output.ts';
import { healthOption, metricsOption, type SettingFlags, withSettings } from './setting-options.ts';

interface WorkerFlags {
  current: boolean;
  metrics?: { host: string; port: number };
  health?: { host: string; port: number };
}

export function addWorker(program: Command): void {
  withSettings(program.command('worker'))
    .description('run a worker for this store and service, until SIGINT or SIGTERM')
    .option('--no-current', 'leave it to an operator which build is the current one (docs/guides/upgrade.md)')
    .addOption(metricsOption())
    .addOption(healthOption())
    .action(async (flags: SettingFlags & WorkerFlags) => {
      endWithParent();
      serveWithoutOutput();
      // loaded only here: the native worker takes a moment to load
      const { runWorker } = await import('../../worker.ts');
      const settings = settingsWithService(flags);
      const onReady = (): void => {
        tell(
          `Working on task queue "${settings.taskQueue}" for ${settings.service.url} (process ${process.pid})`,
        );
        tellReady();
      };
      const tellAll = (line: string): void => {
        tell(line);
        tellParent(line);
      };
      await runWorker(settings, onReady, { ...flags, tell: tellAll });
    });
}
