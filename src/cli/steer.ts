import { type Command, InvalidArgumentError } from 'commander';
import { print } from './output.ts';
import { type SettingFlags, withSettings, wholeNumber } from './setting-options.ts';
import { untilChanged } from './until-changed.ts';
import { withForay } from './with-foray.ts';
import { commandName } from './command-name.ts';

const requests = {
  pause: { about: 'pause a campaign: request no new runs; requested runs go on', doing: 'Pausing' },
  resume: { about: 'resume a paused campaign', doing: 'Resuming' },
  stop: { about: 'end a campaign after its requested runs have finished', doing: 'Stopping' },
};

/** The commands that steer a running campaign: pause, resume, stop, set. */
export function addSteer(program: Command): void {
  for (const request of ['pause', 'resume', 'stop'] as const) {
    const { about, doing } = requests[request];
    withSettings(program.command(request))
      .description(about)
      .argument('<id>')
      .option('--reason <text>', 'reason to store with the campaign')
      .action((id: string, flags: SettingFlags & { reason?: string }) =>
        withForay(flags, async (foray) => {
          await foray.steer(id, request, flags.reason);
          print(`${doing} ${id}; ${commandName()} status ${id} shows its progress.`);
        }),
      );
  }
  withSettings(program.command('set'))
    .description('change a setting of a running campaign')
    .argument('<id>')
    .requiredOption('--concurrency <number|auto>', 'the most runs that are requested at once', concurrency)
    .action((id: string, flags: SettingFlags & { concurrency: number | 'auto' }) =>
      withForay(flags, async (foray) => {
        await untilChanged(foray, id, foray.setConcurrency(id, flags.concurrency));
        print(`${id} has concurrency ${flags.concurrency} now.`);
      }),
    );
}

function concurrency(text: string): number | 'auto' {
  if (text === 'auto') return text;
  try {
    return wholeNumber(1)(text);
  } catch {
    throw new InvalidArgumentError('Expected a whole number of at least 1, or auto.');
  }
}
