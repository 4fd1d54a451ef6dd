import { type Command, InvalidArgumentError } from 'commander';
import { print } from './output.ts';
import { type SettingFlags, withSettings, wholeNumber } from './settings.ts';
import { withForay } from './with-foray.ts';
import { commandName } from './command-name.ts';

const wishes = {
  pause: { about: 'request nothing new; what is requested goes on', said: 'Pausing' },
  resume: { about: 'let a paused campaign go on', said: 'Resuming' },
  stop: { about: 'end a campaign when what is requested has finished', said: 'Stopping' },
} as const;

/** The commands that steer a running campaign: pause, resume, stop, set. */
export function addSteer(program: Command): void {
  for (const [wish, { about, said }] of Object.entries(wishes) as [
    keyof typeof wishes,
    { about: string; said: string },
  ][]) {
    const command = withSettings(program.command(wish)).description(about).argument('<id>');
    if (wish !== 'resume') command.option('--reason <text>', 'kept with the campaign');
    command.action((id: string, flags: SettingFlags & { reason?: string }) =>
      withForay(flags, async (foray) => {
        await foray.steer(id, wish, flags.reason);
        print(`${said} ${id}; ${commandName()} status ${id} shows how it goes on.`);
      }),
    );
  }
  withSettings(program.command('set'))
    .description('change a setting of a running campaign')
    .argument('<id>')
    .requiredOption('--concurrency <number|auto>', 'runs requested at once, at most', concurrency)
    .action((id: string, flags: SettingFlags & { concurrency: number | 'auto' }) =>
      withForay(flags, async (foray) => {
        await foray.setConcurrency(id, flags.concurrency);
        print(`${id} has concurrency ${flags.concurrency} now.`);
      }),
    );
}

function concurrency(text: string): number | 'auto' {
  if (text === 'auto') return text;
  try {
    return wholeNumber(1)(text);
  } catch {
    throw new InvalidArgumentError('Expected a whole number from 1, or auto.');
  }
}
