import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { API_VERSION } from '../api/index.ts';
import type { Settings } from '../client/index.ts';
import { type Addresses, homePaths, runningDev } from '../dev/home.ts';
import { ForayError, messageOf } from '../errors.ts';

/** What FORAY_TASK_QUEUE is when nobody says. */
export const DEFAULT_TASK_QUEUE = 'foray';
const DEFAULT_SERVICE = 'http://127.0.0.1:8090';
const DEFAULT_TEMPORAL = '127.0.0.1:7233';
const DEFAULT_UI_PORT = 8233;

/** Heading of the settings in a command's help. */
export const SETTINGS_GROUP = 'Settings:';

/** The settings as flags; commander fills them from the environment where there is no flag. */
export interface SettingFlags {
  home: string;
  serviceUrl?: string;
  apiKey?: string;
  apiKeyHeader?: string;
  serviceRate?: number;
  store?: string;
  taskQueue: string;
  owner: string;
  webUi?: string;
}

export function homeOption(): Option {
  return new Option('--home <folder>', 'where foray dev keeps its data and addresses')
    .env('FORAY_HOME')
    .default('.foray');
}

/** Folders of models, as full paths. */
export function modelsOption(): Option {
  return new Option(
    '--models <folder>',
    'a model, or a folder of models, to serve beside the shipped ones; may be given again',
  )
    .argParser((folder: string, known: string[]) => [...known, resolve(folder)])
    .default([], 'none');
}

/** Adds the settings to a command as flags, in a group of their own in its help. */
export function withSettings(command: Command): Command {
  for (const option of settingOptions()) command.addOption(option.helpGroup(SETTINGS_GROUP));
  return command;
}

/** The settings, each as an option of its own. */
export function settingOptions(): Option[] {
  return [
    homeOption(),
    new Option('--service-url <url>', 'address of the model service, with /api/open/<version>').env(
      'FORAY_SERVICE_URL',
    ),
    new Option('--api-key <key>', 'key for the model service').env('FORAY_API_KEY'),
    new Option('--api-key-header <name>', 'header that carries the key').env('FORAY_API_KEY_HEADER'),
    new Option('--service-rate <number>', 'requests a second, at most')
      .env('FORAY_SERVICE_RATE')
      .argParser(positive),
    new Option('--store <address>', 'sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE').env(
      'FORAY_STORE',
    ),
    new Option('--task-queue <name>', 'task queue in Temporal')
      .env('FORAY_TASK_QUEUE')
      .default(DEFAULT_TASK_QUEUE),
    new Option('--owner <name>', 'who campaigns are said to belong to')
      .env('FORAY_OWNER')
      .default(userName(), 'your user name'),
    new Option('--web-ui <url>', "address of Temporal's Web UI").env('FORAY_WEB_UI'),
  ];
}

/** The name of whoever runs this; a container's user may have none. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

/**
 * The settings that the command line has when it is given none: those of the environment (`FORAY_*`, `TEMPORAL_*`), then of a running
 * `foray dev` whose home is `.foray` in the working directory or FORAY_HOME, then the usual addresses.
 *
 * @throws ForayError USAGE where the environment says what cannot be
 */
export function settingsFromEnvironment(): Settings {
  const command = withSettings(
    new Command('foray').exitOverride().configureOutput({ writeErr: () => undefined }),
  );
  try {
    return settingsFrom(command.parse([], { from: 'user' }).opts<SettingFlags>());
  } catch (error) {
    if (error instanceof CommanderError) throw new ForayError('USAGE', error.message.replace(/^error: /, ''));
    throw error;
  }
}

/** Flags and environment win; then what a running foray dev of this home wrote; then the usual addresses. */
export function settingsFrom(flags: SettingFlags): Settings {
  const dev = runningDev(flags.home);
  const temporal = temporalConfig(dev);
  return {
    service: {
      url: serviceRoot(flags.serviceUrl ?? dev?.service.url ?? DEFAULT_SERVICE),
      key: flags.apiKey ?? dev?.service.key ?? '',
      keyHeader: flags.apiKeyHeader,
      rate: flags.serviceRate,
    },
    store: flags.store ?? dev?.store ?? homePaths(flags.home).store,
    taskQueue: flags.taskQueue,
    owner: flags.owner,
    temporal,
    webUi:
      (flags.webUi && address('--web-ui', flags.webUi).href) ??
      dev?.temporal.webUi ??
      usualUi(temporal.connectionOptions.address),
  };
}

/** Temporal's own TEMPORAL_* variables and profile file, when they say where a server is. */
function temporalConfig(dev: Addresses | undefined): Settings['temporal'] {
  const config = temporalProfile();
  const address = config.connectionOptions.address ?? dev?.temporal.address ?? DEFAULT_TEMPORAL;
  return {
    namespace: config.namespace ?? 'default',
    connectionOptions: { ...config.connectionOptions, address },
  };
}

function temporalProfile(): Settings['temporal'] {
  try {
    return loadClientConnectConfig();
  } catch (error) {
    throw new ForayError('USAGE', `Temporal's settings cannot be read: ${messageOf(error).split('\n')[0]}.`, {
      hint: 'Check the TEMPORAL_* variables and the profile file.',
    });
  }
}

/** The root address of the interface; of a plain origin, with the version that foray speaks. */
function serviceRoot(url: string): string {
  const { origin, pathname } = address('--service-url', url);
  const path = pathname.replace(/(?<!\/)\/+$/, '');
  return `${origin}${path === '' ? `/api/open/${API_VERSION}` : path}`;
}

function address(flag: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new ForayError('USAGE', `"${text}" is not an http or https address.`, { hint: `Check ${flag}.` });
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

/** Parses a flag that takes a whole number from `least` to `most`. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (text.trim() !== '' && Number.isInteger(number) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(
      `Expected a whole number from ${least}${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ''}.`,
    );
  };
}

const BYTE_UNITS = ['B', 'KB', 'MB', 'GB'];

/** Parses a flag that takes a number of bytes, such as 500, 500KB or 1.5GB (in steps of 1024). */
export function byteSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?) ?([KMG]?B)?$/i.exec(text.trim());
  const bytes =
    match && Math.floor(Number(match[1]) * 1024 ** BYTE_UNITS.indexOf((match[2] ?? 'B').toUpperCase()));
  if (bytes) return bytes;
  throw new InvalidArgumentError('Expected a size above 0, such as 500KB, 16MB or 2GB.');
}

/** A number of bytes for eyes, in the units of {@link byteSize}: 512 B, 1.5 MB. */
export function bytesText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${+(bytes / 1024 ** power).toPrecision(3)} ${BYTE_UNITS[power]}`;
}
