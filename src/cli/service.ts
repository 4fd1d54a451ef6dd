import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { endWithParent, tellParent, tellReady } from '../dev/lifeline.ts';
import { homePaths } from '../dev/home.ts';
import { ForayError } from '../errors.ts';
import { ownFile } from '../own-files.ts';
import { serveWithoutOutput } from './lost-output.ts';
import { print, tell } from './output.ts';
import { addServiceKeys } from './service-keys.ts';
import { byteSize, homeOption, keepFailedOption, modelsOption, positive, wholeNumber } from './settings.ts';
import { untilSignalled } from './signals.ts';

const SHIPPED_MODELS = ownFile('models');
const DEFAULT_PORT = 8090;
/** What a timer of Node's takes at most, 24 days, in seconds. */
const LONGEST_TIMEOUT = 2_147_483;

interface Flags {
  home: string;
  host: string;
  port: number;
  data?: string;
  models: string[];
  apiKey?: string;
  keys?: string;
  rateLimit?: number;
  maxBody?: number;
  maxUpload?: number;
  executors?: number;
  keepFailed?: string;
  runTimeout?: number;
  publicUrl?: string;
  trustProxy?: string | true;
}

export function addService(program: Command): void {
  const service = program
    .command('service')
    .description('the model service, until SIGINT or SIGTERM')
    .addOption(homeOption())
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 takes a free one', wholeNumber(0, 65_535), DEFAULT_PORT)
    .option('--data <folder>', 'where runs, results and files are kept (default: service in the home folder)')
    .addOption(modelsOption())
    .addOption(new Option('--api-key <key>', "a key of the user local's").env('FORAY_API_KEY'))
    .option('--keys <file>', 'users, their keys and permissions (default: keys.yaml in the data folder)')
    .option('--rate-limit <number>', 'requests a second with one key, at most (default: no limit)', positive)
    .option('--max-body <size>', 'greatest JSON body, such as 500KB (default: 16MB)', byteSize)
    .option('--max-upload <size>', 'greatest file (default: 2GB)', byteSize)
    .option(
      '--executors <number>',
      'how many runs execute at once (default: as many as cores)',
      wholeNumber(1),
    )
    .option(
      '--run-timeout <seconds>',
      'fail a run that executes longer (default: no limit)',
      wholeNumber(1, LONGEST_TIMEOUT),
    )
    .addOption(keepFailedOption())
    .option(
      '--public-url <url>',
      'address at which clients reach the service, for the addresses that it gives out (default: where each request came to)',
    )
    .option(
      '--trust-proxy [addresses]',
      'take that address from the forwarding headers of proxies at these addresses or networks, separated by commas (default: loopback)',
    )
    .action(async (flags: Flags, command: Command) => {
      if (flags.keys && command.getOptionValueSource('apiKey') === 'cli') {
        throw new ForayError('USAGE', '--api-key cannot be used with --keys: the file has all keys.');
      }
      if (flags.publicUrl !== undefined && flags.trustProxy !== undefined) {
        throw new ForayError('USAGE', '--trust-proxy cannot be used with --public-url, which says it all.');
      }
      endWithParent();
      serveWithoutOutput();
      const signalled = untilSignalled();
      const { startService } = await import('../service/service.ts');
      const service = await startService({
        host: flags.host,
        port: flags.port,
        dataDir: resolve(flags.data ?? homePaths(flags.home).service),
        modelDirs: [SHIPPED_MODELS, ...flags.models],
        // a key in the environment is the one to use elsewhere; where a file has all keys it opens nothing
        ...(flags.keys ? { keyFile: resolve(flags.keys) } : flags.apiKey && { apiKey: flags.apiKey }),
        limits: {
          rate: flags.rateLimit,
          ...(flags.maxBody && { body: flags.maxBody }),
          ...(flags.maxUpload && { upload: flags.maxUpload }),
        },
        log: process.stderr,
        logLevel: 'error',
        onModels(line) {
          tell(`Models have changed: ${line}`);
          tellParent(`Models have changed: ${line}`);
        },
        onProblem(line) {
          tell(line);
          tellParent(line);
        },
        ...(flags.keepFailed !== undefined && { keepFailed: resolve(flags.keepFailed) }),
        ...(flags.executors && { executors: flags.executors }),
        ...(flags.runTimeout && { runTimeout: flags.runTimeout }),
        publicUrl: flags.publicUrl,
        trustedProxies: flags.trustProxy === undefined ? undefined : proxies(flags.trustProxy),
      });
      print(`Model service  ${service.url} (process ${process.pid})`);
      if (service.newKey) {
        print(
          `API key        ${service.newKey} (shown this once; clients give it as --api-key or FORAY_API_KEY)`,
        );
      }
      tellReady();
      await signalled;
      tell('Stopping');
      await service.close();
    });
  addServiceKeys(service);
}

/** The proxies that `--trust-proxy` names; without a value those on this machine. */
function proxies(given: string | true): string[] {
  return given === true ? ['loopback'] : given.split(',').map((address) => address.trim());
}
