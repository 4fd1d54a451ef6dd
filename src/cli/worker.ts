import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { homePaths } from '../dev/home.ts';
import { endWithParent, tellParent, tellReady } from '../dev/lifeline.ts';
import { readNotices } from '../notices/file.ts';
import { settingsWithService } from './home.ts';
import { endTracing } from '../tracing.ts';
import { serveWithoutOutput } from './lost-output.ts';
import { tell } from './output.ts';
import {
  healthOption,
  logAsAsked,
  logOption,
  metricsOption,
  type SettingFlags,
  withSettings,
} from './setting-options.ts';

interface WorkerFlags {
  current: boolean;
  metrics?: { host: string; port: number };
  health?: { host: string; port: number };
  notices?: string;
}

export function addWorker(program: Command): void {
  withSettings(program.command('worker'))
    .description('run a worker for this store and service, until SIGINT or SIGTERM')
    .addOption(
      new Option(
        '--notices <file>',
        'file with the addresses and commands of notices (default: notices.yaml in the home folder, if it exists)',
      ).env('FORAY_NOTICES'),
    )
    .option('--no-current', 'leave it to an operator which build is the current one (docs/guides/upgrade.md)')
    .addOption(metricsOption())
    .addOption(healthOption())
    .addOption(logOption())
    .hook('preAction', logAsAsked)
    .action(async (flags: SettingFlags & WorkerFlags) => {
      endWithParent();
      serveWithoutOutput();
      // loaded only here, because Temporal's native worker takes a moment to load
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
      const notices = resolve(flags.notices ?? homePaths(flags.home).notices);
      // a mistake in the file shows at the start, not when a campaign ends
      if (flags.notices !== undefined || existsSync(notices)) readNotices(notices);
      await runWorker(settings, onReady, { ...flags, notices, tell: tellAll });
      await endTracing();
      // without an answer of Temporal, its connection would keep the process
      process.exit();
    });
}
