import { loadClientConnectConfig } from '@temporalio/envconfig';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Settings } from '../client/index.ts';
import { type Addresses, homePaths, isAlive, readAddresses } from '../dev/home.ts';

const DEFAULT_SERVICE = 'http://127.0.0.1:8090/api/open/8.5.0';
const DEFAULT_TEMPORAL = '127.0.0.1:7233';
const DEFAULT_UI_PORT = 8233;

/** The settings as flags; commander fills them from the environment where there is no flag. */
export interface SettingFlags {
  home: string;
  serviceUrl?: string;
  apiKey?: string;
  apiKeyHeader?: string;
  serviceRate?: number;
  store?: string;
  taskQueue: string;
  webUi?: string;
}

export function homeOption(): Option {
  return new Option('--home <folder>', 'where foray dev keeps its data and addresses')
    .env('FORAY_HOME')
    .default('.foray');
}

/** Adds the settings to a command as flags. */
export function withSettings(command: Command): Command {
  return command
    .addOption(homeOption())
    .addOption(
      new Option('--service-url <url>', 'address of the model service, with /api/open/<version>').env(
        'FORAY_SERVICE_URL',
      ),
    )
    .addOption(new Option('--api-key <key>', 'key for the model service').env('FORAY_API_KEY'))
    .addOption(
      new Option('--api-key-header <name>', 'header that carries the key').env('FORAY_API_KEY_HEADER'),
    )
    .addOption(
      new Option('--service-rate <number>', 'requests a second, at most')
        .env('FORAY_SERVICE_RATE')
        .argParser(positive),
    )
    .addOption(new Option('--store <address>', 'sqlite:PATH').env('FORAY_STORE'))
    .addOption(
      new Option('--task-queue <name>', 'task queue in Temporal').env('FORAY_TASK_QUEUE').default('foray'),
    )
    .addOption(new Option('--web-ui <url>', "address of Temporal's Web UI").env('FORAY_WEB_UI'));
}

/** Flags and environment win; then what a running foray dev of this home wrote; then the usual addresses. */
export function settingsFrom(flags: SettingFlags): Settings {
  const known = readAddresses(flags.home);
  const dev = known && isAlive(known) ? known : undefined;
  const temporal = temporalConfig(dev);
  return {
    service: {
      url: (flags.serviceUrl ?? dev?.service.url ?? DEFAULT_SERVICE).replace(/\/+$/, ''),
      key: flags.apiKey ?? dev?.service.key ?? '',
      keyHeader: flags.apiKeyHeader,
      rate: flags.serviceRate,
    },
    store: flags.store ?? dev?.store ?? homePaths(flags.home).store,
    taskQueue: flags.taskQueue,
    temporal,
    webUi: flags.webUi ?? dev?.temporal.webUi ?? usualUi(temporal.connectionOptions.address),
  };
}

/** Temporal's own TEMPORAL_* variables and profile file, when they say where a server is. */
function temporalConfig(dev: Addresses | undefined): Settings['temporal'] {
  const config = loadClientConnectConfig();
  const address = config.connectionOptions.address ?? dev?.temporal.address ?? DEFAULT_TEMPORAL;
  return {
    namespace: config.namespace ?? 'default',
    connectionOptions: { ...config.connectionOptions, address },
  };
}

function usualUi(address: string | undefined): string {
  const host = (address ?? DEFAULT_TEMPORAL).replace(/:\d+$/, '');
  return `http://${host}:${DEFAULT_UI_PORT}`;
}

export function positive(text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new InvalidArgumentError('Expected a number above 0.');
  return number;
}

export function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0) throw new InvalidArgumentError('Expected a whole number.');
  return number;
}
