import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { endWithParent, tellFailure, tellParent, tellReady } from '../dev/lifeline.ts';
import { homePaths } from '../dev/home.ts';
import { ForayError, isForayError } from '../errors.ts';
import { ownFile } from '../package/own-files.ts';
import { LOST_AFTER } from '../service/fleet/lane.ts';
import type { LaneOptions } from '../service/fleet/lane-keeper.ts';
import { endTracing } from '../tracing.ts';
import { serveWithoutOutput } from './lost-output.ts';
import { announce, print, tell } from './output.ts';
import { addServiceMove } from './service-move.ts';
import { s3At } from './service-files.ts';
import {
  byteSize,
  homeOption,
  keepFailedOption,
  logAsAsked,
  logOption,
  metricsOption,
  modelsOption,
  positive,
  wholeNumber,
} from './setting-options.ts';
import { untilSignalled } from './signals.ts';

const SHIPPED_MODELS = ownFile('models');
const DEFAULT_PORT = 8090;
/** The errors of a start that a parent `foray dev` passes on: the user has to mend a model. */
const OF_MODELS = ['MODEL_INVALID', 'MODEL_UNREADABLE'];
/** The longest timer of Node (24.8 days), in seconds. */
const LONGEST_TIMEOUT = 2_147_483;

interface Flags {
  home: string;
  host: string;
  port: number;
  data?: string;
  database?: string;
  files?: string;
  models: string[];
  apiKey?: string;
  keys?: string;
  rateLimit?: number;
  maxBody?: number;
  maxUpload?: number;
  executors?: number;
  temporal?: string;
  keepFailed?: string;
  runTimeout?: number;
  publicUrl?: string;
  trustProxy?: string | true;
  metrics?: { host: string; port: number };
}

export function addService(program: Command): void {
  const service = program
    .command('service')
    .description('run the model service, until SIGINT or SIGTERM')
    .addOption(homeOption())
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 takes a free port', wholeNumber(0, 65_535), DEFAULT_PORT)
    .option('--data <folder>', 'folder for runs, results and files (default: service in the home folder)')
    .addOption(
      new Option(
        '--database <address>',
        'database in PostgreSQL, postgres://USER:PASSWORD@HOST/DATABASE; several services with one data folder may use it (default: a file in the data folder)',
      ).env('FORAY_SERVICE_DATABASE'),
    )
    .option(
      '--files <address>',
      'keep files in an S3-compatible store, s3://BUCKET?endpoint=URL&region=REGION, with the key in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (default: in the data folder)',
    )
    .addOption(modelsOption())
    .addOption(new Option('--api-key <key>', 'a key for the user "local"').env('FORAY_API_KEY'))
    .option('--keys <file>', 'file of users, keys and permissions (default: keys.yaml in the data folder)')
    .option('--rate-limit <number>', 'most requests a second per key (default: no limit)', positive)
    .option('--max-body <size>', 'size limit of a JSON body, such as 500KB (default: 16MB)', byteSize)
    .option('--max-upload <size>', 'size limit of a file (default: 2GB)', byteSize)
    .option(
      '--executors <number>',
      'number of runs that execute at once; 0, with --temporal, leaves all runs to other machines (default: number of cores)',
      wholeNumber(0),
    )
    .option(
      '--temporal <address>',
      'let executors on other machines work for this service, by lanes in Temporal at this address (docs/guides/several-machines.md)',
    )
    .option(
      '--run-timeout <seconds>',
      'time limit of a run (default: no limit)',
      wholeNumber(1, LONGEST_TIMEOUT),
    )
    .addOption(keepFailedOption())
    .addOption(metricsOption())
    .addOption(
      new Option(
        '--public-url <url>',
        'address of the service for clients, used in links (default: the address of each request)',
      ).env('FORAY_PUBLIC_URL'),
    )
    .option(
      '--trust-proxy [addresses]',
      'trust the forwarding headers of proxies at these addresses or networks, separated by commas; without addresses, of proxies on this machine',
    )
    .addOption(logOption())
    .hook('preAction', logAsAsked)
    .action(async (flags: Flags, command: Command) => {
      checkFlags(flags, command);
      const { publicUrl } = flags;
      const s3 = flags.files === undefined ? undefined : await s3At(flags.files);
      endWithParent();
      serveWithoutOutput();
      const signalled = untilSignalled();
      const { startService } = await import('../service/service.ts');
      const service = await startService({
        host: flags.host,
        port: flags.port,
        dataDir: resolve(flags.data ?? homePaths(flags.home).service),
        database: flags.database,
        s3,
        modelDirs: [SHIPPED_MODELS, ...flags.models],
        // a key in the environment is for other services; with a key file, it gives no access here
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
          tell(line, 'warn');
          tellParent(line);
        },
        ...(flags.keepFailed !== undefined && { keepFailed: resolve(flags.keepFailed) }),
        ...(flags.executors !== undefined && { executors: flags.executors }),
        lanes: flags.temporal === undefined ? undefined : await lanesAt(flags.temporal),
        ...(flags.runTimeout && { runTimeout: flags.runTimeout }),
        metrics: flags.metrics,
        publicUrl,
        trustedProxies: flags.trustProxy === undefined ? undefined : proxies(flags.trustProxy),
      }).catch(async (error: unknown) => {
        if (isForayError(error) && OF_MODELS.includes(error.code)) tellFailure(error);
        if (flags.temporal !== undefined) await (await import('../dev/temporal-log.ts')).endRuntime();
        throw error;
      });
      announce(
        publicUrl === undefined
          ? `Model service  ${service.url} (process ${process.pid})`
          : `Model service  ${publicUrl} (listens on ${service.url}, process ${process.pid})`,
      );
      if (service.metricsUrl !== undefined) announce(`Metrics        ${service.metricsUrl}`);
      if (service.newKey) {
        print(
          `API key        ${service.newKey} (shown only once; clients pass it as --api-key or FORAY_API_KEY)`,
        );
      }
      tellReady();
      await signalled;
      tell('Stopping');
      await service.close();
      await endTracing();
      // without an answer of Temporal, the connection of the lanes would keep the process
      process.exit();
    });
  addServiceMove(service);
}

