import { type Command, Option } from 'commander';
import { endWithParent, tellReady } from '../dev/lifeline.ts';
import { settingsWithService } from './home.ts';
import { serveWithoutOutput } from './lost-output.ts';
import { tell } from './output.ts';
import { type SettingFlags, withSettings } from './settings.ts';

export function addWorker(program: Command): void {
  withSettings(program.command('worker'))
    .description('run a worker for this store and service, until SIGINT or SIGTERM')
    .addOption(
      new Option(
        '--build-id <id>',
        'be a worker of this build of the deployment "foray" (docs/operations.md)',
      ).env('FORAY_BUILD_ID'),
    )
    .action(async (flags: SettingFlags & { buildId?: string }) => {
      endWithParent();
      serveWithoutOutput();
      // the native worker takes a moment to load, so only this command does
      const { runWorker } = await import('../../worker.ts');
      const settings = settingsWithService(flags);
      const onReady = (): void => {
        tell(
          `Working on task queue "${settings.taskQueue}" for ${settings.service.url} (process ${process.pid})`,
        );
        tellReady();
      };
      await runWorker(settings, onReady, flags.buildId);
    });
}
