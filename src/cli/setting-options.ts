import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { logAsJson } from '../log.ts';
import {
  DEFAULT_HOME,
  DEFAULT_TASK_QUEUE,
  type GivenSettings,
  userName,
  variables,
} from '../settings/settings.ts';

/** The heading of the settings in a command's help. */
export const SETTINGS_GROUP = 'Settings:';

/** The settings as flags. Commander fills missing flags from the environment. */
export type SettingFlags = GivenSettings;

export function homeOption(): Option {
  return new Option('--home <folder>', 'folder where foray dev keeps its data and addresses')
    .env(variables.home)
    .default(DEFAULT_HOME);
}

/** The option for model folders; its values are absolute paths. */
export function modelsOption(): Option {
  return new Option(
    '--models <folder>',
    'a model or a folder of models to serve beside the shipped models; may be given again',
  )
    .argParser((folder: string, known: string[]) => [...known, resolve(folder)])
    .default([], 'none');
}

export function keepFailedOption(): Option {
  return new Option(
    '--keep-failed <folder>',
    'folder for the inputs, files, output and command of the last 50 failed runs',
  );
}

/** Adds the settings to a command as flags, in their own group in the help. */
export function withSettings(command: Command): Command {
  for (const option of settingOptions()) command.addOption(option.helpGroup(SETTINGS_GROUP));
  return command;
}

/** The settings, each as an option. */
export function settingOptions(): Option[] {
  return [
    homeOption(),
    new Option('--service-url <url>', 'address of the model service, with /api/open/<version>').env(
      variables.serviceUrl,
    ),
    new Option('--api-key <key>', 'key for the model service').env(variables.apiKey),
    new Option('--api-key-header <name>', 'header that carries the key').env(variables.apiKeyHeader),
    new Option('--service-rate <number>', 'most requests a second to the model service')
      .env(variables.serviceRate)
      .argParser(positive),
    new Option('--store <address>', 'sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE').env(
      variables.store,
    ),
    new Option('--task-queue <name>', 'task queue in Temporal')
      .env(variables.taskQueue)
      .default(DEFAULT_TASK_QUEUE),
    new Option('--owner <name>', 'owner of new campaigns')
      .env(variables.owner)
      .default(userName(), 'your user name'),
    new Option('--web-ui <url>', "address of Temporal's Web UI").env(variables.webUi),
    new Option(
      '--notify <names>',
      'notices of new campaigns whose definition has no "notify", separated by commas',
    ).env(variables.notify),
  ];
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
      most < Number.MAX_SAFE_INTEGER
        ? `Expected a whole number from ${least} to ${most}.`
        : `Expected a whole number of at least ${least}.`,
    );
  };
}

/** The option for the form of a process's log; the hook {@link logAsAsked} applies it. */
export function logOption(): Option {
  return new Option('--log <form>', 'form of the log on standard error: text, or JSON lines')
    .choices(['text', 'json'])
    .default('text')
    .env('FORAY_LOG');
}

export function logAsAsked(command: Command): void {
  if (command.opts<{ log: string }>().log === 'json') logAsJson(command.name());
}

export function metricsOption(): Option {
  return new Option(
    '--metrics <address>',
    'serve metrics for Prometheus at /metrics of [HOST:]PORT; HOST is 127.0.0.1 when left out (default: no metrics)',
  ).argParser(listenAddress);
}

export function healthOption(): Option {
  return new Option(
    '--health <address>',
    'answer programs that watch this process at /health and /ready of [HOST:]PORT; HOST is 127.0.0.1 when left out (default: no answer)',
  ).argParser(listenAddress);
}

/** Parses `9464`, `0.0.0.0:9464` or `[::1]:9464`. */
function listenAddress(text: string): { host: string; port: number } {
  const match = /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d+)$/.exec(text.trim());
  const port = Number(match?.[3]);
  if (match && port <= 65_535) return { host: match[1] ?? match[2] ?? '127.0.0.1', port };
  throw new InvalidArgumentError('Expected a port or HOST:PORT, such as 9464.');
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

/** A number of bytes as text, in the units of {@link byteSize}: 512 B, 1.5 MB. */
export function bytesText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${+(bytes / 1024 ** power).toPrecision(3)} ${BYTE_UNITS[power]}`;
}