/** @throws ForayError USAGE when flags do not fit together */
function checkFlags({ keys, publicUrl, trustProxy, executors, temporal }: Flags, command: Command): void {
  if (keys && command.getOptionValueSource('apiKey') === 'cli') {
    throw new ForayError('USAGE', '--api-key cannot be used with --keys: the file contains all keys.');
  }
  if (publicUrl !== undefined && trustProxy !== undefined) {
    throw new ForayError(
      'USAGE',
      '--trust-proxy cannot be used with --public-url: clients always get the public URL.',
    );
  }
  if (executors === 0 && temporal === undefined) {
    throw new ForayError('USAGE', 'With --executors 0, no executor would execute runs.', {
      hint: 'Add --temporal, so that executors on other machines execute the runs.',
    });
  }
}

/**
 * The settings of lanes, which are workflows that keep executors on other machines at work. The modules are loaded only
 * here, because Temporal's worker takes a moment to load.
 */
async function lanesAt(address: string): Promise<LaneOptions> {
  const [{ temporalSettings }, { workflowBundle }, { installRuntime }] = await Promise.all([
    import('../settings/settings.ts'),
    import('../dev/workflow-bundle.ts'),
    import('../dev/temporal-log.ts'),
  ]);
  installRuntime();
  const { connectionOptions, namespace = 'default', payloadCodec } = temporalSettings();
  return {
    connectionOptions: { ...connectionOptions, address },
    namespace,
    payloadCodec,
    workflowBundle: await workflowBundle('lanes'),
    heartbeat: LOST_AFTER,
  };
}

/** The proxies in `--trust-proxy`. If the flag has no value, these are the proxies on this machine. */
function proxies(given: string | true): string[] {
  return given === true ? ['loopback'] : given.split(',').map((address) => address.trim());
}
