import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { endWithParent, tellReady } from '../dev/lifeline.ts';
import { loginAddress, notePage, runningPage } from '../dev/page-address.ts';
import { messageOf } from '../errors.ts';
import { serveWithoutOutput } from './lost-output.ts';
import { print, tell } from './output.ts';
import { serve } from './serve.ts';
import { type SettingFlags, wholeNumber, withSettings } from './setting-options.ts';
import { untilSignalled } from './signals.ts';

interface Flags extends SettingFlags {
  port?: number;
  open: boolean;
}

export function addUi(program: Command): void {
  withSettings(program.command('ui'))
    .description(
      'open the page of your campaigns in a browser, and serve the page and the HTTP API until Ctrl-C',
    )
    .option('--port <port>', 'port to listen on (default: a free port)', wholeNumber(0, 65_535))
    .option('--no-open', 'do not open a browser')
    .action(async (flags: Flags, command: Command) => {
      const home = resolve(flags.home);
      // with one of these flags, the user wants another page than the one that runs already
      const hasOwnSettings = ['port', 'store', 'serviceUrl'].some(
        (name) => command.getOptionValueSource(name) === 'cli',
      );
      const page = hasOwnSettings ? undefined : await runningPage(home);
      const login = page && (await loginAddress(page).catch(() => undefined));
      // no page runs, or it does not answer
      if (login === undefined) return serveOwn(home, flags);
      print(login);
      if (flags.open) open(login);
    });
}

async function serveOwn(home: string, flags: Flags): Promise<void> {
  endWithParent();
  serveWithoutOutput();
  const signalled = untilSignalled();
  const { OwnKey } = await import('../server/keys.ts');
  const key = process.env.FORAY_KEY || crypto.randomUUID();
  const server = await serve(flags, new OwnKey(key, flags.owner), { port: flags.port ?? 0 });
  // with a channel to its parent, this process is a part of foray dev
  const removeNote = await notePage(home, { url: server.url, key }, process.connected).catch(
    (error: unknown) => {
      tell(`Other programs on this machine cannot find the page: ${messageOf(error)}`);
      return () => undefined;
    },
  );
  const address = server.loginUrl(key);
  // as a part of foray dev, this process does not print the address: its output goes to a log, and the code in the
  // address works only once
  if (!process.connected) print(`Page           ${address}\nCtrl-C stops the page.`);
  if (flags.open) open(address);
  tellReady();
  await signalled;
  removeNote();
  await server.close();
}

/** Opens an address in the user's browser, if there is one. */
function open(address: string): void {
  const [command, args] =
    process.platform === 'darwin'
      ? ['open', [address]]
      : process.platform === 'win32'
        ? ['cmd', ['/c', 'start', '', address]]
        : ['xdg-open', [address]];
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  // if there is no browser, the printed address is enough
  child.once('error', () => undefined);
  child.unref();
}
