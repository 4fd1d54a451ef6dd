import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { isLoopback } from '../cloud/index.ts';
import { ForayError } from '../errors.ts';
import { serveWithoutOutput } from './lost-output.ts';
import { announce, print, tell } from './output.ts';
import { serve } from './serve.ts';
import {
  healthOption,
  logAsAsked,
  logOption,
  type SettingFlags,
  wholeNumber,
  withSettings,
} from './setting-options.ts';
import { untilSignalled } from './signals.ts';

interface Flags extends SettingFlags {
  host: string;
  port: number;
  keys?: string;
  hostName: string[];
  frameAncestors: string[];
  health?: { host: string; port: number };
}

const DEFAULT_PORT = 8100;

export function addServer(program: Command): void {
  withSettings(program.command('server'))
    .description('serve the page and the HTTP API to a group, until SIGINT or SIGTERM')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 takes a free port', wholeNumber(0, 65_535), DEFAULT_PORT)
    .option('--keys <file>', 'file of keys (foray keys add NAME --role ROLE --file FILE)')
    .option(
      '--host-name <name>',
      'host name that clients use; may be given again',
      (name: string, known: string[]) => [...known, name],
      [] as string[],
    )
    .option(
      '--frame-ancestors <url>',
      'site whose pages may show pages of the server in a frame, such as a notebook; may be given again',
      (text: string, known: string[]) => [...known, siteOf(text)],
      [] as string[],
    )
    .addOption(healthOption())
    .addOption(logOption())
    .hook('preAction', logAsAsked)
    .action(async (flags: Flags) => {
      const { host, port, hostName: hostNames, frameAncestors } = flags;
      const isForThisMachine = isLoopback(`http://${host.includes(':') ? `[${host}]` : host}`);
      if (flags.keys === undefined && !isForThisMachine) {
        throw new ForayError('USAGE', `Other machines can reach ${host}, so the server needs --keys FILE.`, {
          hint: 'foray keys add NAME --role read --file FILE makes the file and a key. The role steer may also change campaigns, and develop may also push models.',
        });
      }
      serveWithoutOutput();
      const signalled = untilSignalled();
      const { KeysOfFile, OwnKey } = await import('../server/keys.ts');
      const key = process.env.FORAY_KEY || crypto.randomUUID();
      const keys =
        flags.keys === undefined
          ? new OwnKey(key, flags.owner)
          : new KeysOfFile(resolve(flags.keys), (line) => tell(line));
      const server = await serve(flags, keys, { host, port, hostNames, frameAncestors });
      // an address with which somebody can log in is no part of a log
      if (flags.keys === undefined) print(`Page           ${server.loginUrl(key)}`);
      else announce(`Page           ${server.url}`);
      announce(`API            ${server.url}/api/v1 (process ${process.pid})`);
      await signalled;
      tell('Stopping');
      await server.close();
    });
}

/** The origin of a site, such as `https://lab.example.org:8888`: scheme, host and port. Browsers compare only these. */
function siteOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url.origin;
  throw new InvalidArgumentError('Expected the address of a site, such as https://lab.example.org.');
}
